"""Comparisons of the library's answers with those of the enumeration, and weights to compare."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.structures import Answer
from tests.structures.enumeration import Enumeration
from tests.structures.questions import Weighted, weighted


def items(w: Weighted) -> Iterator[tuple[int, Enumeration]]:
    yield from enumerate(w.enumerations)


def expect(w: Weighted, got: jax.Array, answer: Any, **tolerance: float) -> None:
    """Fail unless `[batch]` numbers are the enumeration's."""
    expected = [answer(e) for _, e in items(w)]
    np.testing.assert_allclose(got, expected, **(tolerance or w.close))


def expect_parts(w: Weighted, got: Any, answer: Any, **tolerance: float) -> None:
    """Fail unless an array for each part is the enumeration's, and zero beyond all items."""
    for item, e in items(w):
        np.testing.assert_allclose(w.flat(got, item), answer(item, e), **(tolerance or w.close))
    inside = sum(np.abs(w.flat(got, item)).sum() for item, _ in items(w))
    everywhere = sum(np.abs(np.asarray(x, np.float64)).sum() for x in jax.tree.leaves(got))
    assert everywhere == pytest.approx(inside)


def same(got: Any, expected: Any, tolerance: float = 1e-6) -> None:
    for x, y in zip(jax.tree.leaves(got), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance)


def ranks(w: Weighted, answer: Answer, item: int) -> np.ndarray:
    """The places in the enumeration of an item's ranked derivations, all that there are."""
    there = np.asarray(answer.log_weight)[:, item] > -np.inf
    return w.enumerations[item].find(w.flat(answer.parts, item, axes=1)[there])


def expect_head(w: Weighted, answer: Answer, most: int) -> None:
    """Fail unless an answer is the head of the sorted enumeration, without repetitions."""
    most = min(most, max(e.possible for _, e in items(w)))
    there = np.asarray(answer.log_weight).max(1) > -np.inf
    assert there.sum() == most
    answer = jax.tree.map(lambda x: x[:most], answer)
    for item, e in items(w):
        np.testing.assert_allclose(answer.log_weight[:, item], e.ranked(most), **w.close)
        places = ranks(w, answer, item)
        assert len(set(places)) == len(places) == min(most, e.possible)
        np.testing.assert_allclose(e.log_weight[places], e.ranked(most)[: len(places)], **w.close)


@cache
def other_weights(p: Weighted) -> Weighted:
    """Other weights that forbid only what these forbid."""

    def mixed(x: jax.Array, y: jax.Array) -> jax.Array:
        return jnp.where(x == -jnp.inf, x, jnp.where(y == -jnp.inf, 0.5, y))

    drawn = jax.tree.map(mixed, p.structure.log_weights, weighted(p.case, 3).structure.log_weights)
    return p.weighing(drawn)


def fullest(w: Weighted) -> int:
    """The item with most derivations."""
    return int(np.argmax([e.possible for _, e in items(w)]))


def lacking(p: Weighted) -> Weighted:
    """The same without a part that the fullest item, and no other, may use."""
    full = fullest(p)
    others = p.looked_at(set(p.items) - {full})
    zero = jax.tree.map(np.zeros_like, p.expanded.log_weights)
    mine = p.with_item(zero, full, p.enumerations[full].marginals)
    marginals = p.gathered(jax.tree.map(jnp.asarray, mine))
    leaves, treedef = jax.tree.flatten(p.structure.log_weights)
    for i, (shared, used) in enumerate(
        zip(jax.tree.leaves(others), jax.tree.leaves(marginals), strict=True)
    ):
        places = np.argwhere(~shared & (np.asarray(used) > 0.01) & (np.asarray(used) < 0.99))
        if len(places):
            leaves[i] = leaves[i].at[tuple(places[0])].set(-jnp.inf)
            break
    return p.weighing(jax.tree.unflatten(treedef, leaves))


def expect_infinite(p: Weighted, divergence: jax.Array) -> None:
    """Fail unless the fullest item's number is infinite, and no other."""
    assert list(np.isinf(divergence)) == [item == fullest(p) for item in p.items]
    assert not np.isnan(divergence).any()
