"""Omitted sentences keep their places among results."""

from semipunct.corpus import Omitted, Words
from semipunct.corpus.treebank import with_omitted, without_omitted

MARKS = Omitted("nothing but punctuation", "2", "a.txt", 2)
NOTHING = Omitted("empty line", "4", "a.txt", 4)
ONE, TWO = (Words(name, "a.txt", 1, (name,), ((), ())) for name in ("1", "3"))


def test_results_come_in_the_places_of_sentences():
    sentences = [MARKS, ONE, NOTHING, TWO]
    assert without_omitted(sentences) == [ONE, TWO]
    assert with_omitted(sentences, ["a", "b"]) == [MARKS, "a", NOTHING, "b"]
    assert with_omitted([], []) == without_omitted([]) == []
