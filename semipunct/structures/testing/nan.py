"""Checks that NaN weights give NaN, in their item only, and that padding may be NaN."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.structures.base import Parts
from semipunct.structures.testing import questions
from semipunct.structures.testing.answers import Check
from semipunct.structures.testing.case import Weighted
from semipunct.structures.testing.comparisons import expect_same, other_weights, require


def _numbers(w: Weighted, second: Weighted) -> dict[str, Any]:
    """Return numeric results with an axis of items, by name; the axis is the last."""
    sums, averages = questions.sums(w), questions.averages(w, second)
    return {
        "log partition": sums.log_partition,
        "log partition without marginals": sums.alone,
        "log weight of the best": questions.best(w).log_weight,
        "log weights of draws": questions.draws(w, 1).log_weight,
        **averages._asdict(),
    }


def _derivations(w: Weighted) -> dict[str, tuple[Parts, int]]:
    """Return results shaped like the parts, by name, each with the number of leading axes."""
    return {
        "marginals": (questions.sums(w).marginals, 0),
        "parts of the best": (questions.best(w).parts, 0),
        "parts of draws": (questions.draws(w, 1).parts, 1),
    }


def nan(w: Weighted) -> None:
    """Check that all results of an item with a NaN weight are NaN, those of others unchanged."""
    second_weights = w.ask(other_weights)
    before, parts_before = _numbers(w, second_weights), _derivations(w)
    changed = _with_one_nan(w)
    parts_after = _derivations(changed)
    for name, after in _numbers(changed, second_weights).items():
        for item in w.items:
            x, y = np.asarray(after)[..., item], np.asarray(before[name])[..., item]
            if item == w.fullest:
                require(np.isnan(x).all(), f"{name} of item {item}, with a NaN weight: {x}")
            else:
                expect_same(x, y, f"{name} of item {item}, with a NaN weight in item {w.fullest}")
    for name, (after, axes) in parts_after.items():
        for item in w.items:
            x, y = (w.flat(z, item, axes) for z in (after, parts_before[name][0]))
            if item == w.fullest:
                require(np.isnan(x).any(-1).all(), f"{name} of item {item} hide a NaN weight")
            else:
                expect_same(x, y, f"{name} of item {item}, with a NaN weight in item {w.fullest}")


def _with_one_nan(w: Weighted) -> Weighted:
    """Return the case with one weight NaN that item ``fullest`` uses, and no other."""
    remaining_items = set(w.items) - {w.fullest}
    for weights in (w, w.weighing(w.expanded.log_weights)):
        alone = jax.tree.map(
            lambda x, y: x & ~y, weights.looked_at([w.fullest]), weights.looked_at(remaining_items)
        )
        leaves, treedef = jax.tree.flatten(alone)
        for number, leaf in enumerate(leaves):
            if leaf.any():
                values = list(jax.tree.leaves(weights.structure.log_weights))
                place = tuple(np.argwhere(leaf)[0].tolist())
                values[number] = values[number].at[place].set(jnp.nan)
                return weights.weighing(treedef.unflatten(values))
    raise AssertionError("no weight is used by one item alone; give the case such a weight")


def nan_in_padding(w: Weighted) -> None:
    """Check that padding may be NaN, without any effect on results or gradients."""
    # Padding are rows (of positions, for example) of which no derivation uses any entry, and of
    # which the case forbids none.
    uniform = w.case.uniform(w.base)
    used = jax.tree.map(
        lambda x, y: (x | y).any(tuple(range(2, x.ndim)), keepdims=True),
        uniform.looked_at(w.items),
        uniform.forbidden,
    )

    def padded(x: Weighted) -> Weighted:
        weights = x.structure.log_weights
        return x.weighing(jax.tree.map(lambda a, b: jnp.where(b, a, jnp.nan), weights, used))

    second_weights = w.ask(other_weights)
    changed, other_changed = padded(w), padded(second_weights)
    expect_same(questions.sums(changed), w.ask(questions.sums), "sums, with NaN as padding")
    expect_same(questions.best(changed), w.ask(questions.best), "the best, with NaN as padding")
    expect_same(
        questions.draws(changed, 1), w.ask(questions.draws, 1), "draws, with NaN as padding"
    )
    computed = questions.averages(changed, other_changed)
    expect_same(
        computed, w.ask(questions.averages, second_weights), "averages, with NaN as padding"
    )


NAN: Mapping[str, Check] = {"NaN": nan, "NaN in padding": nan_in_padding}
"""Checks by name."""
