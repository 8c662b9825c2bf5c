"""Weighted relations of sparse machines by enumeration of their paths, in plain Python."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np

from semipunct.structures.sparse_automata import SparseTransducer

Pair = tuple[tuple[int, ...], tuple[int, ...]]


def arguments_of(machine: SparseTransducer) -> dict[str, Any]:
    """Return the lists that a machine of log weights consists of."""
    names = ("sources", "inputs", "outputs", "targets", "starts", "finals")
    weights = ("weights", "start_weights", "final_weights")
    return {name: np.asarray(getattr(machine, name)).tolist() for name in names + weights}


def relation(arguments: Mapping[str, Any], longest: int = 12) -> dict[Pair, float]:
    """Return the weight of each pair of strings: the sum over the paths of bounded length."""
    a = arguments
    arcs = list(zip(a["sources"], a["inputs"], a["outputs"], a["targets"], a["weights"]))  # noqa: B905
    ends = dict(zip(a["finals"], a["final_weights"], strict=True))
    weights: defaultdict[Pair, float] = defaultdict(float)
    prefixes = [
        (state, (), (), math.exp(weight))
        for state, weight in zip(a["starts"], a["start_weights"], strict=True)
    ]
    for _ in range(longest + 1):
        further: list[Any] = []
        for state, read, written, weight in prefixes:
            if state in ends:
                weights[read, written] += weight * math.exp(ends[state])
            for source, x, y, target, log_weight in arcs:
                if source == state:
                    pair = (*read, x) if x else read, (*written, y) if y else written
                    further.append((target, *pair, weight * math.exp(log_weight)))
        prefixes = further
    return {pair: weight for pair, weight in weights.items() if weight}


def joined(first: Mapping[Pair, float], second: Mapping[Pair, float]) -> dict[Pair, float]:
    """Return the composition of two relations."""
    weights: defaultdict[Pair, float] = defaultdict(float)
    for (x, y), weight in first.items():
        for (z, w), other in second.items():
            if y == z:
                weights[x, w] += weight * other
    return weights


def same(machine: SparseTransducer, expected: Mapping[Pair, float], longest: int = 12) -> None:
    """Assert that a machine of log weights has a relation."""
    found = relation(arguments_of(machine), longest)
    assert found.keys() == {pair for pair, weight in expected.items() if weight}
    for pair, weight in found.items():
        assert math.isclose(weight, expected[pair], rel_tol=1e-4), (pair, weight, expected[pair])
