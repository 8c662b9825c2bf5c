"""Derivations in the usual arrays of the field: states, segments, heads, spans, orders.

Such arrays are converted to the places of the parts that they use, from which follow marks of all
parts and log weights, without an array of all parts. Wrong derivations are refused by the function
``check``; while JAX traces a function there are no values to check, and a derivation that is none
has parts, a score and a probability of NaN.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from semipunct.errors import UsageError
from semipunct.structures.draws import Places

P = TypeVar("P")

_NOWHERE = -2
"""The index of all places of an array that is no derivation; ``Places`` counts NaN uses there."""


class Readable(ABC, Generic[P]):
    """A structure whose derivations have a usual form, an array of integers.

    The array has axes ``[..., batch, ...]``; a batch of one item may lack its axis. Entries beyond
    the length of an item are ignored, and -1 in arrays that are returned.
    """

    @abstractmethod
    def places(self, derivations: Any) -> P:
        """Return the places of the parts of derivations.

        Args:
            derivations: in the usual form.

        Returns:
            For each array of parts the indices ``[..., batch, most]`` as in ``Places.index``.

        Raises:
            UsageError: if they do not fit the structure, naming the item and the entry.
        """

    @abstractmethod
    def from_parts(self, parts: P) -> jax.Array:
        """Return derivations in the usual form, -1 in the padding and where there is none.

        Args:
            parts: of one derivation of each item, with or without leading axes: ``Answer.parts``,
                ``Draws.parts`` or, without an array of all parts in between, ``Draws.uses``.
        """

    @abstractmethod
    def expand(self) -> Any:
        """Return the same structure with shared log weights broadcast to every place of use."""

    def to_parts(self, derivations: Any) -> P:
        """Return the parts of derivations, arrays ``[..., batch, ...]`` of the number of uses.

        Args:
            derivations: in the usual form.

        Raises:
            UsageError: if they do not fit the structure, naming the item and the entry. Traced ones
                have parts of NaN.
        """
        return jax.tree.map(
            lambda x, w: Places(x, w.shape[1:], w.dtype).marks(),
            self.places(derivations),
            self.expand().log_weights,
        )


def is_form(structure: Any, derivations: Any) -> bool:
    """Return whether derivations are in the usual form of a structure, not in parts.

    Args:
        structure: a structure.
        derivations: parts like its log weights, or an array in the usual form.
    """
    parts = type(structure.log_weights)
    # An array of parts would be taken for one in the usual form.
    if not hasattr(structure, "to_parts") or not issubclass(parts, tuple):
        return False
    return not isinstance(derivations, parts)


def score_form(structure: Any, derivations: Any) -> jax.Array:
    """Return the log weights ``[..., batch]`` of derivations in the usual form.

    Args:
        structure: one with a method ``to_parts``; without leading axes unless it is ``Readable``.
        derivations: as for ``to_parts``.

    Raises:
        UsageError: as ``to_parts``.
    """
    if not isinstance(structure, Readable):
        return structure.expand().score(structure.to_parts(derivations))

    def weight(index: jax.Array, log_weights: jax.Array) -> jax.Array:
        flat = log_weights.reshape(len(log_weights), math.prod(log_weights.shape[1:]))
        if not flat.shape[1]:
            return jnp.zeros(index.shape[:-1], flat.dtype)
        entries = flat[jnp.arange(len(flat))[:, None], jnp.maximum(index, 0)]
        total = jnp.sum(jnp.where(index < 0, 0.0, entries), -1)
        return jnp.where(jnp.any(index == _NOWHERE, -1), jnp.nan, total)

    each = jax.tree.map(weight, structure.places(derivations), structure.expand().log_weights)
    terms: list[jax.Array] = jax.tree.leaves(each)
    return sum(terms[1:], terms[0])


def as_marks(array: Any) -> jax.Array:
    """Return an array of parts, expanded if it has the places of a sample."""
    return array.marks() if isinstance(array, Places) else jnp.asarray(array)


def as_form(derivations: Any, shape: tuple[int | None, ...], name: str) -> Any:
    """Check the shape and the type of derivations.

    Args:
        derivations: an array of integers.
        shape: that of a batch; None for an axis of any size.
        name: what they are, in the plural, for messages.

    Returns:
        A NumPy array, or a traced one of JAX.

    Raises:
        UsageError: if they are no integers of that shape, with or without leading axes.
    """
    array = derivations if isinstance(derivations, Tracer) else np.asarray(derivations)
    if array.ndim == len(shape) - 1 and shape[0] == 1:
        array = array[None]
    last = array.shape[max(0, array.ndim - len(shape)) :]
    fits = len(last) == len(shape) and all(
        need is None or size == need for size, need in zip(last, shape, strict=True)
    )
    if not fits:
        wanted = ", ".join("any" if x is None else str(x) for x in shape)
        raise UsageError(f"{name} have shape {array.shape}; expected [..., {wanted}]")
    if array.size and not np.issubdtype(array.dtype, np.integer):
        raise UsageError(f"{name} must be integers, not {array.dtype}")
    return array.astype(np.int32) if isinstance(array, np.ndarray) else array


def check(valid: Any, explain: Callable[[tuple[int, ...]], str]) -> None:
    """Raise an error for the first derivation that is none, unless JAX traces them.

    Args:
        valid: ``[..., batch]`` whether each is a derivation.
        explain: returns the message for the indices of a derivation that is none.

    Raises:
        UsageError: with that message.
    """
    if isinstance(valid, Tracer) or valid.all():
        return
    raise UsageError(explain(tuple(int(i) for i in np.argwhere(~valid)[0])))


def mask_places(valid: Any, *indices: Any) -> tuple[jax.Array, ...]:
    """Return indices of places, none where the array is no derivation.

    Args:
        valid: ``[..., batch]`` whether each is a derivation.
        *indices: ``[..., batch, most]`` arrays.
    """
    return tuple(jnp.where(jnp.asarray(valid)[..., None], x, _NOWHERE) for x in indices)


def modules_of(*arrays: Any) -> Any:
    """Return the module, NumPy or JAX's, that computes with arrays without leaving the host."""
    return jnp if any(isinstance(x, Tracer) for x in arrays) else np


def used_places(lengths: Any, size: int) -> Any:
    """Return ``[batch, size]`` which places lengths include, concrete if they are.

    Args:
        lengths: ``[batch]``.
        size: number of places.
    """
    lengths = lengths if isinstance(lengths, Tracer) else np.asarray(lengths)
    return np.arange(size) < lengths[:, None]


def check_labels(labels: Any, used: Any, count: int, name: str, label: str) -> Any:
    """Return ``[..., batch]`` whether all labels are in range; refuse concrete ones that are not.

    Args:
        labels: ``[..., batch, n]``.
        used: ``[batch, n]`` which of them are used.
        count: number of labels.
        name: what the array is, for messages.
        label: what a label is, in the plural.

    Raises:
        UsageError: naming the first label out of range.
    """
    wrong = used & ((labels < 0) | (labels >= count))

    def explain(_: tuple[int, ...]) -> str:
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        return f"{name}{list(place)} is {labels[place]}; there are {label} 0 to {count - 1}"

    valid = ~wrong.any(-1)
    check(valid, explain)
    return valid


def first_rows(rows: jax.Array, used: jax.Array, count: int) -> jax.Array:
    """Return the used rows, in order, then rows of -1.

    Args:
        rows: ``[..., many, fields]``.
        used: ``[..., many]``.
        count: number of rows returned.
    """
    order = jnp.argsort(~used, -1, stable=True)[..., :count]
    chosen = jnp.take_along_axis(rows, order[..., None], -2)
    return jnp.where(jnp.take_along_axis(used, order, -1)[..., None], chosen, -1)
