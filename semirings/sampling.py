"""Sampling derivations in proportion to their weight, any number after one forward pass.

The forward pass sums weights as in ``Log``. In the reverse pass, a sum passes its whole cotangent
to one summand, drawn in proportion to its weight. The cotangent carries the random state, so a key
determines a sample even under rematerialisation.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike

from semirings.augmented import Augmented
from semirings.base import Laws
from semirings.capabilities import Stochastic
from semirings.devices import axes_of, varying
from semirings.log import Log
from semirings.numerics import cumulative, log_sum, log_times, relative, unbroadcast
from semirings.threefry import Words, threefry_2x32

# Integers of this many bits are exact in float32.
_BITS = 24

# The keys that map a counter to the bits of a choice, and to the counter of a right factor.
_CHOICE, _SPLIT = (0, 0), (1, 0)


# The state is a 48-bit counter of Threefry: two integers below 2**24, exact in a cotangent of any
# floating dtype; zero in the first means that the sample does not use the value. A sum draws a
# summand by the bits of its counter and increments the counter. A product increments the counter
# for the left factor, without hashing, and starts the right factor at a counter drawn under another
# key. Two choices of a sample share bits only if counters coincide, for one in 2**48 pairs: the
# scheme of splittable generators (Claessen and Palka 2013) with a cipher that is cheap to
# vectorise.
class Drawn(NamedTuple):
    """A log weight, and arrays of zeros whose cotangents carry marks and state.

    Attributes:
        mark: its cotangent counts the uses of the value in a sample.
        high, low: their cotangents are the random state.
    """

    weight: jax.Array
    mark: jax.Array
    high: jax.Array
    low: jax.Array


@dataclass(frozen=True)
class Sampling(Augmented, Stochastic):
    """Log weights whose reverse pass samples a derivation.

    Pulled back from ``seed``, the cotangent of ``feature`` counts the uses of each entry.
    """

    name: ClassVar[str] = "sampling"
    base = Log()

    @property
    def laws(self) -> Laws:
        return Laws(features=True, in_distribution=True)

    def augment(self, weight: jax.Array) -> Drawn:
        nothing = jnp.zeros_like(weight)
        return Drawn(weight, nothing, nothing, nothing)

    def times(self, a: Drawn, b: Drawn) -> Drawn:
        """Multiply weights; the reverse pass continues into both factors."""
        axes = axes_of((a, b))
        state: State = _state_of_factors(varying(a[1:], axes), varying(b[1:], axes))
        return Drawn(log_times(a.weight, b.weight), *state)

    def sum(self, a: Drawn, axis: int) -> Drawn:
        """Add weights along one axis; the reverse pass samples one summand."""
        if a.weight.shape[axis] == 0:
            return self.augment(log_sum(a.weight, axis))
        axis %= a.weight.ndim
        marks = varying(a[1:], axes_of(a))
        state: State = _state_of_summands(
            marks, varying(jax.lax.stop_gradient(a.weight), axes_of(a)), axis
        )
        return Drawn(log_sum(a.weight, axis), *state)

    def lift(self, log_weight: jax.Array, feature: Any = None) -> Drawn:
        """Attach the feature, whose cotangent counts the uses of the weight."""
        if feature is None:
            return self.augment(log_weight)
        mark = jnp.broadcast_to(feature, log_weight.shape).astype(log_weight.dtype)
        return self.augment(log_weight)._replace(mark=mark)

    def seed(self, key: jax.Array, shape: tuple[int, ...], dtype: DTypeLike = jnp.float32) -> Drawn:
        bits = jax.random.bits(key, (2, *shape), jnp.uint32) >> (32 - _BITS)
        high, low = bits.astype(dtype)
        nothing = jnp.zeros(shape, dtype)
        return Drawn(nothing, jnp.ones_like(nothing), jnp.maximum(high, 1.0), low)


# Mark, high and low: arrays of zeros that are used only for their cotangents.
State = tuple[jax.Array, jax.Array, jax.Array]


@jax.custom_vjp
def _state_of_factors(a: State, b: State) -> State:
    dtype = jnp.result_type(a[0], b[0])
    nothing = jnp.zeros(jnp.broadcast_shapes(a[0].shape, b[0].shape), dtype)
    nothing = varying(nothing, axes_of(a))
    return nothing, nothing, nothing


def _factors_forward(a: State, b: State) -> tuple[State, tuple[jax.Array, jax.Array]]:
    state: State = _state_of_factors(a, b)
    return state, (a[0], b[0])


def _factors_reverse(operands: tuple[jax.Array, jax.Array], state: State) -> tuple[State, State]:
    # Summed before advancing: of a broadcast operand, only one copy is used.
    first, second = (_sent_to(operand, state) for operand in operands)
    return _stepped(first), _split(second)


def _sent_to(operand: jax.Array, state: State) -> State:
    """Return the state in the shape and dtype of a broadcast operand."""
    mark, high, low = (unbroadcast(x, operand).astype(operand.dtype) for x in state)
    return mark, high, low


_state_of_factors.defvjp(_factors_forward, _factors_reverse)


@partial(jax.custom_vjp, nondiff_argnums=(2,))
def _state_of_summands(state: State, weight: jax.Array, axis: int) -> State:
    nothing = varying(jnp.sum(jnp.zeros_like(weight), axis), axes_of(weight))
    return nothing, nothing, nothing


def _summands_forward(state: State, weight: jax.Array, axis: int) -> tuple[State, jax.Array]:
    terms, _ = relative(weight, axis)
    # The unnormalised cumulative distribution; summands of weight zero are never chosen.
    return _state_of_summands(state, weight, axis), jnp.where(
        terms > 0, cumulative(terms, axis), -1.0
    )


def _summands_reverse(axis: int, reached: jax.Array, state: State) -> tuple[State, None]:
    size = reached.shape[axis]
    _, high, low = state
    # Zero would choose the first summand, whatever its share.
    ahead = jnp.maximum(_bits(_CHOICE, high, low)[0], 1).astype(reached.dtype)
    behind = 2.0**_BITS - ahead
    # A quotient, because the compiler would recompute division-free arithmetic for each summand.
    threshold = jnp.max(reached, axis) * (ahead / (ahead + behind))
    index = jnp.arange(size, dtype=reached.dtype)
    index = index.reshape([-1 if i == axis else 1 for i in range(reached.ndim)])
    # The first summand beyond the threshold; if rounding leaves none, the last possible one.
    order = jnp.where(reached > 0, 2 * size - index, 2 * size + 1 + index)
    order = jnp.where(reached > jnp.expand_dims(threshold, axis), index, order)
    chosen = order == jnp.min(order, axis, keepdims=True)
    below = _stepped(state)
    spread = tuple(jnp.where(chosen, jnp.expand_dims(x, axis), 0.0) for x in below)
    return (spread[0], spread[1], spread[2]), None


_state_of_summands.defvjp(_summands_forward, _summands_reverse)


def _stepped(state: State) -> State:
    mark, high, low = state
    following = jnp.where(low < 2.0**_BITS - 1, low + 1, 0.0)
    return mark, high, jnp.where(high > 0, following, 0.0)


def _split(state: State) -> State:
    mark, high, low = state
    new_high, new_low = _bits(_SPLIT, high, low)
    used = high > 0
    return (
        mark,
        jnp.where(used, jnp.maximum(new_high, 1).astype(high.dtype), 0.0),
        jnp.where(used, new_low.astype(low.dtype), 0.0),
    )


def _bits(key: tuple[int, int], high: jax.Array, low: jax.Array) -> Words:
    words = threefry_2x32(key, (high.astype(jnp.uint32), low.astype(jnp.uint32)))
    return words[0] >> (32 - _BITS), words[1] >> (32 - _BITS)
