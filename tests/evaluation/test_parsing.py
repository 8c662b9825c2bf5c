from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.corpus import Sentence
from semipunct.errors import UsageError
from semipunct.evaluation.parsing import ParsingStatistics, parsing_statistics
from tests.evaluation.cases import PARSED, TREEBANK, tagged

FIGURES = {
    "sentences": 3,
    "words": 8,
    "las": 4 / 8,
    "las_universal": 5 / 8,
    "uas": 6 / 8,
    "upos": 6 / 8,
    "xpos": 7 / 8,
    "feats": 6 / 8,
    "root": 2 / 3,
    "complete": 2 / 3,
    "complete_labelled": 1 / 3,
}
"""The figures of ``PARSED``, counted by hand."""


@st.composite
def answers(draw: st.DrawFn, longest: int = 6) -> tuple[Sentence, Sentence]:
    """Two analyses of the same words with frequent agreement."""
    order = draw(st.permutations(range(1, draw(st.integers(1, longest)) + 1)))

    def analysis() -> Sentence:
        heads = {order[0]: 0}
        for place, word in enumerate(order[1:], start=1):
            heads[word] = order[draw(st.integers(0, place - 1))]
        tags, labels = st.sampled_from(["N", "V"]), st.sampled_from(["a", "a:b", "a:c", "b"])
        rows = (
            f"w{w} {draw(tags)} {draw(tags)} {draw(tags)} {heads[w]} {draw(labels)}"
            for w in sorted(order)
        )
        return tagged("drawn", *rows)

    return analysis(), analysis()


PAIRS = st.lists(answers(), max_size=4)


def test_every_number_of_a_tiny_case():
    statistics = parsing_statistics(TREEBANK, PARSED)
    found = {name: statistics.column(name).tolist() for name in ParsingStatistics.columns}
    assert found == {
        "words": [3, 1, 4],
        "roots": [1, 1, 1],
        "heads": [3, 1, 2],
        "universal": [3, 1, 1],
        "labelled": [2, 1, 1],
        "upos": [2, 1, 3],
        "xpos": [3, 1, 3],
        "feats": [2, 1, 3],
        "right_roots": [1, 1, 0],
    }
    assert statistics.score == 4 / 8
    assert statistics.figures().as_dict() == FIGURES


@given(PAIRS)
def test_counts_are_those_of_words_one_by_one(data: list[tuple[Sentence, Sentence]]):
    statistics = parsing_statistics([gold for gold, _ in data], [other for _, other in data])
    for place, (gold, other) in enumerate(data):
        expected = dict.fromkeys(ParsingStatistics.columns, 0)
        for w in range(len(gold.forms)):
            (head, label), (found, named) = (
                (s.tree.heads[w], s.tree.relations[w]) for s in (gold, other)
            )
            expected["words"] += 1
            expected["roots"] += not head
            expected["heads"] += head == found
            expected["labelled"] += (head, label) == (found, named)
            expected["universal"] += (head, label.split(":")[0]) == (found, named.split(":")[0])
            expected["right_roots"] += head == found == 0
            for column in ("upos", "xpos", "feats"):
                expected[column] += getattr(gold, column)[w] == getattr(other, column)[w]
        assert {name: statistics.column(name)[place] for name in expected} == expected


@pytest.mark.parametrize(
    "predicted, complaint",
    [
        ([], "3 gold sentences and 0 predicted ones: give the same sentences for both"),
        (
            [PARSED[0], PARSED[0], PARSED[2]],
            "case:1: sentence two: 1 word, and 3 in the predicted sentence one; parse the words",
        ),
        (
            [PARSED[0], tagged("2", "gone VERB VB _ 0 root"), PARSED[2]],
            "sentence two: word 1 is 'go', and 'gone' in the predicted sentence 2; parse the words",
        ),
    ],
    ids=["sentences", "lengths", "words"],
)
def test_words_must_not_change(predicted: Sequence[Sentence], complaint: str):
    with pytest.raises(UsageError, match=complaint):
        parsing_statistics(TREEBANK, predicted)


@pytest.mark.parametrize(
    "changes, complaint",
    [
        ({"words": [3, 0, 4]}, "sentence 2: there is no word"),
        ({"roots": [1, 0, 1]}, "sentence 2: there is no root"),
        ({"roots": [1, 2, 1]}, "sentence 2: more roots than words"),
        ({"universal": [3, 1, 3]}, "sentence 3: more right relations than right heads"),
        ({"labelled": [3, 1, 2]}, "sentence 3: more right relations with subtypes than without"),
        ({"upos": [2, 2, 3]}, "sentence 2: more right upos than words"),
        ({"right_roots": [1, 1, 2]}, "sentence 3: more right roots than roots"),
        ({"heads": [3, 0, 2], "universal": [3, 0, 1], "labelled": [2, 0, 1]},
         "sentence 2: more right roots than right heads"),
        ({"upos": [2, -1, 3]}, "sentence 2: upos is negative"),
        ({"upos": [2, 1]}, "words has 3 sentences and upos has 2"),
    ],
)  # fmt: skip
def test_contradictions_are_refused(changes: dict[str, Any], complaint: str):
    with pytest.raises(ValueError, match=complaint):
        replace(
            parsing_statistics(TREEBANK, PARSED),
            **{name: np.array(column) for name, column in changes.items()},
        )
