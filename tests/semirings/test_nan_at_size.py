"""NaN is kept in arrays of thousands of entries, too, where XLA's maxima on CPUs lose it."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.structures import Distribution, linear_chain
from semirings import Derivation, KBest, Semiring, Tropical, Viterbi
from semirings.laws import check
from semirings.numerics import first_largest, maximum

ROWS, COLUMNS, PLACE = 1_000, 9, 4
"""With 200 rows XLA keeps every NaN."""


def weights(dtype: Any = np.float32) -> tuple[np.ndarray, np.ndarray]:
    """Return log weights, every third row with a NaN, and which rows these are."""
    values = np.random.default_rng(0).normal(size=(ROWS, COLUMNS)).astype(dtype)
    spoilt = np.arange(ROWS) % 3 == 0
    values[spoilt, PLACE] = np.nan
    return values, spoilt


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
def test_maxima_and_their_places(axis: int, compiled: bool):
    values, spoilt = weights()
    values = np.moveaxis(values, 1, axis)
    run = jax.jit if compiled else lambda function: function
    most = np.asarray(run(lambda a: maximum(a, axis))(values))
    place = np.asarray(run(lambda a: first_largest(a, axis))(values))
    np.testing.assert_array_equal(most, np.max(values, axis))
    np.testing.assert_array_equal(place, np.argmax(values, axis))
    np.testing.assert_array_equal(np.isnan(most), spoilt)


def test_maxima_of_integers():
    assert maximum(jnp.array([[3, 5], [7, 2]]), 1).tolist() == [5, 7]


@pytest.mark.parametrize("semiring", [Viterbi(), Tropical()], ids=repr)
def test_sums_and_products(semiring: Semiring):
    values, spoilt = weights()
    lifted = semiring.lift(jnp.asarray(values))
    total = semiring.log_weight(semiring.sum(lifted, 1))
    np.testing.assert_array_equal(np.isnan(total), spoilt)
    finite = semiring.lift(jnp.asarray(np.nan_to_num(values)))
    for left, right in ((lifted, finite), (finite, lifted)):
        is_nan = np.isnan(semiring.log_weight(semiring.plus(left, right)))
        np.testing.assert_array_equal(is_nan, np.isnan(values))
    columns = jax.tree.map(lambda x: jnp.swapaxes(x[:2], 0, 1), finite)
    product = np.isnan(semiring.log_weight(semiring.matmul(lifted, columns)))
    np.testing.assert_array_equal(product, np.stack([spoilt, spoilt], 1))


@pytest.mark.parametrize("semiring", [Viterbi(), Tropical(), Derivation(), KBest(2)], ids=repr)
def test_the_law_holds_for_as_many_draws_as_users_make(semiring: Semiring):
    check(semiring, only=["NaN"]).raise_if_failed()


def test_answers_about_many_chains():
    emission = np.random.default_rng(0).normal(size=(64, 6, 9)).astype(np.float32)
    emission[::2, 2, 3] = np.nan
    key = jax.random.key(0)

    @jax.jit
    def answers(emission: jax.Array) -> Any:
        chains = Distribution(linear_chain(emission, jnp.zeros((9, 9))))
        return {
            "best": jnp.sum(chains.argmax_parts().emission, (1, 2)),
            "first": chains.top_k(2)[1][0],
            "second": chains.top_k(2)[1][1],
            "drawn": jnp.sum(chains.sample_parts(key).emission, (1, 2)),
            "log partition": chains.log_partition(),
        }

    for name, answer in answers(emission).items():
        assert np.isnan(answer).tolist() == [True, False] * 32, name
