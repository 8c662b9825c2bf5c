"""What stands in a text restricts corrections and commas in the same way as restored marks."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import semipunct
from semipunct.papers.commas import task as restoration_of_commas
from semipunct.papers.commas.model import CommaModel
from semipunct.papers.commas.restorer import Commas
from semipunct.papers.commas.trees import PhraseTree
from semipunct.pipelines import tree_correction as correction
from semipunct.pipelines.options import RestoreOptions
from tests.pipelines.test_choice import text
from tests.pipelines.test_restore import draws


@pytest.fixture
def corrected(corrector: Path, monkeypatch: pytest.MonkeyPatch):
    """Return a function that corrects a sentence as if the model had drawn some rows."""
    model = semipunct.load(corrector)

    def call(sentence: Any, *rows: str) -> list[str]:
        def drawn(_: Any, sentences: Sequence[Any], asked: RestoreOptions, first: int):
            assert [asked.keep_for(s) for s in sentences] == ["replace"]  # nothing is evidence
            yield draws(*rows)

        monkeypatch.setattr(correction, "draw_punctuation", drawn)
        # Compiling the reasons of corrections is slower than the rest of the test.
        monkeypatch.setattr(correction.decode, "best", lambda _m, _p, right: [None] * len(right))
        # By draws, not by the errors seen in training.
        (found,) = model.correct([sentence], minimise="slots")
        return [" ".join(slot) for slot in found.slots]

    return call


def test_corrections_respect_what_stands(corrected: Any):
    cases = [
        # An end beside the end of a name, and a comma, which is possible there.
        (text("on Yahoo! in"), "||.|", ["", "", "", ""], ["", "", ".", ""]),
        (text("on Yahoo! in"), "||,|", ["", "", ",", ""], ["", "", ",", ""]),
        # A bracket without its partner, inserted, deleted, and in place of another mark.
        (text("so we go", "|||."), "|||) .", ["", "", "", "."], ["", "", "", ") ."]),
        (text("so we go", "(||) ,|."), "||) ,|.", ["(", "", ") ,", "."], ["", "", ") ,", "."]),
        (text("so we go", "|,||."), "|(||.", ["", ",", "", "."], ["", "(", "", "."]),
        # A slash between words that stand apart.
        (text("him her left"), "|/||", ["", "", "", ""], ["", "/", "", ""]),
        # Both brackets at once are a correction.
        (text("so we go", "(||)|."), "|||.", ["", "", "", "."], ["", "", "", "."]),
    ]
    for sentence, row, expected, in_a_treebank in cases:
        assert corrected(sentence, row) == expected
        assert corrected(replace(sentence, source="treebank"), row) == in_a_treebank


def test_slots_within_words_are_not_corrected(corrected: Any):
    sentence = replace(text("him her left", "|/||."), closed=frozenset({1}))
    assert corrected(sentence, "|||") == ["", "/", "", ""]


def test_commas_respect_what_stands(monkeypatch: pytest.MonkeyPatch):
    base = text("on Yahoo! in etc. or b, so", "|||,||||.")
    tree = PhraseTree((0, *(1,) * 7), ("S", *("NN",) * 7))
    sentence = replace(base, tree=tree, closed=frozenset({5}))
    always = np.ones((1, len(base.slots)), bool)
    certain = Commas(always, np.zeros(1), np.ones(len(base.slots)))
    monkeypatch.setattr(
        restoration_of_commas,
        "CommaRestorer",
        lambda *_: SimpleNamespace(commas=lambda *_: [certain]),
    )
    model = SimpleNamespace(model=CommaModel.__new__(CommaModel), parameters={})

    def commas(s: Any, **settings: Any) -> list[str]:
        (found,) = restoration_of_commas.restore_commas(model, [s], **settings)  # type: ignore[arg-type]
        return [" ".join(slot) for slot in found.slots]

    # None before the sentence's end, beside a comma of a word, or within a word.
    assert commas(sentence) == [",", ",", ",", ",", "", "", "", "."]
    assert commas(sentence, keep="replace")[3] == ","
    never = Commas(~always, np.zeros(1), np.zeros(len(base.slots)))
    certain = never
    assert commas(sentence)[3] == ","  # It stands.
    assert commas(sentence, keep="replace")[3] == ""
