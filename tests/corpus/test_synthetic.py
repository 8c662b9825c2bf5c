"""Synthetic treebanks: frequencies match the parameters, and writing them changes nothing."""

import itertools
import math
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import replace
from functools import cache

import pytest

from semipunct.marks import without_boundaries
from tests import oracle
from tests.synthetic import (
    SyntheticSentence,
    english_parameters,
    generate,
)

SIZE = 1000


@cache
def drawn(direction: str = "r2l") -> tuple[SyntheticSentence, ...]:
    return tuple(generate(replace(english_parameters(), direction=direction), SIZE, seed=7))


def agree(counts: Counter, distribution: Mapping[Hashable, float]) -> None:
    """Assert that every frequency is within 4.5 standard deviations of its probability."""
    total = counts.total()
    assert set(counts) <= {item for item, p in distribution.items() if p}
    for item, p in distribution.items():
        deviation = math.sqrt(p * (1 - p) / total)
        assert abs(counts[item] / total - p) <= 4.5 * deviation + 1e-12, (item, counts[item], p)


@pytest.mark.parametrize("direction", ["l2r", "r2l"])
def test_edits_given_the_window(direction: str):
    parameters = english_parameters()
    edits = {}
    for item in drawn(direction):
        for edit in itertools.chain.from_iterable(item.edits):
            edits.setdefault((edit.a, edit.b), Counter())[edit.name] += 1
    for window, counts in edits.items():
        agree(counts, parameters.edits.get(window, {"keep": 1.0}))
    assert sum(edits[",", "."].values()) > 30


@pytest.mark.parametrize("direction", ["l2r", "r2l", "none"])
def test_underlying_and_surface_are_those_of_the_oracle(direction: str):
    marks = {"initial": direction != "l2r", "final": direction != "none"}
    parameters = replace(
        english_parameters(),
        initial_mark=marks["initial"],
        final_mark=marks["final"],
        direction=direction,
    )
    for item in generate(parameters, 150, seed=3):
        sentence = item.sentence
        assert list(item.underlying) == oracle.underlying_slots(
            sentence.tree.heads, item.pairs, marks["initial"], marks["final"]
        )
        for underlying, surface, rewriting in zip(
            item.underlying, sentence.slots, item.edits, strict=True
        ):
            paths = oracle.edit_paths(oracle.Channel(direction, parameters.edits), underlying)
            names = tuple(edit.name for edit in rewriting)
            assert (names, surface) in [(path[1], without_boundaries(path[2])) for path in paths]


def test_the_seed_decides():
    parameters = english_parameters()
    first = list(generate(parameters, 20, seed=1))
    assert first == list(generate(parameters, 20, seed=1))
    assert first[:5] == list(generate(parameters, 5, seed=1))
    assert first != list(generate(parameters, 20, seed=2))
    assert list(generate(parameters, 0, seed=1)) == []
