"""The table of `semirings.tropical`, row by row, in value and gradient."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semirings import Viterbi
from semirings.tropical import Tropical

INF = np.inf
S = Tropical()
ROWS = [
    (S.plus, (2.0, 2.0), 2.0, (1, 0)),
    (S.plus, (3.0, 2.0), 2.0, (0, 1)),
    (S.plus, (INF, INF), INF, (1, 0)),
    (S.plus, (INF, 2.0), 2.0, (0, 1)),
    (S.times, (2.0, 3.0), 5.0, (1, 1)),
    (S.times, (INF, 2.0), INF, (1, 1)),
    (S.times, (INF, -INF), INF, (1, 1)),
    (S.times, (-INF, INF), INF, (1, 1)),
    (S.times, (-INF, 2.0), -INF, (1, 1)),
    (S.star, (0.0,), 0.0, (0,)),
    (S.star, (2.0,), 0.0, (0,)),
    (S.star, (INF,), 0.0, (0,)),
    (S.star, (-2.0,), -INF, (0,)),
    (S.lift, (-INF,), INF, (-1,)),
    (S.log_weight, (INF,), -INF, (-1,)),
]


@pytest.mark.parametrize("operation, arguments, value, gradient", ROWS)
def test_the_table(
    operation: Callable[..., jax.Array],
    arguments: tuple[float, ...],
    value: float,
    gradient: tuple[float, ...],
):
    output, slopes = jax.value_and_grad(operation, tuple(range(len(arguments))))(*arguments)
    assert output == value
    assert slopes == gradient


@pytest.mark.parametrize(
    "costs, value, gradient",
    [
        ([INF, 2.0, 2.0], 2.0, [0, 1, 0]),
        ([2.0, -INF, 3.0], -INF, [0, 1, 0]),
        ([INF, INF, INF], INF, [1, 0, 0]),
        ([3.0, 1.0, 2.0], 1.0, [0, 1, 0]),
    ],
)
def test_sums(costs: list[float], value: float, gradient: list[float]):
    a = jnp.array(costs)
    total, slopes = jax.value_and_grad(lambda x: S.sum(x, 0))(a)
    assert total == value
    np.testing.assert_array_equal(slopes, gradient)
    shares = np.array(gradient) * (value < INF)
    np.testing.assert_array_equal(S.shares(a, 0), shares)


def test_it_is_viterbi_upside_down():
    """All operations on random costs, with zeros and ties among them."""
    generator = np.random.default_rng(0)
    weights = generator.integers(-3, 4, (4, 3, 3)).astype(np.float32)
    weights[generator.random(weights.shape) < 0.2] = -INF
    v, w = Viterbi(), jnp.asarray(weights)

    @partial(jax.jit, static_argnums=0)
    def operations(s: Tropical | Viterbi, w: jax.Array) -> list[jax.Array]:
        a = s.lift(w)
        values = s.matmul(a, a), s.prod(a, 0), s.sum(a, 1), s.star(a)
        return [*map(s.log_weight, values), s.select(a, -1), s.shares(a, -1)]

    for cost, expected in zip(operations(S, w), operations(v, w), strict=True):
        np.testing.assert_array_equal(cost, expected)
