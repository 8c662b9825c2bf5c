"""Products and sums of the values of arcs, in any semiring.

Machines have any number of arcs, and JAX compiles a program for every shape. Concrete values are
therefore padded to powers of two, so that few programs are compiled, and returned to the host. With
traced values everything is part of the program that is being traced.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jax.core import Tracer

from semirings.base import Semiring, Value

SMALLEST = 16
"""The smallest padded size; smaller ones would not be faster."""

T = TypeVar("T")

Index = npt.NDArray[np.integer]


def is_traced(*values: Any) -> bool:
    """Return whether JAX traces any of the values."""
    return any(isinstance(x, Tracer) for x in jax.tree.leaves(values))


def concretely(function: Callable[..., T], *arguments: Any) -> T:
    """Call a function on concrete arguments, at once even where JAX traces what surrounds it.

    Args:
        function: returns arrays.
        *arguments: of it.
    """
    with jax.ensure_compile_time_eval():
        return function(*arguments)


def count_of(value: Value) -> int:
    """Return the size of the first axis."""
    return jax.tree.leaves(value)[0].shape[0]


def take(value: Value, index: Index) -> Value:
    """Return the entries of an index, on the host if values are concrete.

    Args:
        value: ``[n]``.
        index: ``[m]``.
    """
    if is_traced(value):
        return jax.tree.map(lambda x: x[index], value)
    return jax.tree.map(lambda x: np.asarray(x)[index], value)


def concatenate(values: Sequence[Value]) -> Value:
    """Join values ``[n]``, on the host if they are concrete.

    Args:
        values: one or more, in the same semiring.
    """
    if is_traced(*values):
        return jax.tree.map(lambda *xs: jnp.concatenate(xs), *values)
    return jax.tree.map(lambda *xs: np.concatenate([np.asarray(x) for x in xs]), *values)


def ones(semiring: Semiring, count: int, like: Value) -> Value:
    """Return ones ``[count]`` on the host, in the dtypes of other values.

    Args:
        semiring: of the values.
        count: how many.
        like: values.
    """
    return _constant(concretely(semiring.ones, (1,)), count, like)


def zeros(semiring: Semiring, count: int, like: Value) -> Value:
    """Return zeros ``[count]`` on the host, in the dtypes of other values.

    Args:
        semiring: of the values.
        count: how many.
        like: values.
    """
    return _constant(concretely(semiring.zeros, (1,)), count, like)


def _constant(one: Value, count: int, like: Value) -> Value:
    return jax.tree.map(lambda x, y: np.repeat(np.asarray(x).astype(y.dtype), count), one, like)


def is_zero(semiring: Semiring, value: Value) -> npt.NDArray[np.bool_]:
    """Return ``[n]`` which values are zero; none of those that JAX traces, which are not known.

    Args:
        semiring: of the values.
        value: ``[n]``.
    """
    if is_traced(value):
        return np.zeros(count_of(value), bool)
    return log_weights_of(semiring, value) == -np.inf


def log_weights_of(semiring: Semiring, value: Value) -> npt.NDArray[np.floating]:
    """Return the log weights of concrete values, on the host.

    Args:
        semiring: of the values.
        value: ``[n]``.
    """
    count = count_of(value)
    return np.asarray(concretely(_log_weights, semiring, _padded(value, room_of(count))))[:count]


def lift_values(semiring: Semiring, log_weight: Any, feature: Any) -> Value:
    """Turn log weights and features into values.

    Args:
        semiring: of the values.
        log_weight: ``[n]``.
        feature: arrays of that shape, or None.
    """
    if is_traced(log_weight, feature):
        return semiring.lift(log_weight, feature)
    count = len(log_weight)
    padded = _padded((log_weight, feature), room_of(count))
    return _cut(concretely(_jitted_lift, semiring, *padded), count)


@partial(jax.jit, static_argnums=0)
def _jitted_lift(semiring: Semiring, log_weight: Any, feature: Any) -> Value:
    return semiring.lift(log_weight, feature)


@partial(jax.jit, static_argnums=0)
def _log_weights(semiring: Semiring, value: Value) -> jax.Array:
    return semiring.log_weight(value)


def product(semiring: Semiring, *factors: tuple[Value, Index | None]) -> Value:
    """Multiply entries of values, in order.

    Args:
        semiring: of the values.
        *factors: values ``[n]``, each with the index ``[m]`` of its entries; None for all.

    Returns:
        ``[m]``.
    """
    if is_traced(*(value for value, _ in factors)):
        chosen = [value if index is None else take(value, index) for value, index in factors]
        return _multiply(semiring, chosen)
    # Gathered on the host, since programs would depend on the sizes of both, values and index.
    hosted = [jax.tree.map(np.asarray, value) for value, _ in factors]
    chosen = [
        value if index is None else take(value, index)
        for value, (_, index) in zip(hosted, factors, strict=True)
    ]
    count = count_of(chosen[0])
    padded = [_padded(value, room_of(count)) for value in chosen]
    return _cut(concretely(_jitted_multiply, semiring, padded), count)


def _multiply(semiring: Semiring, values: Sequence[Value]) -> Value:
    total = values[0]
    for value in values[1:]:
        total = semiring.times(total, value)
    return total


_jitted_multiply = partial(jax.jit, static_argnums=0)(_multiply)


def divide(semiring: Semiring, a: Value, b: Value, index: Index | None = None) -> Value:
    """Divide values by entries of others, from the left.

    Args:
        semiring: of the values; its laws declare ``division``.
        a: ``[m]`` dividends.
        b: ``[n]`` divisors.
        index: ``[m]`` that of each; None for all.
    """
    if is_traced(a, b):
        return semiring.divide(a, b if index is None else take(b, index))
    b = jax.tree.map(np.asarray, b)
    b, count = b if index is None else take(b, index), count_of(a)
    room = room_of(count)
    ratio = concretely(_jitted_divide, semiring, _padded(a, room), _padded(b, room))
    return _cut(ratio, count)


@partial(jax.jit, static_argnums=0)
def _jitted_divide(semiring: Semiring, a: Value, b: Value) -> Value:
    return semiring.divide(a, b)


def grouped_sum(semiring: Semiring, value: Value, group: Index, count: int) -> Value:
    """Sum values within groups.

    Args:
        semiring: of the values.
        value: ``[items]``.
        group: ``[items]`` the group of each, ascending.
        count: the number of groups.

    Returns:
        ``[count]``; zero for an empty group.
    """
    items = count_of(value)
    first = np.searchsorted(group, np.arange(count))
    sizes = np.bincount(group, minlength=count)
    rounds = int(sizes.max(initial=0) - 1).bit_length() if items else 0
    if is_traced(value):
        if not items:
            return zeros(semiring, count, value)
        return _grouped(semiring, rounds, value, group, np.minimum(first, items - 1), sizes > 0)
    room, groups = room_of(items), room_of(count)
    padding = np.full(room, -1, np.int32)
    padding[:items] = group
    place, is_used = np.zeros(groups, np.int32), np.zeros(groups, bool)
    place[:count], is_used[:count] = np.minimum(first, max(items - 1, 0)), sizes > 0
    # A few numbers of rounds, each of which is another program.
    rounds = next(n for n in (0, 2, 4, 8, 16, 32) if n >= rounds)
    summed = concretely(
        _jitted_grouped, semiring, rounds, _padded(value, room), padding, place, is_used
    )
    return _cut(summed, count)


def _grouped(
    semiring: Semiring, rounds: int, value: Value, group: Any, first: Any, is_used: Any
) -> Value:
    return semiring.where(
        is_used,
        take(suffix_sums(semiring, rounds, value, group), first),
        semiring.zeros_like(take(value, first)),
    )


_jitted_grouped = partial(jax.jit, static_argnums=(0, 1))(_grouped)


def suffix_sums(semiring: Semiring, rounds: int, value: Value, group: Any) -> Value:
    """Sum each value and those that follow it in its group.

    Args:
        semiring: of the values.
        rounds: how often the number of summands is doubled.
        value: ``[..., items]``.
        group: ``[..., items]`` the group of each; those of one group are neighbours.
    """
    items = group.shape[-1]
    position = np.arange(items)
    # After n rounds an entry is the sum of 2**n neighbours, or of fewer at the end of a group.
    for step in (1 << n for n in range(rounds)):
        other = np.minimum(position + step, items - 1)
        joined = (group[..., other] == group) & (position + step < items)
        added = semiring.plus(value, jax.tree.map(lambda x, i=other: x[..., i], value))
        value = semiring.where(joined, added, value)
    return value


def keys(semiring: Semiring, value: Value, delta: float) -> npt.NDArray[np.int64]:
    """Return ``[n, leaves]`` integers that are equal where values are, up to rounding.

    Args:
        semiring: of the values.
        value: ``[n]``, concrete.
        delta: the step that log weights, or else floats, are rounded to.
    """
    if len(jax.tree.leaves(value)) == 1 and "read back" not in semiring.laws.broken:
        return _rounded(log_weights_of(semiring, value), delta)[:, None]
    count = count_of(value)
    seen = concretely(_jitted_observe, semiring, _padded(value, room_of(count)))
    columns = [np.asarray(x)[:count] for x in jax.tree.leaves(seen)]
    return np.stack([_rounded(x, delta) for x in columns], -1)


@partial(jax.jit, static_argnums=0)
def _jitted_observe(semiring: Semiring, value: Value) -> Any:
    return semiring.observe(value)


def _rounded(x: np.ndarray, delta: float) -> npt.NDArray[np.int64]:
    if not np.issubdtype(x.dtype, np.floating):
        return x.astype(np.int64)
    most = 2.0**62
    steps = np.nan_to_num(np.round(x.astype(np.float64) / delta), posinf=most, neginf=-most)
    return np.clip(steps, -most, most).astype(np.int64)


def room_of(count: int, least: int = SMALLEST) -> int:
    """Return the padded size for a number of values.

    Args:
        count: the number.
        least: the smallest size.
    """
    return max(least, 1 << max(count - 1, 0).bit_length())


def _padded(value: Value, room: int) -> Value:
    def padded(x: Any) -> np.ndarray:
        full = np.zeros(room, x.dtype)
        full[: len(x)] = x
        return full

    return jax.tree.map(padded, value)


def _cut(value: Value, count: int) -> Value:
    return jax.tree.map(lambda x: np.asarray(x)[:count], value)
