"""The usual form of derivations: integer arrays of states, segments, heads, spans or orders.

Invalid derivations raise an error unless they are traced.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from semipunct.errors import UsageError
from semipunct.structures.base import PartWise, compile_once
from semipunct.structures.draws import Places

P = TypeVar("P")

# The index of all places of an invalid derivation; ``Places`` counts NaN uses for it.
_NOWHERE = -2


@dataclass(frozen=True)
class Readable(PartWise[P]):
    """A structure whose derivations have a usual form, integers ``[..., batch, ...]``.

    Entries beyond an item's length are ignored in arguments and -1 in results.
    """

    form_axes: ClassVar[int] = 1

    @abstractmethod
    def places(self, derivations: Any) -> P:
        """Return the indices of the parts used, ``[..., batch, most]``, as in ``Places.index``.

        Raises:
            UsageError: if a derivation is invalid, naming item and entry.
        """

    @abstractmethod
    def from_parts(self, parts: P) -> jax.Array:
        """Convert parts, arrays or ``Places``, to the usual form; -1 for none."""

    @property
    def weights_by_place(self) -> P:
        return self.weights

    def to_parts(self, derivations: Any) -> P:
        """Convert derivations to numbers of uses, ``[..., batch, ...]``.

        Arrays of -1 use no parts. Invalid traced derivations have parts of NaN.
        """
        places, whole = self.places(derivations), self.expand().log_weights
        form = derivations if isinstance(derivations, jax.Array) else np.asarray(derivations)
        axes = tuple(range(form.ndim - self.form_axes, form.ndim))
        none = (form == -1).all(axes)[..., None] & (form.size > 0)
        return jax.tree.map(
            lambda x, w: Places(jnp.where(none & (x < 0), -1, x), w.shape[1:], w.dtype).marks(),
            places,
            whole,
        )

    def weigh(self, derivations: Any) -> jax.Array:
        """Return the log weights of derivations, ``[..., batch]``."""
        return self._weigh(self.places(derivations))

    @compile_once()
    def _weigh(self, places: P) -> jax.Array:
        whole: Any = jax.eval_shape(lambda: self.expand().log_weights)

        def weight(index: jax.Array, log_weights: jax.Array, shape: tuple[int, ...]) -> jax.Array:
            if not math.prod(shape[1:]):
                return jnp.zeros(index.shape[:-1], log_weights.dtype)
            at = jnp.unravel_index(jnp.maximum(index, 0), shape[1:])
            place = jnp.arange(shape[0])[:, None], *at
            # An axis of size 1 is shared.
            entries = log_weights[
                tuple(x if n > 1 else 0 for x, n in zip(place, log_weights.shape, strict=True))
            ]
            total = jnp.sum(jnp.where(index < 0, 0.0, entries), -1)
            return jnp.where(jnp.any(index == _NOWHERE, -1), -jnp.inf, total)

        terms = [
            weight(index, log_weights, like.shape)
            for index, log_weights, like in zip(
                *map(jax.tree.leaves, (places, self.weights_by_place, whole)), strict=True
            )
        ]
        return sum(terms[1:], terms[0])


@dataclass(frozen=True)
class Direct(Readable[Any]):
    """A structure with its own algorithms, because it has no recursion over a semiring."""

    @abstractmethod
    def quick_sums(self) -> tuple[jax.Array, Any] | None:
        """Return log partition and marginals if a program that compiles fast suffices."""

    @abstractmethod
    def log_partition(self) -> jax.Array:
        """Return the log partition, ``[batch]``, whose gradient is the marginals."""

    @abstractmethod
    def argmax(self) -> Any:
        pass

    @abstractmethod
    def top_k(self, k: int) -> tuple[Any, Any]:
        """Return the ``k`` best derivations and their log weights, ``[k, batch]``."""

    @abstractmethod
    def sample(self, keys: jax.Array, count: int) -> jax.Array:
        """Draw ``count`` derivations of each item from random keys ``[batch]``."""

    @abstractmethod
    def entropy(self, marginals: Any) -> jax.Array:
        pass

    @abstractmethod
    def kl_divergence(self, log_weights: Any, marginals: Any) -> jax.Array:
        """Return KL(p || q) in nats, ``[batch]``, where q has the given log weights."""


def as_marks(array: Any) -> jax.Array:
    """Return the number of uses of each part as an array."""
    return array.marks() if isinstance(array, Places) else jnp.asarray(array)


def used_entry(array: Any, axes: int = 1) -> jax.Array:
    """Return the flat index along the last axes of the used part, -1 for none."""
    if not isinstance(array, Places):
        marks = jnp.asarray(array)
        *leading, size = (*marks.shape[: marks.ndim - axes], math.prod(marks.shape[-axes:]))
        flat = marks.reshape(*leading, size)
        return (
            jnp.where(jnp.any(flat > 0, -1), jnp.argmax(flat, -1), -1)
            if size
            else (jnp.full(leading, -1))
        )
    rows, size = array.shape[:-axes], max(1, math.prod(array.shape[-axes:]))
    *leading, most = array.index.shape
    index = array.index.reshape(math.prod(leading), most)
    row = jnp.where(index < 0, math.prod(rows), index // size)
    none = jnp.full((len(index), math.prod(rows)), -1, index.dtype)
    used = none.at[jnp.arange(len(index))[:, None], row].set(index % size, mode="drop")
    return used.reshape(*leading, *rows)


def as_form(derivations: Any, shape: tuple[int | None, ...], name: str) -> Any:
    """Check shape and dtype of derivations; return a NumPy array, or a traced one."""
    array = derivations if isinstance(derivations, Tracer) else np.asarray(derivations)
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


def check(valid: Any, form: Any, explain: Callable[[tuple[int, ...]], str]) -> None:
    """Raise ``UsageError`` for the first invalid derivation, unless traced or all -1.

    Args:
        explain: returns the message for an index of ``valid``.
    """
    if isinstance(valid, Tracer) or valid.all():
        return
    none = np.asarray(form == -1).all(tuple(range(valid.ndim, form.ndim)))
    wrong = np.argwhere(~(np.asarray(valid) | (none & (form.size > 0))))
    if len(wrong):
        raise UsageError(explain(tuple(int(i) for i in wrong[0])))


def mask_places(valid: Any, *indices: Any) -> tuple[jax.Array, ...]:
    """Replace indices ``[..., batch, most]`` of invalid derivations by ``_NOWHERE``."""
    xp = modules_of(valid, *indices)
    return tuple(xp.where(xp.asarray(valid)[..., None], x, _NOWHERE) for x in indices)


def modules_of(*arrays: Any) -> Any:
    """Return ``numpy``, or ``jax.numpy`` if any array is traced."""
    return jnp if any(isinstance(x, Tracer) for x in arrays) else np


def used_places(lengths: Any, size: int) -> Any:
    """Return a mask ``[batch, size]`` of positions within lengths."""
    lengths = lengths if isinstance(lengths, Tracer) else np.asarray(lengths)
    return np.arange(size) < lengths[:, None]


def check_labels(labels: Any, used: Any, count: int, name: str, label: str) -> Any:
    """Return whether all used labels are in range, ``[..., batch]``; raise if concrete.

    Args:
        label: the noun for labels, in the plural.
    """
    wrong = used & ((labels < 0) | (labels >= count))

    def explain(item: tuple[int, ...]) -> str:
        place = (*item, int(np.argmax(wrong[item])))
        return f"{name}{list(place)} is {labels[place]}; there are {label} 0 to {count - 1}"

    valid = ~wrong.any(-1)
    check(valid, labels, explain)
    return valid


def first_rows(rows: jax.Array, used: jax.Array, count: int) -> jax.Array:
    """Move used rows ``[..., many, fields]`` to the front, in order, and fill with -1."""
    size = used.shape[-1]
    order = jnp.sort(jnp.where(used, jnp.arange(size), size))[..., :count, None]
    return jnp.take_along_axis(rows, order, -2, mode="fill", fill_value=-1)
