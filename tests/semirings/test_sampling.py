"""Samples follow the weights: the reverse pass draws one derivation in proportion."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp
import numpy as np
from scipy import stats

from semirings import Sampling, Value

S = Sampling()


def at(a: Value, *index: int) -> Value:
    return jax.tree.map(lambda x: x[jnp.array(index)] if len(index) > 1 else x[index[0]], a)


WEIGHTS = (0.5, 1.0, 2.0, 0.25, 3.0, 0.0)


def test_choices_of_one_sample_share_no_bits():
    """A product of sums of sums: each two of 16 choices among 8 are independent."""
    factors, inner, outer, draws = 8, 8, 8, 4096

    def total(feature: jax.Array) -> Value:
        lifted = S.lift(jnp.zeros(feature.shape), feature)
        return S.prod(S.sum(S.sum(lifted, 2), 1), 0)

    @jax.jit
    def pulled(seeds: Value) -> jax.Array:
        pull = jax.vjp(total, jnp.zeros((factors, outer, inner)))[1]
        return jax.vmap(lambda seed: pull(seed)[0])(seeds)

    marks = np.asarray(pulled(S.seed(jax.random.key(5), (draws,))))
    np.testing.assert_array_equal(marks.sum((2, 3)), 1.0)
    choices = np.concatenate([marks.sum(3).argmax(2), marks.sum(2).argmax(2)], 1)
    assert choices.shape == (draws, 2 * factors)
    uniform = [stats.chisquare(np.bincount(x, minlength=8)).pvalue for x in choices.T]
    pairs = [
        stats.chi2_contingency(np.bincount(x * 8 + y, minlength=64).reshape(8, 8)).pvalue
        for x, y in itertools.combinations(choices.T, 2)
    ]
    for pvalues in (uniform, pairs):
        assert min(pvalues) > 1e-3 / len(pvalues)
        assert stats.kstest(pvalues, "uniform").pvalue > 1e-3


def test_floats_of_64_bits_draw_the_same():
    """Double-precision weights are combined with neutral elements in single precision."""

    def draw(dtype: str) -> jax.Array:
        weights = jnp.log(jnp.array(WEIGHTS, dtype))

        def total(feature: jax.Array) -> Value:
            value = S.lift(weights, feature)
            first = S.times(S.plus(S.sum(at(value, 0, 1, 2), 0), S.zeros(())), S.ones(()))
            return S.times(first, S.sum(at(value, 3, 4), 0))

        @jax.jit
        def marks(key: jax.Array) -> jax.Array:
            value, pull = jax.vjp(total, jnp.zeros(len(WEIGHTS), dtype))
            assert value.weight.dtype == dtype
            seeds = S.seed(key, (300,), value.weight.dtype)
            return jax.vmap(lambda seed: pull(seed)[0])(seeds)

        return marks(jax.random.key(4))

    single = draw("float32")
    with jax.enable_x64(True):
        double = draw("float64")
    assert double.dtype == "float64"
    np.testing.assert_array_equal(double, single)
    assert set(single.sum(1).tolist()) == {2.0}


def test_the_same_key_draws_the_same():
    @jax.jit
    def draw(key: jax.Array) -> jax.Array:
        def total(feature: jax.Array) -> Value:
            return S.sum(S.lift(jnp.log(jnp.array(WEIGHTS)), feature), 0)

        _, pull = jax.vjp(total, jnp.zeros(len(WEIGHTS)))
        return jax.vmap(lambda seed: pull(seed)[0])(S.seed(key, (50,))).argmax(1)

    first, again, drawn_otherwise = (draw(jax.random.key(key)).tolist() for key in (1, 1, 2))
    assert first == again
    assert first != drawn_otherwise


def test_an_impossible_total_has_weight_zero():
    zero = S.sum(S.zeros((3,)), 0)
    assert S.log_weight(zero) == -np.inf
