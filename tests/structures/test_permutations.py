"""Permutations compared with enumerated orders, and with sums in closed form."""

from __future__ import annotations

import itertools
import math
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.errors import UsageError
from semipunct.structures import Distribution, linear_orderings
from semipunct.structures.extending import LinearOrderings, OrderingParts

BATCH, ITEMS = 3, 5


@jax.jit
def ask(structure: LinearOrderings) -> tuple[Any, ...]:
    d = Distribution(structure)
    return d.log_partition(), d.marginals().precedence, d.argmax_parts().precedence


@partial(jax.jit, static_argnums=1)
def draw(structure: LinearOrderings, count: int) -> OrderingParts:
    return Distribution(structure).sample_parts(jax.random.key(4), count)


def listed(weights: np.ndarray, items: int) -> dict[tuple[int, ...], float]:
    """Return the log weight of every order."""
    return {
        order: sum(float(weights[pair]) for pair in itertools.combinations(order, 2))
        for order in itertools.permutations(range(items))
    }


def test_three_items_written_out():
    """Six orders; 0 before 1 weighs 2, 1 before 2 weighs 3, 2 before 0 weighs 5, all else 1."""
    weights = np.zeros((1, 3, 3), np.float32)
    weights[0, 0, 1], weights[0, 1, 2], weights[0, 2, 0] = np.log([2, 3, 5])
    # 012: 2 * 1 * 3, 021: 2 * 1 * 1, 102: 1 * 3 * 1, 120: 3 * 1 * 5, 201: 5 * 1 * 2, 210: 5
    total, marginals, best = ask(linear_orderings(jnp.asarray(weights)))
    assert total[0] == pytest.approx(math.log(6 + 2 + 3 + 15 + 10 + 5), rel=1e-6)
    assert marginals[0, 0, 1] == pytest.approx((6 + 2 + 10) / 41, rel=1e-5)
    assert marginals[0, 2, 0] == pytest.approx((15 + 10 + 5) / 41, rel=1e-5)
    assert tuple(np.argsort(-best[0].sum(-1))[:3].tolist()) == (1, 2, 0)


@given(st.integers(0, 10_000), st.lists(st.integers(0, ITEMS), min_size=BATCH, max_size=BATCH))
def test_sums_and_the_best_are_those_of_all_orders(seed: int, lengths: list[int]):
    generator = np.random.default_rng(seed)
    weights = generator.normal(0, 2, (BATCH, ITEMS, ITEMS)).astype(np.float32)
    # Entries beyond an item and on the diagonal must not matter.
    weights[:, np.arange(ITEMS), np.arange(ITEMS)] = 50
    total, marginals, best = ask(linear_orderings(jnp.asarray(weights), jnp.array(lengths)))
    for item, length in enumerate(lengths):
        orders = listed(weights[item], length)
        assert total[item] == pytest.approx(np.logaddexp.reduce(list(orders.values())), abs=1e-4)
        expected = np.zeros((ITEMS, ITEMS))
        for order, weight in orders.items():
            for pair in itertools.combinations(order, 2):
                expected[pair] += math.exp(weight - float(total[item]))
        np.testing.assert_allclose(marginals[item], expected, atol=1e-3)
        first = np.argsort(-best[item].sum(-1))[:length]
        assert tuple(first.tolist()) == max(orders, key=orders.__getitem__)


@pytest.mark.parametrize("items", [1, 2, 12])
def test_inversions_have_a_closed_form(items: int):
    """With q for each inversion the sum is (1)(1 + q)(1 + q + q^2)... (Mallows 1957)."""
    q = 0.7
    weights = np.tril(np.full((items, items), math.log(q), np.float32), -1)[None]
    structure = linear_orderings(jnp.asarray(weights))
    log_sum = jax.jit(lambda x: Distribution(x).log_partition())(structure)
    exact = sum(math.log(sum(q**i for i in range(n))) for n in range(1, items + 1))
    assert log_sum[0] == pytest.approx(exact, rel=1e-5, abs=1e-6)


def test_an_order_that_is_forced_is_drawn():
    """Minus infinity above the diagonal leaves only the reverse order."""
    weights = jnp.where(jnp.triu(jnp.ones((4, 4)), 1) > 0, -jnp.inf, 0.0)[None]
    d = Distribution(linear_orderings(weights, jnp.array([3])))
    drawn = d.sample(jax.random.key(4), 2)
    assert drawn[:, 0, :3].tolist() == [[2, 1, 0]] * 2
    assert d.unnormalized_log_prob(drawn).tolist() == [[0.0], [0.0]]


def test_items_without_any_order_have_none():
    weights = jnp.full((1, 2, 2), -jnp.inf)
    assert not draw(linear_orderings(weights), 1).precedence.any()


@pytest.mark.parametrize(
    "weights, lengths, message",
    [
        (np.zeros((1, 2, 3)), None, "they differ in the axis|shape"),
        (np.zeros((1, 17, 17)), None, "17 items have too many subsets to sum over; .* 16"),
        (np.full((1, 2, 2), np.nan), None, r"precedence\[0, 0, 1\] is nan"),
        (np.zeros((1, 2, 2)), [3], r"lengths\[0\] is 3"),
        (np.zeros((2, 2, 2)), [1], "differ in the axis 'batch'"),
    ],
)
def test_wrong_arguments_are_refused(weights: np.ndarray, lengths: Any, message: str):
    with pytest.raises(UsageError, match=message):
        linear_orderings(
            jnp.asarray(weights, jnp.float32), None if lengths is None else jnp.array(lengths)
        )


@pytest.mark.parametrize("shift", [300.0])
def test_weights_of_any_size_are_as_precise(shift: float):
    """A constant shared by all orders does not affect the result."""
    weights = np.random.default_rng(1).normal(size=(1, ITEMS, ITEMS)).astype(np.float32)
    moved = (weights + np.float32(shift)).astype(np.float32)
    moved_back = moved - np.float32(shift)  # within the precision of the sum
    sums, expected = (ask(linear_orderings(jnp.asarray(x)))[1] for x in (moved, moved_back))
    np.testing.assert_allclose(sums, expected, atol=1e-6)


def test_narrow_lengths():
    weights = jnp.ones((1, 12, 12))
    orderings = linear_orderings(weights, jnp.array([12], jnp.int8))
    (total,) = jax.jit(lambda x: Distribution(x).log_partition())(orderings)
    assert total == pytest.approx(66 + math.log(math.factorial(12)), rel=1e-6)
