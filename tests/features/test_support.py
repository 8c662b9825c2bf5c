"""Features have weights for outcomes that they occur with, or may occur with."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest

from semipunct.features.support import Support
from semipunct.features.templates import TABLES
from semipunct.marks import OPEN, is_symmetric
from tests.models.punctuation.cases import TRAINING, model

TEMPLATES = ("N", "L", "R", "S", "side", "history")


def parts(m, string):
    """Return the labels that are substrings of a string; also the open one if it is no label."""
    n = len(string)
    label_strings = {string[i:j] for i in range(n + 1) for j in range(i, n + 1)} & {
        *m.inventory.labels
    }
    return label_strings if string in label_strings else {*label_strings, (OPEN,)}


def outcomes_of(m, sentence, word):
    """Return the possible underlying outcomes of one word, as (target, outcome)."""
    left, right = (
        parts(m, sentence.slots[edges[word]]) for edges in (sentence.tree.left, sentence.tree.right)
    )
    label = {x: i for i, x in enumerate(m.inventory.labels)}
    names = [m.inventory.pair_name(p) for p in range(len(m.inventory.pairs))]
    pairs = [p for p in product(left, right) if p in names]
    mirrored = any(is_symmetric(*p) for p in pairs)
    outcomes = {("pair", names.index(p)) for p in pairs}
    for target, side in zip(
        ("left", "right", "opening", "closing"), (left, right) * 2, strict=True
    ):
        outcomes |= {(target, label[x]) for x in side}
    for target in ("symmetric", "closing_symmetric"):
        outcomes |= {(target, 0)} if mirrored else set()
    return outcomes


@pytest.mark.parametrize("minimum", [0, 1, 3])
def test_by_counting(minimum):
    m = model("l2r", templates=TEMPLATES, minimum_outcome_count=minimum)
    nodes = [(s, w) for s in TRAINING for w in range(s.tree.words)]
    seen, often, total = Counter(), Counter(), Counter()
    rows = m.features.extract(TRAINING)
    for node, (sentence, word) in enumerate(nodes):
        possible = outcomes_of(m, sentence, word)
        total.update(possible)
        for table, r in rows.items():
            for feature in r.context[r.start[node] : r.start[node + 1]].tolist():
                often[table, feature] += 1
                seen.update((table, feature, *x) for x in possible)
    for family in m.features.conjunctions:
        columns, support = m.attach_tables.columns[family.table], m.supports[family.table]
        for feature in range(family.offset, family.offset + len(family.kept)):
            expected = {
                span.start + outcome
                for target, span in columns.items()
                for outcome in range(span.stop - span.start)
                if target in family.targets
                and (
                    seen[family.table, feature, target, outcome] >= minimum
                    or often[family.table, feature] * total[target, outcome] / len(nodes) >= minimum
                )
            }
            _, numbers, outcomes = support.of(np.array([feature]))
            assert outcomes.tolist() == sorted(expected)
            assert numbers.tolist() == list(range(*support.start[feature : feature + 2]))
    assert set(m.supports) == set(TABLES)


def test_a_table_written_out():
    support = Support(np.array([0, 2, 2, 3]), np.array([0, 2, 1], np.int32), 3)
    support.check()
    weights = np.array([1.0, 2.0, 3.0], np.float32)
    np.testing.assert_array_equal(support.table(weights), [[1, 0, 2], [0, 0, 0], [0, 3, 0]])
    counts, numbers, outcomes = support.of(np.array([2, 1, 0]))
    assert (counts.tolist(), numbers.tolist(), outcomes.tolist()) == (
        [1, 0, 2],
        [2, 0, 1],
        [1, 0, 2],
    )


@pytest.mark.parametrize(
    "outcome, message",
    [
        ([2, 0, 1], "ascending"),
        ([0, 0, 1], "ascending"),
        ([0, 3, 1], "out of range"),
        ([0, 2], "does not match the features"),
    ],
)
def test_outcomes_that_do_not_fit(outcome, message):
    with pytest.raises(ValueError, match=message):
        Support(np.array([0, 2, 2, 3]), np.array(outcome, np.int32), 3).check()
