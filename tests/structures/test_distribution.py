"""Inputs of a distribution, and custom semirings."""

from __future__ import annotations

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
    projective_trees,
    semi_markov_chain,
)
from semipunct.structures.extending import ChainParts, PhraseMarkParts, choose
from semipunct.structures.given_tree import phrase_marks
from semirings import Counting, Expectation, Log, Product, Real, Viterbi
from semirings.numerics import log_matmul, log_matmul_of_numbers


def chain() -> Distribution:
    """Build a chain with two positions and two states: emissions 1 and 2, all transitions 1."""
    emission = jnp.log(jnp.array([[[1.0, 2.0], [1.0, 2.0]]]))
    return Distribution(linear_chain(emission, jnp.zeros((2, 2))))


def test_weights_that_would_be_lost_are_not_asked_for():
    structure = chain().structure
    for refused in (lambda: Distribution(structure, Real()), lambda: chain().sum_in(Real())):
        with pytest.raises(UsageError, match=r"Real\(\).*outside of float32.*Log\(\)"):
            refused()


def test_trees_of_distant_weights_have_a_total():
    """The real semiring loses these weights."""
    spread = np.repeat([3.0, 5.0], 4)[:, None, None]
    arcs = (spread * np.random.default_rng(0).standard_normal((8, 41, 41))).astype(np.float32)

    @jax.jit
    def answers(arcs: jax.Array) -> tuple[jax.Array, Any]:
        d = Distribution(projective_trees(arcs))
        return d.log_partition(), d.sum_in(Viterbi())

    log_sum, best = answers(arcs)
    assert (np.asarray(log_sum) >= np.asarray(best.value + best.log_scale) - 1e-3).all()


def test_any_semiring_is_asked_with_and_without_what_is_counted():
    d, product, mean = chain(), Product(Log(), Viterbi()), Expectation(Log())
    counted = jax.tree.map(jnp.zeros_like, d.structure.expand().log_weights)
    counted = counted._replace(emission=jnp.array([[[0.0, 1.0], [0.0, 1.0]]]))
    total, number, average = jax.jit(
        lambda: (d.sum_in(product), d.sum_in(Counting()).value, d.sum_in(mean, counted).value)
    )()
    log, viterbi = total.value
    np.testing.assert_allclose(np.exp(log + total.log_scale), [9.0], rtol=1e-6)
    np.testing.assert_allclose(np.exp(viterbi + total.log_scale), [4.0], rtol=1e-6)
    assert Counting().count(number).tolist() == [4]
    np.testing.assert_allclose(mean.expected_value(average), [4 / 3], rtol=1e-6)


@pytest.mark.parametrize("method", ["sequential", "parallel"])
def test_a_chain_of_distant_weights_has_a_total(method: str):
    """The only state permitted next has a weight e**100 times less than the rest of its row."""
    far = jnp.array([[0.0, -100.0], [-100.0, 0.0]])
    only_second = jnp.array([[-jnp.inf, -jnp.inf], [-jnp.inf, 0.0]])
    transition = jnp.stack([far, only_second, far])[None]
    emission = jnp.zeros((1, 4, 2)).at[0, 0, 1].set(-jnp.inf)
    d = Distribution(linear_chain(emission, transition, method=method))
    log_partition, marginals = d.log_partition_and_marginals()
    np.testing.assert_allclose(log_partition, [-100.0], rtol=1e-6)
    np.testing.assert_allclose(marginals.transition[0, 0], [[0, 1], [0, 0]], atol=1e-6)


@jax.jit
def divergences(weight: float, second_weight: float) -> tuple[jax.Array, jax.Array]:
    """Compare chains of one position, whose two states have the weights 0 and the given one."""
    p, q = (
        Distribution(linear_chain(jnp.array([[[0.0, w]]]), jnp.zeros((2, 2))))
        for w in (weight, second_weight)
    )
    return p.kl_divergence(q), p.cross_entropy(q)


@pytest.mark.parametrize("share", [-50.0, -90.0, -1e4])
def test_what_the_other_excludes_is_infinitely_far(share: float):
    """This holds for any nonzero share of the first distribution."""

    kl, cross_entropy = divergences(share, -jnp.inf)
    assert kl == cross_entropy == jnp.inf
    np.testing.assert_allclose(divergences(-jnp.inf, 0.0)[0], [np.log(2)], rtol=1e-6)


def test_distributions_over_other_derivations_are_not_compared():
    arcs, transition = jnp.zeros((1, 4, 4)), jnp.zeros((2, 2))
    single_rooted, several = (
        Distribution(projective_trees(arcs, single_root=x)) for x in (True, False)
    )
    with pytest.raises(UsageError, match="structures with different settings"):
        single_rooted.kl_divergence(several)
    long, short = (
        Distribution(linear_chain(jnp.zeros((1, 3, 2)), transition, jnp.array([n]))) for n in (3, 2)
    )
    with pytest.raises(UsageError, match=r"\.lengths differs"):
        long.kl_divergence(short)


def test_expectations_and_variances_of_features():
    """Features of all steps, of vectors, and far from zero."""
    rng = np.random.default_rng(0)
    emission = jnp.asarray(rng.normal(size=(3, 3, 2)), jnp.float32).at[2].set(0.0)
    transition = jnp.asarray(rng.normal(size=(3, 2, 2, 2)), jnp.float32).at[2].set(0.0)
    d = Distribution(linear_chain(emission, transition, jnp.array([3, 1, 3])))
    vectors = jnp.asarray(rng.normal(size=(3, 3, 2, 2, 3)), jnp.float32)
    # Exact in float32.
    near = jnp.asarray(rng.integers(-8, 8, (3, 3, 2)) / 8, jnp.float32)
    changes = ChainParts(jnp.zeros(()), 1 - jnp.eye(2))

    @jax.jit
    def answers(vectors: jax.Array, features: jax.Array) -> tuple[jax.Array, ...]:
        def averages(feature: Any) -> tuple[jax.Array, jax.Array]:
            return d.expectation(feature), d.variance(feature)

        each = vectors.reshape(3, 3, 2, 6)
        return (
            d.expectation(ChainParts(vectors, jnp.zeros(()))),
            jax.vmap(lambda x: d.expectation(ChainParts(x, jnp.zeros(()))), -1, -1)(each),
            jax.vmap(lambda x: d.variance(ChainParts(x, jnp.zeros(()))))(features),
            *averages(changes),
        )

    averages, each, variances, mean, variance = answers(vectors, jnp.stack([near, near + 1e5]))
    np.testing.assert_allclose(averages, each.reshape(3, 2, 3), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(variances[1], variances[0], rtol=1e-5, atol=1e-7)
    # In three positions of equal weights the expected number of changes of state is one.
    np.testing.assert_allclose((mean[2], variance[2]), (1.0, 0.5), rtol=1e-6)
    with pytest.raises(UsageError, match="a feature has shape"):
        d.expectation(ChainParts(jnp.zeros(()), jnp.zeros((3, 3))))


@pytest.mark.parametrize("dtype", [jnp.float16, jnp.bfloat16])
def test_half_precision_is_summed_in_single(dtype: Any):
    """In bfloat16 the sum over 2**9 sequences would stay at 256."""
    emission = jnp.zeros((1, 9, 2), dtype)

    def log_partition(emission: jax.Array) -> jax.Array:
        return Distribution(linear_chain(emission, jnp.zeros((2, 2), dtype))).log_partition()[0]

    value, gradient = jax.value_and_grad(log_partition)(emission)
    assert value.dtype == jnp.float32
    assert value == pytest.approx(9 * np.log(2), rel=1e-6)
    assert gradient.dtype == dtype
    np.testing.assert_allclose(gradient.astype(jnp.float32), 0.5, rtol=1e-2)


def test_a_divergence_is_not_negative_and_has_finite_gradients():
    emission = jnp.asarray(np.random.default_rng(0).normal(size=(40, 6, 5)), jnp.float32)
    transition = jnp.zeros((5, 5))

    forbids = emission.at[0, 1, 2].set(-jnp.inf)

    def kl(emission: jax.Array, second: jax.Array) -> tuple[jax.Array, jax.Array]:
        first, second = (Distribution(linear_chain(x, transition)) for x in (emission, second))
        nats = first.kl_divergence(second)
        return nats.sum(), nats

    answers = jax.jit(jax.grad(kl, (0, 1), has_aux=True))
    assert (answers(emission, emission + 1e-4 * jnp.flip(emission, 1))[1] >= 0).all()
    gradients, nats = answers(emission, forbids)
    assert nats[0] == jnp.inf
    assert all(jnp.isfinite(gradient).all() for gradient in gradients)


def test_a_uniform_of_zero_draws_nothing_improbable():
    log_weight = jnp.log(jnp.array([1e-30, 1.0, 1.0]))
    assert choose(jnp.zeros(()), log_weight) == 1
    assert choose(jnp.zeros(()), jnp.array([-jnp.inf, 0.0])) == 1
    assert choose(jnp.zeros(()), jnp.array([0.0, 0.0])) == 0


@pytest.mark.parametrize("low", [-60.0, -1e4])
def test_a_low_weight_is_exact_and_does_not_decide(low: float):
    """Only where all terms of an entry are low are they summed one by one."""
    a, b = jnp.zeros((3, 4)).at[1, 2].set(low), jnp.zeros((4, 3)).at[0, 1].set(low)
    assert not log_matmul_of_numbers(a, b)[1].any()
    a = jnp.full((1, 2), low).at[0, 0].set(0.0)
    b = jnp.array([[2 * low, 0.0], [0.0, 0.0]])
    # Of the first entry both terms are as low as their weight; e**-60 is a float, however.
    assert log_matmul_of_numbers(a, b)[1].tolist() == [[low < -60, False]]
    np.testing.assert_allclose(log_matmul(a, b)[0], [low, 0.0], rtol=1e-6, atol=1e-6)


def test_a_chain_that_needs_low_weights_is_summed_again():
    """All sequences but one cost 1e4 twice; the one has a transition that costs 1e4, as well."""
    emission = jnp.full((1, 4, 3), -1e4).at[0, :, 0].set(0.0)
    transition = jnp.zeros((3, 3)).at[0, 0].set(-3e4)

    def log_partition(emission: jax.Array) -> jax.Array:
        return Distribution(linear_chain(emission, transition)).log_partition()

    # States of weight 1 are never neighbours: two of the four are others, in three ways.
    expected = [-2e4 + np.log(12)]
    np.testing.assert_allclose(jax.jit(log_partition)(emission), expected, rtol=1e-6)
    mapped = jax.vmap(log_partition)
    np.testing.assert_allclose(jax.jit(mapped)(emission[None])[0], expected, rtol=1e-6)
    assert " cond[" in str(jax.make_jaxpr(mapped)(emission[None]))


@pytest.mark.parametrize("semi", [False, True])
def test_the_scan_of_a_chain_decides_nothing(semi: bool):
    """A decision in a step would synchronise the devices of a divided batch at each position."""

    def log_partition(weights: jax.Array) -> jax.Array:
        build = semi_markov_chain if semi else linear_chain
        return Distribution(build(weights, jnp.zeros((2, 2)))).log_partition()

    shape = (3, 5, 2, 2) if semi else (3, 5, 2)
    for line in _scans(jax.make_jaxpr(log_partition)(jnp.zeros(shape)).jaxpr):
        assert "cond[" not in line


def _scans(program: Any) -> list[str]:
    """Return the scans of a program that are not part of a branch."""
    return [str(each.params["jaxpr"]) for each in program.eqns if each.primitive.name == "scan"]


def test_the_automaton_of_phrases_weighs_in_scores():
    """One word is between two labels each, the second of which costs 2 to read."""
    marks = phrase_marks(
        jnp.zeros((1, 1, 2, 2)), jnp.zeros((1, 2, 1)), jnp.zeros((1, 1), int),
        jnp.array([[[0.0]], [[-2.0]]]), jnp.zeros(1), jnp.array([1]), 1,
    )  # fmt: skip
    choice = jnp.eye(4).reshape(4, 1, 1, 2, 2)

    @jax.jit
    def answers() -> tuple[jax.Array, ...]:
        d = Distribution(marks)
        scores = d.unnormalized_log_prob(PhraseMarkParts(choice, jnp.ones((4, 1, 2, 1))))
        drawn = d.sample(jax.random.key(0), 64)
        return scores, d.log_partition(), d.unnormalized_log_prob(drawn)

    scores, total, drawn = answers()
    assert scores.ravel().tolist() == pytest.approx([0.0, -2.0, -2.0, -4.0])
    assert total == pytest.approx(np.log(np.exp(scores).sum()))
    assert set(np.round(drawn, 4).ravel().tolist()) == {0.0, -2.0, -4.0}


def test_phrases_deeper_than_there_are_levels():
    depths = jnp.array([[0, 1, 2, 2]])
    with pytest.raises(UsageError, match="depths"):
        phrase_marks(
            jnp.zeros((1, 4, 1, 1)), jnp.zeros((1, 4, 1)), depths, jnp.zeros((1, 1, 1)),
            jnp.zeros(1), jnp.array([4]), 2,
        )  # fmt: skip


def _weights(*shape: int) -> jax.Array:
    return jax.random.normal(jax.random.key(7), shape)


MAKERS = {
    "chain": lambda b: linear_chain(_weights(*b, 4, 3), _weights(3, 3), jnp.full(b, 3)),
    "non-projective": lambda b: nonprojective_trees(_weights(*b, 4, 4), jnp.full(b, 2)),
}


def _answers(d: Distribution[Any], key: jax.Array) -> list[Any]:
    """Return results without leading axes, and three with."""
    feature = jax.tree.map(jnp.cos, d.structure.expand().log_weights)
    best, parts = d.argmax(), d.sample_parts(key, (2, 3))
    drawn = d.log_prob(parts).reshape(6, *d.batch_shape)
    return [
        [d.log_partition(), d.marginals(), best, d.argmax_parts(), d.log_prob(best), d.entropy()],
        [d.cross_entropy(d), d.kl_divergence(d), d.expectation(feature)],
        [drawn, d.sample(key, 6), d.unnormalized_log_prob(d.sample(key, (3,)))],
    ]


@pytest.mark.parametrize("name", MAKERS)
def test_results_have_the_batch_axes_of_the_structure(name: str):
    make, key = MAKERS[name], jax.random.key(0)
    flat, several = Distribution(make((6,))), Distribution(make((2, 3)))
    one = Distribution(jax.tree.map(lambda x: x[0], flat.structure.expand()))
    assert (one.batch_shape, several.batch_shape) == ((), (2, 3))
    assert jax.vmap(Distribution)(several.structure.expand()).batch_shape == (2, 3)
    of_flat = jax.eval_shape(_answers, flat, key)
    # Programs of determinants take long to trace.
    for batch, d in [((2, 3), several), ((), one)][: 1 if name == "non-projective" else 2]:
        answers = jax.eval_shape(_answers, d, key)
        for found, expected in zip(*map(jax.tree.leaves, (answers[:2], of_flat[:2])), strict=True):
            assert found.shape == (*batch, *expected.shape[1:])
        shapes = [(6, *batch), (6, *batch, *of_flat[0][2].shape[1:]), (3, *batch)]
        assert [x.shape for x in answers[2]] == shapes

    @jax.jit
    def numbers(d: Distribution[Any]) -> tuple[jax.Array, ...]:
        feature = jax.tree.map(jnp.cos, d.structure.expand().log_weights)
        total, marginals = d.log_partition_and_marginals()
        return total, d.expectation(feature), *jax.tree.leaves(marginals)

    for x, y in zip(numbers(several), numbers(flat), strict=True):
        np.testing.assert_allclose(x.reshape(y.shape), y, rtol=2e-4, atol=2e-5)
    keys = jax.random.split(key, 6)
    np.testing.assert_array_equal(
        several.sample(keys.reshape(2, 3), 2).ravel(), flat.sample(keys, 2).ravel()
    )


def test_derivations_of_other_shapes_are_refused():
    d = Distribution(MAKERS["chain"]((2, 3)))
    other = projective_trees(_weights(2, 3, 4, 4))
    with pytest.raises(UsageError, match=r"have shape \(6, 4\); expected \[\.\.\., 2, 3, 4\]"):
        d.log_prob(np.zeros((6, 4), int))
    with pytest.raises(UsageError, match=r"ChainParts of shapes .*\(2, 3, 4, 3\)"):
        d.log_prob(MAKERS["chain"]((6,)).expand().log_weights)
    with pytest.raises(UsageError, match=r"\[\(2, 3, 4, 4\)\]; expected ChainParts"):
        d.log_prob(other.expand().log_weights)
    with pytest.raises(UsageError, match="sample_shape is"):
        d.sample(jax.random.key(0), (2, 0))
    with pytest.raises(UsageError, match=r"keys have shape \(2,\); .* \(2, 3\)"):
        d.sample(jax.random.split(jax.random.key(0), 2))
    with pytest.raises(UsageError, match=r"lengths has shape \(2, 2\).*\(3, 2\)"):
        linear_chain(jnp.zeros((3, 2, 4, 2)), jnp.zeros((2, 2)), jnp.array([[1, 2], [3, 4]]))


def test_no_derivation_has_no_form_and_no_weight():
    d = Distribution(linear_chain(jnp.full((1, 2, 2), -jnp.inf), jnp.zeros((2, 2))))
    best, drawn = jax.jit(lambda key: (d.argmax(), d.sample(key, 2)))(jax.random.key(0))
    assert best.tolist() == [[-1, -1]]
    assert d.unnormalized_log_prob([best, *drawn]).tolist() == [[-np.inf]] * 3
