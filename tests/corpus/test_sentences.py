from dataclasses import replace
from pathlib import Path

import pytest

from semipunct.corpus import Sentence
from semipunct.trees import DependencyTree

ROOT = Path(__file__).resolve().parents[2]
ETC = Sentence(
    sentence_id="s1",
    path="some.conllu",
    line=7,
    forms=("apples", "etc"),
    lemmas=("apple", "etc."),
    upos=("NOUN", "X"),
    xpos=("NNS", "FW"),
    feats=("Number=Plur", "_"),
    tree=DependencyTree((0, 1), ("root", "conj")),
    slots=((), (",",), ("<abbr>", ".")),
)


@pytest.mark.parametrize(
    "changes",
    [
        {"forms": ("apples",)},
        {"lemmas": ("a", "b", "c")},
        {"upos": ()},
        {"xpos": ("NNS",)},
        {"feats": ("_",)},
        {"slots": ((), ())},
        {"tree": DependencyTree((0,), ("root",))},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_columns_are_of_one_length(changes: dict[str, object]):
    with pytest.raises(
        ValueError, match=r"some.conllu:7: sentence s1: a sentence needs at least one word"
    ):
        replace(ETC, **changes)


def test_text_for_readers_has_no_names_of_special_tokens():
    assert str(replace(ETC, slots=((), ("<unk>",), ("<abbr>", ".")))) == "apples ▢ etc. ."
