"""Comparisons of answers with those of the enumeration, and other weights to compare."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.structures.base import Parts
from semipunct.structures.distribution import Answer
from semipunct.structures.testing.case import Weighted
from semipunct.structures.testing.enumeration import Enumeration
from semipunct.wording import counted


def require(condition: Any, message: str) -> None:
    """Fail with a message unless a condition is true.

    Args:
        condition: the condition.
        message: what is wrong if it is false.

    Raises:
        AssertionError: if it is false.
    """
    if not condition:
        raise AssertionError(message)


def expect_number(w: Weighted, got: Any, expected: Any, what: str) -> None:
    """Fail unless numbers are those expected.

    Args:
        w: what was asked; its precision is the tolerance.
        got: numbers.
        expected: numbers of the same shape.
        what: their name.
    """
    found = np.asarray(got, np.float64)
    np.testing.assert_allclose(found, expected, rtol=w.close, atol=w.close, err_msg=what)


def expect(w: Weighted, got: jax.Array, answer: Callable[[Enumeration], float], what: str) -> None:
    """Fail unless ``[batch]`` numbers are the enumeration's, as precise as the log weights.

    Args:
        w: what was asked.
        got: the numbers.
        answer: the enumeration's answer.
        what: the name of the question.
    """
    expect_precision(w, got, what)
    expect_number(w, got, [answer(e) for _, e in w.each()], f"{what} of each item")


def expect_precision(w: Weighted, got: Any, what: str) -> None:
    """Fail unless arrays are as precise as the log weights.

    Args:
        w: what was asked.
        got: a pytree of arrays.
        what: the name of the question.
    """
    found = {str(x.dtype) for x in jax.tree.leaves(got)}
    require(found == {str(w.dtype)}, f"{what} is {sorted(found)}, the log weights are {w.dtype}")


def expect_parts(
    w: Weighted, got: Parts, answer: Callable[[int, Enumeration], np.ndarray], what: str
) -> None:
    """Fail unless an array for each part is the enumeration's, and zero beyond all items.

    Args:
        w: what was asked.
        got: the arrays.
        answer: from an item and its enumeration to the item's entries.
        what: the name of the question.
    """
    expect_precision(w, got, what)
    for item, e in w.each():
        expect_number(w, w.flat(got, item), answer(item, e), f"{what}, entries of item {item}")
    inside = sum(np.abs(w.flat(got, item)).sum() for item in w.items)
    everywhere = sum(np.abs(np.asarray(x, np.float64)).sum() for x in jax.tree.leaves(got))
    np.testing.assert_allclose(
        everywhere, inside, rtol=1e-6, atol=1e-12, err_msg=f"{what}, beyond the items"
    )


def same(got: Any, expected: Any, what: str, tolerance: float = 1e-6) -> None:
    """Fail unless two pytrees hold the same numbers.

    Args:
        got: one.
        expected: the other.
        what: their name.
        tolerance: relative and absolute.
    """
    for x, y in zip(jax.tree.leaves(got), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance, err_msg=what)


def ranks(w: Weighted, answer: Answer, item: int) -> list[int]:
    """Find an item's ranked derivations, all that there are, in the enumeration.

    Args:
        w: what was asked.
        answer: derivations with a leading axis.
        item: the number of the item.
    """
    there = np.asarray(answer.log_weight)[:, item] > -np.inf
    return w.enumerations[item].find(w.flat(answer.parts, item, axes=1)[there]).tolist()


def expect_head(w: Weighted, answer: Answer, most: int) -> None:
    """Fail unless an answer is the head of the sorted enumeration, without repetitions.

    Args:
        w: what was asked.
        answer: derivations, best first.
        most: how many were asked for; if there are fewer, all.
    """
    most = min(most, max(e.possible for _, e in w.each()))
    listed = int((np.asarray(answer.log_weight).max(1) > -np.inf).sum())
    require(listed == most, f"the list has {counted(listed, 'derivation')} instead of {most}")
    answer = jax.tree.map(lambda x: x[:most], answer)
    for item, e in w.each():
        name = f"log weights of the list of item {item}"
        expect_number(w, answer.log_weight[:, item], e.ranked(most), name)
        places = ranks(w, answer, item)
        require(
            len(set(places)) == len(places) == min(most, e.possible),
            f"item {item} has {counted(e.possible, 'derivation')}; the list has those numbered "
            f"{places}",
        )
        name = f"log weights of the parts listed for item {item}"
        expect_number(w, e.log_weight[places], e.ranked(most)[: len(places)], name)


def few(w: Weighted, most: int) -> Weighted:
    """Forbid parts, so that every item has few derivations left, and some item nearly ``most``.

    Args:
        w: what to take parts from.
        most: the most derivations of an item.
    """
    rng = np.random.default_rng(7)
    weights = w.expanded.log_weights
    for item, e in w.each():
        possible = e.parts[e.log_weight > -np.inf] != 0
        kept = possible[0]
        for _ in range(200):
            more = kept | rng.choice(possible)
            if (~possible[:, ~more].any(1)).sum() <= most:
                kept = more
        flat = np.where(kept, w.flat(weights, item), -np.inf)
        weights = w.with_item(weights, item, flat)
    return w.weighing(weights)


def other_weights(w: Weighted) -> Weighted:
    """Return other weights that forbid only what these forbid."""

    def mixed(x: jax.Array, y: jax.Array) -> jax.Array:
        return jnp.where(x == -jnp.inf, x, jnp.where(y == -jnp.inf, 0.5, y))

    other = w.case.weighted(w.base, 3)
    drawn = jax.tree.map(mixed, w.structure.log_weights, other.structure.log_weights)
    return w.weighing(drawn)


def lacking(w: Weighted) -> Weighted:
    """Return the same without a part that the fullest item, and no other, may use.

    Raises:
        AssertionError: if there is none.
    """
    others = w.looked_at(set(w.items) - {w.fullest})
    mine = w.with_item(w.zeros, w.fullest, w.enumerations[w.fullest].marginals)
    marginals = w.gathered(mine)
    leaves, treedef = jax.tree.flatten(w.structure.log_weights)
    for i, (shared, used) in enumerate(
        zip(jax.tree.leaves(others), jax.tree.leaves(marginals), strict=True)
    ):
        places = np.argwhere(~shared & (np.asarray(used) > 0.01) & (np.asarray(used) < 0.99))
        if len(places):
            leaves[i] = leaves[i].at[tuple(places[0])].set(-jnp.inf)
            return w.weighing(jax.tree.unflatten(treedef, leaves))
    raise AssertionError(
        f"{w.case.name}: no part that only item {w.fullest} uses is neither certain nor forbidden; "
        "give the case a larger item, with log weights of its own"
    )


def expect_infinite(w: Weighted, divergence: jax.Array) -> None:
    """Fail unless the fullest item's number is infinite, and no other.

    Args:
        w: what was asked.
        divergence: ``[batch]`` of ``lacking`` from it.
    """
    expected = [item == w.fullest for item in w.items]
    found = np.asarray(divergence)
    require(
        np.isinf(found).tolist() == expected and not np.isnan(found).any(),
        f"of item {w.fullest} one part is forbidden in the other; the divergences are {found}",
    )
