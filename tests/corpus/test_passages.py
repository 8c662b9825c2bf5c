"""Passages of running text."""

import pytest

from semipunct.corpus.passages import Passage

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


@pytest.mark.parametrize("tokens", [(), ((0, 2),), ((0, 2), (1, 3)), ((0, 99), (99, 100))])
def test_tokens_that_cannot_be(tokens: tuple[tuple[int, int], ...]):
    n = 2
    with pytest.raises(ValueError, match=r"x\.conllu:1: passage a"):
        Passage("a", "x.conllu", 1, "Go!", tokens, (True,) * n, (False,) * n, ((),) * n)
