"""Checks of array arguments of public functions; of traced arrays only the shape is checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jax.core import Tracer

from semipunct.errors import UsageError
from semipunct.wording import quantity

# Names of axes, separated by blanks. An axis whose name ends in ``?`` may have size 1 and is then
# broadcast; a number is a size.
Axes = str


def check_shapes(**arguments: tuple[jax.Array, Axes]) -> Mapping[str, int]:
    """Check that axes of the same name have the same size; return the sizes by name.

    Args:
        **arguments: arrays by argument name, each with its axes.

    Raises:
        UsageError: if two arguments differ in an axis.
    """
    sizes: dict[str, int] = {}
    found_in: dict[str, str] = {}
    for argument, (array, axes) in arguments.items():
        names = axes.split()
        if len(names) != array.ndim:
            raise UsageError(
                f"{argument} has shape {array.shape}; expected "
                f"{quantity(len(names), 'axis', 'axes')}: [{axes}]"
            )
        for axis, (name, size) in enumerate(zip(names, array.shape, strict=True)):
            if name.isdigit():
                if size != int(name):
                    raise UsageError(
                        f"{argument} has shape {array.shape}; axis {axis} must have size {name}"
                    )
                continue
            plain = name.rstrip("?")
            if name != plain and size == 1:
                sizes.setdefault(plain, 1)
                continue
            if sizes.get(plain, 1) == 1 and plain not in found_in:
                sizes[plain], found_in[plain] = size, argument
            elif sizes[plain] != size:
                first_argument = found_in[plain]
                raise UsageError(
                    f"{argument} has shape {array.shape} and {first_argument} has shape "
                    f"{arguments[first_argument][0].shape}: they differ in the axis {plain!r} "
                    f"({size} and {sizes[plain]})"
                )
    return sizes


def check_lengths(lengths: jax.Array, longest: int, *, name: str = "lengths") -> jax.Array:
    """Check that ``[items]`` lengths are integers from 0 to ``longest``, and widen them.

    Products may exceed narrow integers, and scans require equal dtypes.

    Raises:
        UsageError: if a length is out of bounds.
    """
    if not np.issubdtype(lengths.dtype, np.integer):
        raise UsageError(f"{name} must be integers, not {lengths.dtype}")
    if isinstance(lengths, Tracer):
        return lengths.astype(int)
    values = np.asarray(lengths)
    wrong = np.flatnonzero((values < 0) | (values > longest))
    if wrong.size:
        raise UsageError(
            f"{name}[{wrong[0]}] is {values[wrong[0]]}; the arrays allow 0 to {longest}"
        )
    return lengths.astype(int)


def as_log_weights(weights: npt.ArrayLike) -> jax.Array:
    """Return an array of log weights, half precision converted to float32.

    In bfloat16 a sum of 256 ones would not grow any more.
    """
    array = jnp.asarray(weights)
    return array.astype(jnp.float32) if array.dtype in (jnp.bfloat16, jnp.float16) else array


def checked_lengths(
    lengths: npt.ArrayLike | None,
    longest: int,
    *,
    name: str = "lengths",
    **argument: tuple[jax.Array, Axes],
) -> jax.Array:
    """Return lengths ``[batch]`` as integers, the longest for None.

    Args:
        lengths: ``[batch]``, or None.
        longest: the upper bound.
        name: the name of the argument, for messages.
        **argument: an array of the batch by the name of its argument, with its axes.

    Raises:
        UsageError: if the batch has another size, or a length is out of bounds.
    """
    ((array, _),) = argument.values()
    given = jnp.asarray(np.full(len(array), longest, np.int32) if lengths is None else lengths)
    check_shapes(**argument, **{name: (given, "batch")})
    return check_lengths(given, longest, name=name)


def within(lengths: jax.Array, size: int) -> npt.NDArray[np.bool_] | None:
    """Return ``[items, size]`` whether a position is within the length; None for traced lengths."""
    if isinstance(lengths, Tracer):
        return None
    return np.arange(size) < np.asarray(lengths)[:, None]


def used_by_any(mask: Any, shape: tuple[int, ...]) -> Any:
    """Reduce a mask to arrays of a shape whose axes of size 1 are shared: used by any item."""
    if mask is None:
        return None
    for axis, (size, required) in enumerate(zip(mask.shape, shape, strict=False)):
        if required == 1 and size != 1:
            mask = mask.any(axis, keepdims=True)
    return mask.reshape(*mask.shape, *(1,) * (len(shape) - mask.ndim))


def check_log_weights(
    used: Mapping[str, npt.NDArray[np.bool_] | None] = {}, **arguments: jax.Array
) -> None:
    """Check that log weights are floats below plus infinity.

    Args:
        used: masks that broadcast to arguments, false for padding; None if unknown.

    Raises:
        UsageError: if an entry is invalid.
    """
    for name, array in arguments.items():
        if np.dtype(array.dtype).name not in ("float32", "float64"):
            raise UsageError(f"{name} must be floats of 16, 32 or 64 bits, not {array.dtype}")
        mask = used.get(name, np.True_)
        if isinstance(array, Tracer) or mask is None:
            continue
        values = np.asarray(array)
        wrong = (np.isnan(values) | (values == np.inf)) & mask
        if wrong.any():
            place = tuple(int(i) for i in np.argwhere(wrong)[0])
            raise UsageError(
                f"{name}{list(place)} is {values[place]}; a log weight is a number, or minus "
                "infinity for what is forbidden"
            )
