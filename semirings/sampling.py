"""Sampling derivations in proportion to their weight, many after one forward pass.

Weights are summed forward as in ``Log``. The draw happens in the reverse pass: the reverse of a
sum gives everything to one summand, chosen with probability proportional to its weight, where
differentiation would give each its share. The random state travels in the cotangent, so one
forward pass serves any number of samples, and the same key gives the same sample wherever the
forward pass was rematerialised.

The state is a 48-bit counter of Threefry (``semirings.threefry``): two integers below 2**24, each
exact in a cotangent of any floating dtype, where zero in the first means that the sample does not
use this value. A sum chooses by the bits of its counter, and counts one up for the summand. A
product counts one up for the left factor and starts the right one anywhere, at a counter drawn
under another key. So no two choices of a sample share random bits, but by the accident, in about
one of 2**48 pairs, that two counters are the same. This is the scheme of splittable generators
(Claessen and Palka 2013) with a block cipher that is cheap to vectorise. One of the factors is
not hashed, since a recursion hashes in all of its states, of which the sample uses one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike

from semirings.base import Laws
from semirings.capabilities import Stochastic
from semirings.numerics import cumulative, log_balance, log_sum, log_times, relative, unbroadcast
from semirings.threefry import Words, threefry_2x32

_BITS = 24
"""Integers of so many bits are exact in float32."""

_CHOICE, _SPLIT = (0, 0), (1, 0)
"""The keys under which a counter gives the bits of a choice, and the counter of a right factor."""


class Drawn(NamedTuple):
    """A value of ``Sampling``: the log weight, and carriers of marks and state backwards.

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
class Sampling(Stochastic):
    """Log weights whose reverse pass draws a derivation.

    A sample is the cotangent of ``feature`` when a total is pulled back from ``seed``: one for
    every use of an entry, zero for the others.
    """

    name: ClassVar[str] = "sampling"

    @property
    def laws(self) -> Laws:
        return Laws(features=True, in_distribution=True)

    def zeros(self, shape: tuple[int, ...]) -> Drawn:
        """Return the weight zero."""
        return _plain(jnp.full(shape, -jnp.inf, jnp.float32))

    def ones(self, shape: tuple[int, ...]) -> Drawn:
        """Return the weight one."""
        return _plain(jnp.zeros(shape, jnp.float32))

    def times(self, a: Drawn, b: Drawn) -> Drawn:
        """Multiply weights; the reverse pass goes on in both factors."""
        state: State = _both(a[1:], b[1:])
        return Drawn(log_times(a.weight, b.weight), *state)

    def sum(self, a: Drawn, axis: int) -> Drawn:
        """Add weights along one axis; the reverse pass chooses one summand."""
        if a.weight.shape[axis] == 0:
            return _plain(log_sum(a.weight, axis))
        axis %= a.weight.ndim
        state: State = _one(a[1:], jax.lax.stop_gradient(a.weight), axis)
        return Drawn(log_sum(a.weight, axis), *state)

    def lift(self, log_weight: jax.Array, feature: Any = None) -> Drawn:
        """Attach the feature, whose cotangent tells how often a sample used the weight."""
        if feature is None:
            return _plain(log_weight)
        mark = jnp.broadcast_to(feature, log_weight.shape).astype(log_weight.dtype)
        return _plain(log_weight)._replace(mark=mark)

    def balance(self, a: Drawn, axes: tuple[int, ...]) -> tuple[Drawn, jax.Array]:
        """Subtract the largest along ``axes``, held constant."""
        weight, log_factor = log_balance(a.weight, axes)
        return a._replace(weight=weight), log_factor

    def observe(self, a: Drawn) -> Any:
        return a.weight

    def log_weight(self, a: Drawn) -> jax.Array:
        """Return the log weight of all derivations together."""
        return a.weight

    def seed(self, key: jax.Array, shape: tuple[int, ...], dtype: DTypeLike = jnp.float32) -> Drawn:
        """Return the cotangent of a total that starts one sample for each entry.

        Args:
            key: a random key; the same key draws the same.
            shape: of the total, perhaps with further axes in front to map the pullback over.
            dtype: of the total's weights.
        """
        bits = jax.random.bits(key, (2, *shape), jnp.uint32) >> (32 - _BITS)
        high, low = bits.astype(dtype)
        nothing = jnp.zeros(shape, dtype)
        return Drawn(nothing, jnp.ones_like(nothing), jnp.maximum(high, 1.0), low)


def _plain(weight: jax.Array) -> Drawn:
    nothing = jnp.zeros_like(weight)
    return Drawn(weight, nothing, nothing, nothing)


State = tuple[jax.Array, jax.Array, jax.Array]
"""Mark, high and low: arrays of zeros, made for their cotangents."""


@jax.custom_vjp
def _both(a: State, b: State) -> State:
    """Return the state of a product."""
    dtype = jnp.result_type(a[0], b[0])
    nothing = jnp.zeros(jnp.broadcast_shapes(a[0].shape, b[0].shape), dtype)
    return nothing, nothing, nothing


def _both_forward(a: State, b: State) -> tuple[State, tuple[jax.Array, jax.Array]]:
    state: State = _both(a, b)
    return state, (a[0], b[0])


def _both_reverse(operands: tuple[jax.Array, jax.Array], state: State) -> tuple[State, State]:
    # First summed, then advanced: where an operand was repeated, one of its places is used.
    first, second = (_sent_to(operand, state) for operand in operands)
    return _stepped(first), _split(second)


def _sent_to(operand: jax.Array, state: State) -> State:
    """Return the state in shape and dtype of an operand that was broadcast."""
    mark, high, low = (unbroadcast(x, operand).astype(operand.dtype) for x in state)
    return mark, high, low


_both.defvjp(_both_forward, _both_reverse)


@partial(jax.custom_vjp, nondiff_argnums=(2,))
def _one(state: State, weight: jax.Array, axis: int) -> State:
    """Return the state of a sum."""
    nothing = jnp.sum(jnp.zeros_like(weight), axis)
    return nothing, nothing, nothing


def _one_forward(state: State, weight: jax.Array, axis: int) -> tuple[State, jax.Array]:
    terms, _ = relative(weight, axis)
    # The distribution function of the choice; a summand without weight is never reached.
    return _one(state, weight, axis), jnp.where(terms > 0, cumulative(terms, axis), -1.0)


def _one_reverse(axis: int, reached: jax.Array, state: State) -> tuple[State, None]:
    size = reached.shape[axis]
    _, high, low = state
    ahead = _bits(_CHOICE, high, low)[0].astype(reached.dtype)
    behind = 2.0**_BITS - ahead
    # A quotient in this form: the compiler repeats arithmetic without a division for every summand.
    threshold = jnp.max(reached, axis) * (ahead / (ahead + behind))
    index = jnp.arange(size, dtype=reached.dtype)
    index = index.reshape([-1 if i == axis else 1 for i in range(reached.ndim)])
    # The first beyond the threshold; where rounding leaves none beyond it, the last possible.
    order = jnp.where(reached > 0, 2 * size - index, 2 * size + 1 + index)
    order = jnp.where(reached > jnp.expand_dims(threshold, axis), index, order)
    chosen = order == jnp.min(order, axis, keepdims=True)
    below = _stepped(state)
    spread = tuple(jnp.where(chosen, jnp.expand_dims(x, axis), 0.0) for x in below)
    return (spread[0], spread[1], spread[2]), None


_one.defvjp(_one_forward, _one_reverse)


def _stepped(state: State) -> State:
    """Return the next state, zero where the state is."""
    mark, high, low = state
    following = jnp.where(low < 2.0**_BITS - 1, low + 1, 0.0)
    return mark, high, jnp.where(high > 0, following, 0.0)


def _split(state: State) -> State:
    """Return a state drawn by the state, zero where the state is."""
    mark, high, low = state
    new_high, new_low = _bits(_SPLIT, high, low)
    used = high > 0
    return (
        mark,
        jnp.where(used, jnp.maximum(new_high, 1).astype(high.dtype), 0.0),
        jnp.where(used, new_low.astype(low.dtype), 0.0),
    )


def _bits(key: tuple[int, int], high: jax.Array, low: jax.Array) -> Words:
    """Return twice 24 random bits, the upper ones of each word."""
    words = threefry_2x32(key, (high.astype(jnp.uint32), low.astype(jnp.uint32)))
    return words[0] >> (32 - _BITS), words[1] >> (32 - _BITS)
