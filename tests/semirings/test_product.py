"""The table of `semirings.product`: factors are independent; the laws are those of both."""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semirings import Expectation, Groups, Log, Real, Sampling, Semiring, Value, Viterbi
from semirings.boolean import Boolean
from semirings.kbest import KBest
from semirings.product import Pair, Product
from tests.semirings.strings import Strings

INF = np.inf
WEIGHTS = np.array([[-INF, 0.5, 0.5], [0.0, -INF, -2.0]], np.float32)
FEATURE = np.array([[1.0, 2.0, 0.0], [0.0, 5.0, 1.0]], np.float32)
GROUPS = Groups.of([1, 0, 1], 3)


def same(value: Value, expected: Value) -> None:
    assert jax.tree.structure(value) == jax.tree.structure(expected)
    for x, y in zip(jax.tree.leaves(value), jax.tree.leaves(expected), strict=True):
        np.testing.assert_array_equal(x, y)


@partial(jax.jit, static_argnums=0)
def results(s: Semiring, weights: jax.Array) -> list[Value]:
    """Apply every operation to values lifted from some weights, with zeros and a tie among them."""
    a = s.lift(weights, jnp.asarray(FEATURE))
    b = jax.tree.map(lambda x: x[::-1], a)
    square = s.matmul(a, jax.tree.map(lambda x: x.T, a))
    condition = jnp.asarray(WEIGHTS > 0)
    return [
        a, s.zeros((2,)), s.ones((2,)), s.plus(a, b), s.times(a, b), s.sum(a, 0), s.sum(a, -1),
        s.prod(a, 1), square, s.group_sum(a, GROUPS), s.group_spread(a, GROUPS),
        s.concatenate([a, s.zeros((2, 1))], 1), s.where(condition, a, s.zeros((2, 3))),
        s.sum(s.zeros((0, 2)), 0), s.prod(s.zeros((0, 2)), 0), s.zeros_like(square),
        s.observe(s.sum(a, 0)),
    ]  # fmt: skip


def test_each_factor_does_as_it_does_alone():
    first, second = Strings(), Expectation()
    s = Product(first, second)
    weights = jnp.asarray(WEIGHTS)
    of_product, of_first, of_second = (results(x, weights) for x in (s, first, second))
    for pair, x, y in zip(of_product, of_first, of_second, strict=True):
        same(pair, Pair(x, y))
    value = of_product[5]
    np.testing.assert_array_equal(s.log_weight(value), first.log_weight(of_first[5]))
    same(s.balance(value, (0,)), (value, jnp.zeros(())))


def test_gradients_are_those_of_each_factor():
    """This includes zeros and ties: the tie of 0.5 is split only in the first factor."""
    s = Product(Log(), Viterbi())

    def totals(weights: jax.Array) -> tuple[jax.Array, jax.Array]:
        total = s.sum(s.lift(weights), 1)
        return total.first[0], total.second[0]

    log, best = jax.jit(jax.jacobian(totals))(jnp.asarray(WEIGHTS))
    np.testing.assert_allclose(log, [[0, 0.5, 0.5], [0, 0, 0]], rtol=1e-6)
    np.testing.assert_array_equal(best, [[0, 1, 0], [0, 0, 0]])


def test_the_laws_are_those_of_both():
    every = Product(Boolean(), Viterbi()).laws
    assert every.commutative
    assert every.idempotent
    assert every.star
    assert not every.selective
    assert not Product(Boolean(), Log()).laws.idempotent
    assert not Product(Log(), KBest()).laws.star
    assert not Product(Log(), Strings()).laws.commutative
    assert not Product(Strings(), Log()).laws.commutative
    assert Product(Log(), Sampling()).laws.in_distribution
    assert not Product(Log(), Log()).laws.in_distribution
    assert Product(Log(), Real()).laws.broken == Real().laws.broken
    assert Product(Sampling(), Real()).laws.broken == Sampling().laws.broken | Real().laws.broken


def test_laws_survive_copies():
    s = Product(Log(), Strings())
    assert copy.deepcopy(s).laws == s.laws
    assert replace(s, second=Viterbi()).laws.commutative
    assert hash(s) == hash(Product(Log(), Strings()))
    assert s != Product(Strings(), Log())
    assert Product() == Product(Log(), Viterbi())


def test_star():
    s = Product()
    closed = s.star(s.lift(jnp.log(jnp.array([0.5, 0.0]))))
    np.testing.assert_allclose(closed.first, [np.log(2), 0.0], atol=1e-6)
    np.testing.assert_array_equal(closed.second, [0.0, 0.0])
    with pytest.raises(TypeError, match="kbest has no star"):
        Product(Log(), KBest()).star(Product(Log(), KBest()).ones(()))
