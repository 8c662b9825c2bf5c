"""Inputs of a distribution, and custom semirings."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.errors import UsageError
from semipunct.structures import (
    ChainParts,
    Distribution,
    PhraseMarkParts,
    linear_chain,
    phrase_marks,
    projective_trees,
)
from semirings import Counting, Expectation, Log, Product, Real, Viterbi


def chain() -> Distribution:
    """Build a chain with two positions and two states: emissions 1 and 2, all transitions 1."""
    emission = jnp.log(jnp.array([[[1.0, 2.0], [1.0, 2.0]]]))
    return Distribution(linear_chain(emission, jnp.zeros((2, 2))))


def test_weights_that_would_be_lost_are_not_asked_for():
    structure = chain().structure
    for refused in (lambda: Distribution(structure, Real()), lambda: chain().ask(Real())):
        with pytest.raises(UsageError, match=r"Real\(\).*outside of float32.*Log\(\)"):
            refused()


@pytest.mark.parametrize("spread", [3.0, 5.0])
def test_trees_of_distant_weights_have_a_total(spread: float):
    """The real semiring loses these weights."""
    arcs = spread * np.random.default_rng(0).standard_normal((8, 41, 41)).astype(np.float32)
    got = Distribution(projective_trees(arcs)).log_partition()
    best = Distribution(projective_trees(arcs)).best().log_weight
    assert (np.asarray(got) >= np.asarray(best) - 1e-3).all()


def test_any_semiring_is_asked_with_and_without_what_is_counted():
    d = chain()
    both = Product(Log(), Viterbi())
    total = d.ask(both)
    log, viterbi = total.value
    np.testing.assert_allclose(np.exp(log + total.log_scale), [9.0], rtol=1e-6)
    np.testing.assert_allclose(np.exp(viterbi + total.log_scale), [4.0], rtol=1e-6)
    assert Counting().count(d.ask(Counting()).value).tolist() == [4]
    counted = jax.tree.map(jnp.zeros_like, d.structure.expanded().log_weights)
    counted = counted._replace(emission=jnp.array([[[0.0, 1.0], [0.0, 1.0]]]))
    mean = Expectation(Log())
    found = mean.expected(d.ask(mean, counted).value)
    np.testing.assert_allclose(found, [4 / 3], rtol=1e-6)


def test_a_log_weight_of_89_is_none_too_many():
    emission = jnp.zeros((1, 3, 2)).at[0, 1, 0].set(89.0)
    d = Distribution(linear_chain(emission, jnp.zeros((2, 2))))
    log_partition, marginals = d.log_partition_and_marginals()
    np.testing.assert_allclose(log_partition, [89 + np.log(4)], rtol=1e-6)
    np.testing.assert_allclose(marginals.emission[0, 1], [1.0, 0.0], atol=1e-6)


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


@pytest.mark.parametrize("share", [-50.0, -90.0, -1e4])
def test_what_the_other_excludes_is_infinitely_far(share: float):
    """This holds for any nonzero share of the first distribution."""

    def one(weight: float) -> Distribution:
        return Distribution(linear_chain(jnp.array([[[0.0, weight]]]), jnp.zeros((2, 2))))

    assert one(share).kl(one(-jnp.inf)) == jnp.inf
    assert one(share).cross_entropy(one(-jnp.inf)) == jnp.inf
    np.testing.assert_allclose(one(-jnp.inf).kl(one(0.0)), [np.log(2)], rtol=1e-6)


def test_distributions_over_other_derivations_are_not_compared():
    arcs, transition = jnp.zeros((1, 4, 4)), jnp.zeros((2, 2))
    one, several = (Distribution(projective_trees(arcs, single_root=x)) for x in (True, False))
    with pytest.raises(UsageError, match="structures with different settings"):
        one.kl(several)
    long, short = (
        Distribution(linear_chain(jnp.zeros((1, 3, 2)), transition, jnp.array([n]))) for n in (3, 2)
    )
    with pytest.raises(UsageError, match=r"\.lengths differs"):
        long.kl(short)
    assert long.kl(long) == 0


def test_a_feature_that_all_steps_share():
    """The expected number of state changes in three positions is one."""
    d = Distribution(linear_chain(jnp.zeros((1, 3, 2)), jnp.zeros((2, 2))))
    changes = ChainParts(jnp.zeros(()), 1 - jnp.eye(2))
    np.testing.assert_allclose(d.expectation(changes), [1.0], rtol=1e-6)
    np.testing.assert_allclose(d.variance(changes), [0.5], rtol=1e-6)
    with pytest.raises(UsageError, match="a feature has shape"):
        d.expectation(ChainParts(jnp.zeros(()), jnp.zeros((3, 3))))


def test_half_precision_is_refused():
    with pytest.raises(UsageError, match="32 or 64 bits, not float16"):
        linear_chain(jnp.zeros((1, 2, 2), jnp.float16), jnp.zeros((2, 2)))


def test_the_automaton_of_phrases_weighs_in_scores():
    """One word is between two labels each, the second of which costs 2 to read."""
    marks = phrase_marks(
        jnp.zeros((1, 1, 2, 2)), jnp.zeros((1, 2, 1)), jnp.zeros((1, 1), int),
        jnp.array([[[0.0]], [[-2.0]]]), jnp.zeros(1), jnp.array([1]), 1,
    )  # fmt: skip
    score = jax.jit(lambda parts: Distribution(marks).score(parts))
    cost = {(0, 0): 0.0, (0, 1): -2.0, (1, 0): -2.0, (1, 1): -4.0}
    for (left, right), weight in cost.items():
        choice = jnp.zeros((1, 1, 2, 2)).at[0, 0, left, right].set(1)
        parts = PhraseMarkParts(choice, jnp.ones((1, 2, 1)))
        assert score(parts) == pytest.approx(weight)

    @jax.jit
    def asked() -> tuple[jax.Array, ...]:
        d = Distribution(marks)
        return d.log_partition(), d.sample(jax.random.key(0), 64, together=64).log_weight

    total, drawn = asked()
    assert total == pytest.approx(np.log(sum(map(np.exp, cost.values()))))
    assert set(np.round(drawn, 4).ravel().tolist()) == {0.0, -2.0, -4.0}


def test_phrases_deeper_than_there_are_levels():
    depths = jnp.array([[0, 1, 2, 2]])
    with pytest.raises(UsageError, match="depths"):
        phrase_marks(
            jnp.zeros((1, 4, 1, 1)), jnp.zeros((1, 4, 1)), depths, jnp.zeros((1, 1, 1)),
            jnp.zeros(1), jnp.array([4]), 2,
        )  # fmt: skip


def test_a_batch_has_items():
    for made in (
        lambda: linear_chain(jnp.zeros((0, 3, 2)), jnp.zeros((2, 2))),
        lambda: projective_trees(jnp.zeros((0, 4, 4))),
    ):
        with pytest.raises(UsageError, match="a batch without items"):
            made()
