"""Comparisons of results with those of the enumeration, and other weights to compare."""

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
from semipunct.wording import quantity


def require(condition: Any, message: str) -> None:
    """Fail with a message unless a condition is true.

    Args:
        condition: the condition.
        message: the message if it is false.

    Raises:
        AssertionError: if it is false.
    """
    if not condition:
        raise AssertionError(message)


def expect_number(w: Weighted, computed: Any, expected: Any, description: str) -> None:
    """Fail unless numbers are close to the expected ones.

    Args:
        w: the case, whose precision determines the tolerance.
        computed: numbers.
        expected: numbers of the same shape.
        description: the name of the quantity.
    """
    numbers = np.asarray(computed, np.float64)
    np.testing.assert_allclose(numbers, expected, rtol=w.close, atol=w.close, err_msg=description)


def expect(
    w: Weighted, computed: jax.Array, answer: Callable[[Enumeration], float], description: str
) -> None:
    """Fail unless ``[batch]`` numbers agree with the enumeration and have the expected dtype.

    Args:
        w: the case.
        computed: the numbers.
        answer: computes the expected number from an enumeration.
        description: the name of the quantity.
    """
    expect_precision(w, computed, description)
    expect_number(w, computed, [answer(e) for _, e in w.each()], f"{description} of each item")


def expect_precision(w: Weighted, computed: Any, description: str) -> None:
    """Fail unless arrays have the precision of the log weights.

    Args:
        w: the case.
        computed: a pytree of arrays.
        description: the name of the quantity.
    """
    precisions = {str(x.dtype) for x in jax.tree.leaves(computed)}
    require(
        precisions == {str(w.dtype)},
        f"{description} is {sorted(precisions)}, the log weights are {w.dtype}",
    )


def expect_parts(
    w: Weighted, computed: Parts, answer: Callable[[int, Enumeration], np.ndarray], description: str
) -> None:
    """Fail unless arrays of parts agree with the enumeration, and are zero in padding.

    Args:
        w: the case.
        computed: the arrays.
        answer: maps an item and its enumeration to the entries of the item.
        description: the name of the quantity.
    """
    expect_precision(w, computed, description)
    for item, e in w.each():
        expect_number(
            w, w.flat(computed, item), answer(item, e), f"{description}, entries of item {item}"
        )
    inside = sum(np.abs(w.flat(computed, item)).sum() for item in w.items)
    everywhere = sum(np.abs(np.asarray(x, np.float64)).sum() for x in jax.tree.leaves(computed))
    np.testing.assert_allclose(
        everywhere, inside, rtol=1e-6, atol=1e-12, err_msg=f"{description}, beyond the items"
    )


def expect_same(computed: Any, expected: Any, description: str, tolerance: float = 1e-6) -> None:
    """Fail unless two pytrees hold the same numbers.

    Args:
        computed: one.
        expected: the other.
        description: the name of the quantity.
        tolerance: relative and absolute.
    """
    for x, y in zip(jax.tree.leaves(computed), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance, err_msg=description)


def ranks(w: Weighted, answer: Answer, item: int) -> list[int]:
    """Return the indices of the ranked derivations of an item in the enumeration.

    Args:
        w: the case.
        answer: derivations with a leading axis.
        item: the number of the item.
    """
    is_possible = np.asarray(answer.log_weight)[:, item] > -np.inf
    return w.enumerations[item].find(w.flat(answer.parts, item, axes=1)[is_possible]).tolist()


def expect_head(w: Weighted, answer: Answer, most: int) -> None:
    """Fail unless derivations are the best of the enumeration, in order without repetitions.

    Args:
        w: the case.
        answer: derivations, best first.
        most: the number requested; if there are fewer, all.
    """
    most = min(most, max(e.possible for _, e in w.each()))
    listed = int((np.asarray(answer.log_weight).max(1) > -np.inf).sum())
    require(listed == most, f"the list has {quantity(listed, 'derivation')} instead of {most}")
    answer = jax.tree.map(lambda x: x[:most], answer)
    for item, e in w.each():
        name = f"log weights of the list of item {item}"
        expect_number(w, answer.log_weight[:, item], e.ranking(most), name)
        places = ranks(w, answer, item)
        require(
            len(set(places)) == len(places) == min(most, e.possible),
            f"item {item} has {quantity(e.possible, 'derivation')}; the list has those numbered "
            f"{places}",
        )
        name = f"log weights of the parts listed for item {item}"
        expect_number(w, e.log_weight[places], e.ranking(most)[: len(places)], name)


def few(w: Weighted, most: int) -> Weighted:
    """Forbid parts so that every item has few derivations, and some item nearly ``most``.

    Args:
        w: the case whose parts are forbidden.
        most: the maximal number of derivations of an item.
    """
    rng = np.random.default_rng(7)
    weights = w.expanded.log_weights
    for item, e in w.each():
        possible = e.parts[e.log_weight > -np.inf] != 0
        usable = possible[0]
        for _ in range(200):
            more = usable | rng.choice(possible)
            if (~possible[:, ~more].any(1)).sum() <= most:
                usable = more
        flat = np.where(usable, w.flat(weights, item), -np.inf)
        weights = w.with_item(weights, item, flat)
    return w.weighing(weights)


def other_weights(w: Weighted) -> Weighted:
    """Return other weights that forbid only what these forbid."""

    def mixed(x: jax.Array, y: jax.Array) -> jax.Array:
        return jnp.where(x == -jnp.inf, x, jnp.where(y == -jnp.inf, 0.5, y))

    alternative = w.case.with_weights(w.base, 3)
    drawn = jax.tree.map(mixed, w.structure.log_weights, alternative.structure.log_weights)
    return w.weighing(drawn)


def lacking(w: Weighted) -> Weighted:
    """Forbid a part that only the item with the most derivations may use.

    Raises:
        AssertionError: if there is none.
    """
    used_by_rest = w.looked_at(set(w.items) - {w.fullest})
    marginals_of_item = w.with_item(w.zeros, w.fullest, w.enumerations[w.fullest].marginals)
    marginals = w.gather(marginals_of_item)
    leaves, treedef = jax.tree.flatten(w.structure.log_weights)
    for i, (shared, used) in enumerate(
        zip(jax.tree.leaves(used_by_rest), jax.tree.leaves(marginals), strict=True)
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
    """Fail unless the number of the item with the most derivations, and no other, is infinite.

    Args:
        w: the case.
        divergence: ``[batch]`` divergences of ``lacking`` from the case.
    """
    expected = [item == w.fullest for item in w.items]
    divergences = np.asarray(divergence)
    require(
        np.isinf(divergences).tolist() == expected and not np.isnan(divergences).any(),
        f"of item {w.fullest} one part is forbidden in the other; the divergences are "
        f"{divergences}",
    )
