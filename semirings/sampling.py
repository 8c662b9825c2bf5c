"""Sampling derivations in proportion to their weight, many after one forward pass.

Weights are summed forward as in ``Log``. The draw happens in the reverse pass: the reverse of a
sum gives everything to one summand, chosen with probability proportional to its weight, where
differentiation would give each its share. The random state travels in the cotangent, so one
forward pass serves any number of samples, and the same key gives the same sample wherever the
forward pass was rematerialised.

The state is two integers below 2**24, each exact in a float32 cotangent; zero means that the
sample does not use this value. A product hands a different hash of it to each factor, a sum a
hash to the summand it chose, so that no two choices of a sample share random bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from semirings.base import Semiring
from semirings.laws_declared import Laws
from semirings.numerics import log_sum

_BITS = 24


class Drawn(NamedTuple):
    """A value of ``Sampling``: the log weight, and two tags that carry the state backwards."""

    weight: jax.Array
    high: jax.Array
    low: jax.Array


@dataclass(frozen=True)
class Sampling(Semiring):
    """Log weights whose reverse pass draws a derivation.

    ``lift`` takes the quantity ``counted``; a sample is the set of entries of ``counted`` with a
    positive cotangent when the tags of a total are pulled back from ``seed``.
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
        both = [jnp.broadcast_arrays(x, y) for x, y in zip(a, b, strict=True)]
        return Drawn(*_times(Drawn(*(x for x, _ in both)), Drawn(*(y for _, y in both))))

    def sum(self, a: Drawn, axis: int) -> Drawn:
        """Sum of weights along one axis; one summand in the reverse pass."""
        if a.weight.shape[axis] == 0:
            shape = list(a.weight.shape)
            del shape[axis]
            return self.zeros(tuple(shape))
        return _sum(a, axis % a.weight.ndim)

    def lift(self, log_weight: jax.Array, counted: jax.Array | None = None) -> Drawn:
        """Attach the quantity whose cotangent tells whether a sample used the weight."""
        if counted is None:
            return _plain(log_weight)
        tag = jnp.broadcast_to(counted, log_weight.shape)
        return Drawn(log_weight, tag, jnp.zeros_like(log_weight))

    def log_weight(self, a: Drawn) -> jax.Array:
        """The log weight of all derivations together."""
        return a.weight

    def seed(self, key: jax.Array, shape: tuple[int, ...]) -> Drawn:
        """The cotangent of a total that starts a sample: independent states from a random key."""
        bits = jax.random.bits(key, (2, *shape), jnp.uint32) >> (32 - _BITS)
        high, low = bits.astype(jnp.float32)
        return Drawn(jnp.zeros(shape, jnp.float32), jnp.maximum(high, 1.0), low)


def _plain(weight: jax.Array) -> Drawn:
    return Drawn(weight, jnp.zeros_like(weight), jnp.zeros_like(weight))


@jax.custom_vjp
def _times(a: Drawn, b: Drawn) -> Drawn:
    weight = jnp.where(
        (a.weight == -jnp.inf) | (b.weight == -jnp.inf), -jnp.inf, a.weight + b.weight
    )
    return Drawn(weight, a.high + b.high, a.low + b.low)


def _times_forward(a: Drawn, b: Drawn) -> tuple[Drawn, None]:
    return Drawn(*_times(a, b)), None


def _times_reverse(_: None, state: Drawn) -> tuple[Drawn, Drawn]:
    return _descend(state, 1), _descend(state, 2)


_times.defvjp(_times_forward, _times_reverse)


@partial(jax.custom_vjp, nondiff_argnums=(1,))
def _sum(a: Drawn, axis: int) -> Drawn:
    return Drawn(log_sum(a.weight, axis), jnp.sum(a.high, axis), jnp.sum(a.low, axis))


def _sum_forward(a: Drawn, axis: int) -> tuple[Drawn, jax.Array]:
    return _sum(a, axis), a.weight


def _sum_reverse(axis: int, weight: jax.Array, state: Drawn) -> tuple[Drawn]:
    spread = jax.tree.map(lambda x: jnp.expand_dims(x, axis), state)
    # Gumbel-max: the largest of independently perturbed log weights is a categorical draw.
    index = jnp.arange(weight.shape[axis], dtype=jnp.uint32)
    index = index.reshape([-1 if i == axis else 1 for i in range(weight.ndim)])
    bits = _hash(spread.high.astype(jnp.uint32), spread.low.astype(jnp.uint32), index)
    uniform = (bits >> 9).astype(jnp.float32) * 2.0**-23 + 2.0**-24
    winner = jnp.argmax(weight - jnp.log(-jnp.log(uniform)), axis, keepdims=True)
    chosen = jnp.arange(weight.shape[axis]).reshape(index.shape) == winner
    below = _descend(spread, 3)
    return (jax.tree.map(lambda x: jnp.where(chosen, x, 0.0), below),)


_sum.defvjp(_sum_forward, _sum_reverse)


def _descend(state: Drawn, branch: int) -> Drawn:
    """The state of a branch: hashed where it is active, zero where it is not."""
    high, low = state.high.astype(jnp.uint32), state.low.astype(jnp.uint32)
    mask = np.uint32((1 << _BITS) - 1)
    new_high = jnp.maximum(_hash(high, low, np.uint32(2 * branch)) & mask, 1)
    new_low = _hash(high, low, np.uint32(2 * branch + 1)) & mask
    active = high > 0
    return Drawn(
        jnp.zeros_like(state.weight),
        jnp.where(active, new_high.astype(jnp.float32), 0.0),
        jnp.where(active, new_low.astype(jnp.float32), 0.0),
    )


def _hash(high: jax.Array, low: jax.Array, salt: jax.Array | np.uint32) -> jax.Array:
    """Mix 48 bits of state and a salt into 32: multiply and xor-shift rounds."""
    x = high * np.uint32(0x9E3779B1) ^ (low * np.uint32(0x85EBCA77) + np.uint32(0x27D4EB2F))
    salt = jnp.asarray(salt, jnp.uint32)
    for _ in range(2):
        x = (x ^ (x >> 16)) * np.uint32(0x7FEB352D)
        x = (x ^ (x >> 15)) * np.uint32(0x846CA68B)
        x = x ^ (x >> 16) ^ (salt * np.uint32(0xC2B2AE35)) ^ (low >> 3)
    return (x ^ (x >> 15)) * np.uint32(0x2C1B3C6D) ^ (x >> 13)
