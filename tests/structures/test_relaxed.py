"""Choices under noise against what is known of single choices; temperatures and hard choices."""

from __future__ import annotations

import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.errors import UsageError
from semipunct.structures import (
    Distribution,
    linear_chain,
    nonprojective_trees,
    perturb,
    perturb_and_map,
    perturbed_best,
    perturbed_loss,
    projective_trees,
    sparsemap,
    straight_through,
    temper,
)
from tests.structures.cases import CASES

WEIGHTS = jnp.array([[0.5, -0.2, -jnp.inf, 0.3], [0.0, 1.0, -1.0, -2.0]])
"""Of two choices between four; one is forbidden."""
SCALE, DRAWS = 0.7, 40_000


def _choice(weights: jax.Array) -> Distribution[Any]:
    """Return chains of one position, the second of which is padding."""
    emission = jnp.stack([weights, jnp.full_like(weights, jnp.nan)], 1)
    return Distribution(linear_chain(emission, jnp.zeros((4, 4)), jnp.array([1, 1])))


def _slopes(key: jax.Array, noise: Any) -> Any:
    """Return mean parts, mean maxima and Jacobians of both."""

    def of(weights: jax.Array) -> Any:
        answer = perturbed_best(_choice(weights), key, DRAWS, SCALE, noise, together=DRAWS)
        return (answer.parts.emission[:, 0], answer.log_weight), answer

    slopes, answer = jax.jacrev(of, has_aux=True)(WEIGHTS)
    return answer, slopes


@pytest.mark.exhaustive
def test_gumbel_noise_of_one_choice_is_a_softmax():
    """The value is the log partition at the temperature (Gumbel 1954); its slopes are those."""
    answer, slopes = jax.jit(_slopes, static_argnums=1)(jax.random.key(0), "gumbel")
    p = jax.nn.softmax(WEIGHTS / SCALE)
    close = {"atol": 5 / DRAWS**0.5}
    np.testing.assert_allclose(answer.parts.emission[:, 0], p, **close)
    np.testing.assert_allclose(
        answer.log_weight, SCALE * jax.nn.logsumexp(WEIGHTS / SCALE, 1), **close
    )
    jacobian = jax.jacobian(lambda w: jax.nn.softmax(w / SCALE))(jnp.maximum(WEIGHTS, -1e3))
    np.testing.assert_allclose(slopes[0], jacobian, **close)
    assert (slopes[0][:, :, 0, 2] == 0).all()
    means = answer.parts.emission[:, 0]
    for item in range(2):
        np.testing.assert_allclose(slopes[1][item, item], means[item], atol=1e-6)
    assert not answer.parts.emission[:, 1].any()


@pytest.mark.exhaustive
def test_gaussian_noise_of_one_choice():
    """Between two, the first is chosen as often as a normal variable is below the difference."""
    weights = jnp.array([[0.4, 0.0], [-1.0, 0.0]])

    @jax.jit
    def of(weights: jax.Array) -> Any:
        chain = Distribution(linear_chain(weights[:, None], jnp.zeros((2, 2))))
        answer = perturbed_best(chain, jax.random.key(1), DRAWS, 0.5, "gaussian", together=DRAWS)
        return answer.parts.emission[:, 0, 0]

    spread = 0.5 * 2**0.5
    expected = jax.scipy.stats.norm.cdf(weights[:, 0] / spread)
    np.testing.assert_allclose(of(weights), expected, atol=5 / DRAWS**0.5)
    slopes = jax.jacfwd(of)(weights)[:, :, 0]
    density = jax.scipy.stats.norm.pdf(weights[:, 0] / spread) / spread
    np.testing.assert_allclose(slopes, np.diag(density), atol=0.03)


def test_draws_are_best_under_noise():
    """All trees over three words are equally good, but not equally often the best under noise."""
    d = Distribution(projective_trees(jnp.zeros((2, 4, 4)), jnp.array([3, 2])))
    drawn = jax.jit(lambda d: perturb_and_map(d, jax.random.key(2), 400, together=400))(d)
    heads = np.asarray(d.read(drawn))
    trees, counts = np.unique(heads[:, 0], axis=0, return_counts=True)
    assert len(trees) == 7
    assert counts.min() > 15
    assert (heads[:, 1, 2] == -1).all()
    assert (drawn.log_weight == 0).all()
    again = jax.jit(lambda d: perturb_and_map(d, jax.random.key(2), 400, together=400))(d)
    assert (again.parts.arc == drawn.parts.arc).all()


@pytest.mark.exhaustive
def test_little_noise_changes_nothing():
    rng = np.random.default_rng(3)
    arcs = jnp.asarray(rng.normal(size=(2, 4, 4)), jnp.float32)
    for d in (Distribution(projective_trees(arcs)), nonprojective_trees(arcs)):
        found = jax.jit(lambda d: perturbed_best(d, jax.random.key(0), 3, 1e-4))(d)
        if isinstance(d, Distribution):
            expected, parts = d.best(), found.parts.arc
            np.testing.assert_allclose(parts, expected.parts.arc)
        else:
            expected, parts = d.best(), found.parts
            np.testing.assert_allclose(parts, d.to_parts(expected.heads))
        np.testing.assert_allclose(found.log_weight, expected.log_weight, atol=1e-2)


def test_loss_has_the_gradient_of_predictions():
    """Its value for one choice is the log loss at the temperature, times that."""
    gold = jnp.array([[0, -1], [2, -1]])

    @jax.jit
    def of(weights: jax.Array) -> Any:
        def total(weights: jax.Array) -> Any:
            d = _choice(weights)
            each = perturbed_loss(d, gold, jax.random.key(0), DRAWS, SCALE, together=DRAWS)
            return each.sum(), each

        return jax.grad(total, has_aux=True)(weights)

    slope, each = of(WEIGHTS)
    expected = -SCALE * jax.nn.log_softmax(WEIGHTS / SCALE)[jnp.arange(2), gold[:, 0]]
    np.testing.assert_allclose(each, expected, atol=5 / DRAWS**0.5)
    target = jax.nn.one_hot(gold[:, 0], 4)
    close = 5 / DRAWS**0.5
    np.testing.assert_allclose(slope, jax.nn.softmax(WEIGHTS / SCALE) - target, atol=close)


def test_items_without_derivations_or_with_nan():
    emission = jnp.zeros((3, 1, 2)).at[0].set(-jnp.inf).at[1, 0, 0].set(jnp.nan)

    @jax.jit
    def of(emission: jax.Array) -> Any:
        def total(emission: jax.Array) -> Any:
            d = Distribution(linear_chain(emission, jnp.zeros((2, 2))))
            found = perturbed_best(d, jax.random.key(0), 50)
            return jnp.sum(found.parts.emission[::2] ** 2), found

        return jax.grad(total, has_aux=True)(emission)

    slope, found = of(emission)
    assert np.isfinite(slope[::2]).all()
    assert not slope[0].any()
    assert not found.parts.emission[0].any()
    assert found.log_weight[0] == -np.inf
    assert np.isnan(found.parts.emission[1]).all()
    assert np.isnan(found.log_weight[1])


def test_temperatures():
    weights = WEIGHTS

    @jax.jit
    def answers(temperature: jax.Array) -> Any:
        def total(temperature: jax.Array) -> jax.Array:
            return temper(_choice(weights), temperature).log_partition().sum()

        marginals = temper(_choice(weights), temperature).marginals().emission[:, 0]
        return marginals, jax.grad(total)(temperature)

    for temperature in (0.5, 3.0):
        found, _ = answers(jnp.float32(temperature))
        np.testing.assert_allclose(found, jax.nn.softmax(weights / temperature), atol=1e-6)
    p = jax.nn.softmax(weights)
    mean = jnp.sum(p * jnp.where(p > 0, weights, 0.0))
    assert answers(jnp.float32(1))[1] == pytest.approx(float(-mean), rel=1e-5)
    arcs = jnp.arange(16.0).reshape(1, 4, 4)
    np.testing.assert_allclose(
        temper(nonprojective_trees(arcs), 4.0).marginals(),
        nonprojective_trees(arcs / 4).marginals(),
    )


@pytest.mark.exhaustive
def test_straight_through_is_hard_with_a_soft_gradient():
    d = _choice(WEIGHTS)

    def of(weights: jax.Array, wanted: jax.Array) -> Any:
        d = temper(_choice(weights), 0.5)
        parts = straight_through(d.best().parts, d.marginals())
        return jnp.sum(parts.emission[:, 0] * wanted), parts.emission

    wanted = jnp.arange(8.0).reshape(2, 4)
    slope, parts = jax.grad(of, has_aux=True)(WEIGHTS, wanted)
    np.testing.assert_array_equal(parts, d.best().parts.emission)
    expected = jax.grad(lambda w: jnp.sum(jax.nn.softmax(w / 0.5) * wanted))(WEIGHTS)
    np.testing.assert_allclose(slope, expected, atol=1e-5)
    with pytest.raises(UsageError, match="parts of different shapes"):
        straight_through(jnp.ones(2), jnp.ones(3))


@pytest.mark.exhaustive
def test_a_cold_relaxed_sample_is_the_draw_with_the_same_noise():
    arcs = jnp.asarray(np.random.default_rng(5).normal(size=(2, 4, 4)), jnp.float32)
    key = jax.random.key(3)

    @jax.jit
    def of(arcs: jax.Array) -> Any:
        d = Distribution(projective_trees(arcs))
        hard = perturb_and_map(d, key, 1).parts.arc[0]
        cold = temper(perturb(d, jax.random.split(key, (1, 1))[0, 0]), 1e-3).marginals().arc
        warm = jax.grad(
            lambda x: temper(perturb(nonprojective_trees(x), key), 2.0).marginals()[0, 1, 2]
        )
        return hard, cold, warm(arcs)

    hard, cold, warm = of(arcs)
    np.testing.assert_allclose(hard, cold, atol=1e-3)
    assert np.isfinite(warm).all()
    assert np.abs(warm).max() > 0.05


def test_wrong_arguments():
    d, key = _choice(WEIGHTS), jax.random.key(0)
    for ask in (perturb_and_map, perturbed_best):
        for count in (0, -1):
            with pytest.raises(UsageError, match=f"count is {count}"):
                ask(d, key, count)
        for scale in (0.0, -1.0, jnp.nan, jnp.inf):
            with pytest.raises(UsageError, match="scale is"):
                ask(d, key, 2, scale)
        with pytest.raises(UsageError, match="noise is 'normal', not one of gumbel, gaussian"):
            ask(d, key, 2, 1.0, "normal")  # pyright: ignore[reportArgumentType]
    with pytest.raises(UsageError, match="scale is 0"):
        perturb(d, key, 0)
    with pytest.raises(UsageError, match=r"states\[0, 0\] is 4"):
        perturbed_loss(d, [[4, 0], [0, 0]], key, 2)
    for temperature in (0.0, -1.0, jnp.nan, jnp.inf):
        with pytest.raises(UsageError, match="temperature is"):
            temper(d, temperature)
    for case in CASES:
        if case.name in ("phrase marks", "given tree"):
            with pytest.raises(UsageError, match="not of its parts"):
                temper(Distribution(case.build()), 2.0)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(x.name, marks=() if x.name == "chain" else pytest.mark.exhaustive)
        for x in CASES
    ],
)
def test_every_structure_has_relaxed_choices(name: str):
    """Averages of derivations are those of the derivations they are averages of."""
    (case,) = (case for case in CASES if case.name == name)
    w = case.with_weights()

    @jax.jit
    def of(d: Distribution[Any]) -> Any:
        return sparsemap(d, support=6, steps=6), perturbed_best(d, jax.random.key(0), 3)

    sparse, mean = of(w.distribution)
    for item, enumeration in w.each():
        listed = {tuple(x) for x in enumeration.parts.round().astype(int)}
        share = np.asarray(sparse.probability[:, item])
        each = w.flat(sparse.support.parts, item, 1)
        assert share.sum() == pytest.approx(1, abs=1e-4)
        np.testing.assert_allclose(share @ each, w.flat(sparse.parts, item), atol=1e-4)
        assert {tuple(x) for x in each[share > 0].round().astype(int)} <= listed
        if len(listed) <= 20:
            threes = itertools.combinations_with_replacement(listed, 3)
            sums = {tuple(np.sum(three, 0)) for three in threes}
            assert tuple((3 * w.flat(mean.parts, item)).round().astype(int)) in sums
