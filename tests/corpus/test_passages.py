"""Passages of running text."""

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
