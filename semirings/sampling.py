"""Sampling derivations in proportion to their weight, many after one forward pass.

Weights are summed forward as in ``Log``. The draw happens in the reverse pass: the reverse of a
sum gives everything to one summand, chosen with probability proportional to its weight, where
differentiation would give each its share. The random state travels in the cotangent, so one
forward pass serves any number of samples, and the same key gives the same sample wherever the
forward pass was rematerialised.

The state is two integers below 2**24, each exact in a float32 cotangent; zero means that the
sample does not use this value. A product hands a different hash of it to each factor, a sum one
step of it to the summand it chose, so that no two choices of a sample share random bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from semirings.base import Semiring
from semirings.laws_declared import Laws
from semirings.numerics import log_balance, log_sum, log_times, relative, unbroadcast

_BITS = 24
_STEP = 10_368_889.0
_SHORT = 256
_ODD = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1, 0xD3A2646D, 0xFD7046C5)


class Drawn(NamedTuple):
    """A value of ``Sampling``: the log weight, and what carries marks and state backwards.

    Attributes:
        weight: log weight.
        mark: its cotangent says how often a sample used the value.
        high, low: their cotangents are the random state.

    Only cotangents of the last three mean anything; results of operations have zeros there.
    """

    weight: jax.Array
    mark: jax.Array
    high: jax.Array
    low: jax.Array


@dataclass(frozen=True)
class Sampling(Semiring):
    """Log weights whose reverse pass draws a derivation.

    A sample is the cotangent of ``counted`` when the tags of a total are pulled back from
    ``seed``: one for every use of an entry, zero for what the sample does not use.
    """

    name: ClassVar[str] = "sampling"
    laws: ClassVar[Laws] = Laws(in_distribution=True)

    def zeros(self, shape: tuple[int, ...]) -> Drawn:
        """Weight zero."""
        return _plain(jnp.full(shape, -jnp.inf, jnp.float32))

    def ones(self, shape: tuple[int, ...]) -> Drawn:
        """Weight one."""
        return _plain(jnp.zeros(shape, jnp.float32))

    def plus(self, a: Drawn, b: Drawn) -> Drawn:
        """Sum of weights; one of the two in the reverse pass."""
        both = jax.tree.map(lambda x, y: jnp.stack(jnp.broadcast_arrays(x, y)), a, b)
        return self.sum(both, 0)

    def times(self, a: Drawn, b: Drawn) -> Drawn:
        """Product of weights; both factors in the reverse pass."""
        state: State = _both(a[1:], b[1:])
        return Drawn(log_times(a.weight, b.weight), *state)

    def sum(self, a: Drawn, axis: int) -> Drawn:
        """Sum of weights along one axis; one summand in the reverse pass."""
        if a.weight.shape[axis] == 0:
            return _plain(log_sum(a.weight, axis))
        axis %= a.weight.ndim
        state: State = _one(a[1:], jax.lax.stop_gradient(a.weight), axis)
        return Drawn(log_sum(a.weight, axis), *state)

    def lift(self, log_weight: jax.Array, counted: Any = None) -> Drawn:
        """Attach the quantity whose cotangent tells whether a sample used the weight."""
        if counted is None:
            return _plain(log_weight)
        return _plain(log_weight)._replace(mark=jnp.broadcast_to(counted, log_weight.shape))

    def balance(self, a: Drawn, axes: tuple[int, ...]) -> tuple[Drawn, jax.Array]:
        """Subtract the largest along ``axes``, held constant."""
        weight, log_factor = log_balance(a.weight, axes)
        return a._replace(weight=weight), log_factor

    def observe(self, a: Drawn) -> Any:
        return a.weight

    def log_weight(self, a: Drawn) -> jax.Array:
        """The log weight of all derivations together."""
        return a.weight

    def seed(self, key: jax.Array, shape: tuple[int, ...]) -> Drawn:
        """The cotangent of a total that starts a sample: independent states from a random key."""
        bits = jax.random.bits(key, (2, *shape), jnp.uint32) >> (32 - _BITS)
        high, low = bits.astype(jnp.float32)
        marks = jnp.ones(shape, jnp.float32)
        return Drawn(jnp.zeros(shape, jnp.float32), marks, jnp.maximum(high, 1.0), low)


def _plain(weight: jax.Array) -> Drawn:
    nothing = jnp.zeros_like(weight)
    return Drawn(weight, nothing, nothing, nothing)


State = tuple[jax.Array, jax.Array, jax.Array]
"""Mark, high and low: arrays of zeros whose cotangents are what matters."""


@jax.custom_vjp
def _both(a: State, b: State) -> State:
    """The state of a product."""
    nothing = jnp.zeros(jnp.broadcast_shapes(a[0].shape, b[0].shape), a[0].dtype)
    return nothing, nothing, nothing


def _both_forward(a: State, b: State) -> tuple[State, tuple[jax.Array, jax.Array]]:
    state: State = _both(a, b)
    return state, (a[0], b[0])


def _both_reverse(operands: tuple[jax.Array, jax.Array], state: State) -> tuple[State, State]:
    # First summed, then hashed: where an operand was repeated, one of its places is active.
    first, second = (jax.tree.map(lambda x, y=y: unbroadcast(x, y), state) for y in operands)
    return _descend(first, 1), _descend(second, 2)


_both.defvjp(_both_forward, _both_reverse)


@partial(jax.custom_vjp, nondiff_argnums=(2,))
def _one(state: State, weight: jax.Array, axis: int) -> State:
    """The state of a sum."""
    nothing = jnp.sum(jnp.zeros_like(weight), axis)
    return nothing, nothing, nothing


def _one_forward(state: State, weight: jax.Array, axis: int) -> tuple[State, jax.Array]:
    terms, _ = relative(weight, axis)
    # The distribution function of the choice; what has no weight is never reached.
    return _one(state, weight, axis), jnp.where(terms > 0, _cumulative(terms, axis), -1.0)


def _one_reverse(axis: int, reached: jax.Array, state: State) -> tuple[State, None]:
    size = reached.shape[axis]
    mark, high, low = state
    ahead = (_mixed(high, low, 0) >> (32 - _BITS)).astype(reached.dtype)
    behind = 2.0**_BITS - ahead
    # A quotient in this form, since the compiler repeats for every summand what has no division.
    threshold = jnp.max(reached, axis) * (ahead / (ahead + behind))
    index = jnp.arange(size, dtype=reached.dtype)
    index = index.reshape([-1 if i == axis else 1 for i in range(reached.ndim)])
    # The first beyond the threshold; where rounding leaves none beyond it, the last possible.
    order = jnp.where(reached > 0, 2 * size - index, 2 * size + 1 + index)
    order = jnp.where(reached > jnp.expand_dims(threshold, axis), index, order)
    chosen = order == jnp.min(order, axis, keepdims=True)
    # A step is enough to tell the state of the summand from that of the sum.
    stepped = jnp.where(low < _STEP, low + (2.0**_BITS - _STEP), low - _STEP)
    below = mark, high, jnp.where(high > 0, stepped, 0.0)
    spread = tuple(jnp.where(chosen, jnp.expand_dims(x, axis), 0.0) for x in below)
    return (spread[0], spread[1], spread[2]), None


_one.defvjp(_one_forward, _one_reverse)


def _cumulative(terms: jax.Array, axis: int) -> jax.Array:
    """Running sums; over short axes by a matrix product, which is many times faster."""
    size = terms.shape[axis]
    if size > _SHORT:
        return jax.lax.cumsum(terms, axis)
    lower = jnp.tril(jnp.ones((size, size), terms.dtype))
    return jnp.moveaxis(jnp.tensordot(lower, terms, (1, axis)), 0, axis)


def _descend(state: State, branch: int) -> State:
    """The state of a branch: hashed where it is active, zero where it is not."""
    mark, high, low = state
    new_high = jnp.maximum(_mixed(high, low, 2 * branch) >> (32 - _BITS), 1)
    new_low = _mixed(high, low, 2 * branch + 1) >> (32 - _BITS)
    active = high > 0
    return (
        mark,
        jnp.where(active, new_high.astype(high.dtype), 0.0),
        jnp.where(active, new_low.astype(low.dtype), 0.0),
    )


def _mixed(high: jax.Array, low: jax.Array, salt: int) -> jax.Array:
    """32 bits from 48 and a salt: a sum of products, then multiply and xor-shift rounds."""
    first, second = (np.uint32(_ODD[(salt + i) % len(_ODD)]) for i in (0, 3))
    x = high.astype(jnp.uint32) * first + low.astype(jnp.uint32) * second
    x = (x ^ np.uint32(salt * 0x3C6EF372 & 0xFFFFFFFF)) * np.uint32(0x7FEB352D)
    x = (x ^ (x >> 15)) * np.uint32(0x846CA68B)
    x = (x ^ (x >> 13)) * np.uint32(0x9E3779B1)
    return x ^ (x >> 16)
