"""Passages as written, and in the style of transcripts."""

from semipunct.corpus.passages import Passage
from semipunct.models.segmentation.guises import stripped_segmentation, written_segmentation
from tests.models.segmentation.passages import passage

SAID = passage("Mr. İx said _: _“ _Yes _- _no _” _.", "_. _. _.", "OK !")


def cut(segmentation) -> tuple[str, list[str], list[str]]:
    return (
        segmentation.text,
        [segmentation.text[a:b] for a, b in segmentation.tokens],
        [segmentation.text[a:b] for a, b in segmentation.sentences],
    )


def test_written():
    text, tokens, sentences = cut(written_segmentation(SAID))
    assert text == SAID.text == "Mr. İx said:“Yes-no”. ... OK !"
    assert tokens == list(SAID.forms())
    assert sentences == ["Mr. İx said:“Yes-no”.", "...", "OK !"]


def test_stripped_of_marks_and_dots():
    text, tokens, sentences = cut(stripped_segmentation(SAID))
    assert text == "mr i̇x said yes no ok"
    assert tokens == ["mr", "i̇x", "said", "yes", "no", "ok"]
    assert sentences == ["mr i̇x said yes no", "ok"]


def test_words_that_were_together_stay_so():
    assert stripped_segmentation(passage("I do _n't _, _know _.")).text == "i don't know"


def test_nothing_may_be_left():
    assert cut(stripped_segmentation(passage("_. _. _."))) == ("", [], [])


def test_blanks_at_the_edges_of_tokens_are_outside():
    text = "a\u00a0 b\x07"
    odd = Passage(
        "p", "x", 1, text, ((0, 2), (3, 5)), (False, True), (False,) * 2, (("a",), ("b",))
    )
    assert cut(written_segmentation(odd)) == ("a b", ["a", "b"], ["a b"])
    empty = Passage("p", "x", 1, "a \x07", ((0, 1), (2, 3)), (False, True), (False,) * 2, ((),) * 2)
    assert cut(written_segmentation(empty)) == ("a", ["a"], ["a"])
