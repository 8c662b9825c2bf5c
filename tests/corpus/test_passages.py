"""Passages of running text."""

import pytest

from semipunct.corpus.examples import treebank_digest
from semipunct.corpus.passages import Passage, sentence_spans

GO = Passage(
    "a",
    "x.conllu",
    1,
    "Go! Del mar.",
    ((0, 2), (2, 3), (4, 7), (8, 11), (11, 12)),
    (False, True, False, False, True),
    (False, True, False, False, True),
    (("Go",), ("!",), ("De", "el"), ("mar",), (".",)),
)


def test_sentences_go_from_their_first_token_to_their_last():
    assert GO.sentences == [(0, 3), (4, 12)]
    assert list(GO.forms()) == ["Go", "!", "Del", "mar", "."]
    assert (GO.size, GO.choices) == (5, 12)


def test_the_last_token_ends_a_sentence_whatever_is_said():
    assert sentence_spans([(0, 1), (2, 3)], [False, False]) == [(0, 3)]
    assert sentence_spans([], []) == []


def test_a_digest_is_of_what_is_seen():
    import dataclasses

    assert treebank_digest([GO]) == treebank_digest([dataclasses.replace(GO, name="b", line=7)])
    changed = dataclasses.replace(GO, ends=(False, False, False, False, True))
    assert treebank_digest([GO]) != treebank_digest([changed])


@pytest.mark.parametrize("tokens", [(), ((0, 2),), ((0, 2), (1, 3)), ((0, 99), (99, 100))])
def test_tokens_that_cannot_be(tokens: tuple[tuple[int, int], ...]):
    n = 2
    with pytest.raises(ValueError, match=r"x\.conllu:1: passage a"):
        Passage("a", "x.conllu", 1, "Go!", tokens, (True,) * n, (False,) * n, ((),) * n)
