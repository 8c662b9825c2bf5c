"""What a distribution accepts, and semirings of one's own that it is asked in."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.errors import UsageError
from semipunct.structures import Distribution, linear_chain, projective_trees
from semirings import Counting, Expectation, Log, Product, Real, Viterbi


def chain() -> Distribution:
    """Two positions with two states: emissions of 1 and 2, all transitions of 1."""
    emission = jnp.log(jnp.array([[[1.0, 2.0], [1.0, 2.0]]]))
    return Distribution(linear_chain(emission, jnp.zeros((2, 2))))


def test_weights_that_would_be_lost_are_not_asked_for():
    structure = chain().structure
    for refused in (lambda: Distribution(structure, Real()), lambda: chain().ask(Real())):
        with pytest.raises(UsageError, match=r"Real\(\).*outside of float32.*Log\(\)"):
            refused()


@pytest.mark.parametrize("spread", [3.0, 5.0])
def test_trees_of_distant_weights_have_a_total(spread: float):
    """In the reals these are lost."""
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
    """What is e**100 times less than the rest of its row is all that the next step allows."""
    far = jnp.array([[0.0, -100.0], [-100.0, 0.0]])
    only_second = jnp.array([[-jnp.inf, -jnp.inf], [-jnp.inf, 0.0]])
    transition = jnp.stack([far, only_second, far])[None]
    emission = jnp.zeros((1, 4, 2)).at[0, 0, 1].set(-jnp.inf)
    d = Distribution(linear_chain(emission, transition, method=method))
    log_partition, marginals = d.log_partition_and_marginals()
    np.testing.assert_allclose(log_partition, [-100.0], rtol=1e-6)
    np.testing.assert_allclose(marginals.transition[0, 0], [[0, 1], [0, 0]], atol=1e-6)
