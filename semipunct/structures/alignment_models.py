"""Alignments by matches, deletions and insertions: edits, pair HMMs, affine gaps.

| Part       | Shape                     | Entry                                                |
| ---------- | ------------------------- | ---------------------------------------------------- |
| step       | ``[batch, n + 1, m + 1,   | ``[b, i, j, o]``: after operation o, i symbols of    |
|            | 3]``                      | the first sequence are consumed, and j of the second |
| transition | ``[batch, 3, 3]``         | ``[b, o, p]``: operation o is followed by p          |

Operation 0 matches a symbol of each sequence, 1 deletes one of the first, 2 inserts one of the
second.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jax.core import Tracer

from semipunct.arrays.shapes import (
    as_batch,
    as_log_weights,
    check_lengths,
    check_log_weights,
    check_shapes,
    used_by_any,
)
from semipunct.errors import UsageError
from semipunct.structures.monotone import (
    MOVES,
    AlignmentParts,
    Alignments,
    used_steps,
)

_OPERATIONS = len(MOVES)


def alignments(
    match: jax.Array,
    delete: npt.ArrayLike = 0.0,
    insert: npt.ArrayLike = 0.0,
    transition: npt.ArrayLike | None = None,
    initial: npt.ArrayLike | None = None,
    final: npt.ArrayLike | None = None,
    lengths: npt.ArrayLike | None = None,
) -> Alignments:
    """Make alignments of two sequences by matches, deletions and insertions.

    The weight of an alignment is the product of its operations and of the transitions between them.
    With negative costs as log weights, the best alignment has the least cost (edit distance,
    Needleman-Wunsch); with log probabilities, transitions and their ends it is a pair HMM. Two
    empty sequences have one alignment, of weight one.

    Args:
        match: ``[batch, n, m]`` log weight of aligning symbol i of the first sequence with symbol j
            of the second. All log weights are converted to its precision.
        delete: log weight of symbol i of the first being aligned with nothing, after j symbols of
            the second: ``[batch, n, m + 1]``, or a shape that broadcasts to it.
        insert: log weight of symbol j of the second being aligned with nothing, after i symbols of
            the first: ``[batch, n + 1, m]``, or a shape that broadcasts to it.
        transition: ``[batch, 3, 3]`` log weight of each pair of successive operations, in the order
            of match, delete, insert; the first axis may have size 1 or be missing. None for zeros,
            which takes less time.
        initial: ``[batch, 3]`` log weight of the first operation, or None for zeros; likewise. It
            becomes part of the steps out of the first cell.
        final: ``[batch, 3]`` log weight of the last operation, or None for zeros; likewise. It
            becomes part of the steps to the last cell.
        lengths: ``[batch, 2]`` numbers of symbols of the first and the second sequence; n and m by
            default.

    Raises:
        UsageError: if shapes do not fit, a length is out of range or a log weight is not one.
    """
    match = as_log_weights(match, 3)
    check_shapes(match=(match, "batch rows columns"))
    batch, rows, columns = match.shape
    both = _checked_lengths(lengths, match.shape)
    used = None if isinstance(both, Tracer) else _used(np.asarray(both), match.shape)
    by_operation = {
        "match": match,
        "delete": _broadcast("delete", delete, (batch, rows, columns + 1), match.dtype),
        "insert": _broadcast("insert", insert, (batch, rows + 1, columns), match.dtype),
    }
    for operation, (name, weights) in enumerate(by_operation.items()):
        down, right = MOVES[operation]
        mask = None if used is None else used[:, down:, right:, operation]
        check_log_weights({name: mask}, **{name: weights})
    step = jnp.stack(
        [
            jnp.pad(weights, ((0, 0), (down, 0), (right, 0)))
            for weights, (down, right) in zip(by_operation.values(), MOVES, strict=True)
        ],
        -1,
    )
    total = jnp.sum(both, 1)
    if initial is not None:
        first = _per_item("initial", initial, (_OPERATIONS,), total > 0, match.dtype)
        for operation, (down, right) in enumerate(MOVES):
            if down < step.shape[1] and right < step.shape[2]:
                step = step.at[:, down, right, operation].add(first[:, operation])
    if final is not None:
        last = _per_item("final", final, (_OPERATIONS,), total > 0, match.dtype)
        row, column = (jnp.arange(n) for n in step.shape[1:3])
        is_last = (row[:, None] == both[:, :1, None]) & (column == both[:, 1:, None])
        step = step + jnp.where(is_last[..., None], last[:, None, None], 0.0)
    follow = None
    if transition is not None:
        square = (_OPERATIONS, _OPERATIONS)
        follow = _per_item("transition", transition, square, total > 1, match.dtype)
    return Alignments(AlignmentParts(step, follow), both)


def affine_gaps(opening: npt.ArrayLike, extension: npt.ArrayLike) -> tuple[jax.Array, jax.Array]:
    """Return the transitions and initial weights of ``alignments`` with affine gaps.

    A gap of k symbols (successive deletions, or successive insertions) has log weight
    ``opening + (k - 1) * extension``, in addition to those of its symbols. A deletion next to an
    insertion opens another gap.

    Args:
        opening: log weight of the first symbol of a gap, a number (the negative of a penalty).
        extension: log weight of each further one.

    Returns:
        ``transition`` ``[3, 3]`` and ``initial`` ``[3]``.

    Source: Gotoh (1982).
    """
    opening, extension = jnp.asarray(opening, float), jnp.asarray(extension, float)
    check_shapes(opening=(opening, ""), extension=(extension, ""))
    gaps = jnp.array([False, True, True])
    same = jnp.eye(_OPERATIONS, dtype=bool)
    transition = jnp.where(gaps, jnp.where(same, extension, opening), 0.0)
    return transition, jnp.where(gaps, opening, 0.0)


def _used(lengths: npt.NDArray[Any], shape: tuple[int, ...]) -> npt.NDArray[np.bool_]:
    batch, rows, columns = shape
    return used_steps(lengths, (batch, rows + 1, columns + 1), MOVES, np)


def _checked_lengths(lengths: npt.ArrayLike | None, shape: tuple[int, ...]) -> jax.Array:
    batch, *sizes = shape
    if lengths is None:
        return jnp.broadcast_to(jnp.array(sizes, int), (batch, 2))
    both = as_batch(jnp.asarray(lengths), 2)
    if both.shape != (batch, 2):
        raise UsageError(f"lengths has shape {both.shape}; expected [batch, 2]: {(batch, 2)}")
    checked = [
        check_lengths(both[:, i], size, name=f"lengths[:, {i}]") for i, size in enumerate(sizes)
    ]
    return jnp.stack(checked, 1)


def _broadcast(name: str, weights: Any, shape: Sequence[int], dtype: Any) -> jax.Array:
    array = as_log_weights(weights).astype(dtype)
    try:
        return jnp.broadcast_to(array, shape)
    except ValueError:
        raise UsageError(
            f"{name} has shape {array.shape}, which does not broadcast to {tuple(shape)}"
        ) from None


def _per_item(
    name: str, weights: Any, shape: tuple[int, ...], needed: jax.Array, dtype: Any
) -> jax.Array:
    """Return weights ``[batch or 1, ...]``, after a check of those of items that need them."""
    array = as_log_weights(weights).astype(dtype)
    array = array.reshape((1,) * (len(shape) + 1 - array.ndim) + array.shape)
    batch = len(needed)
    if array.shape[1:] != shape or array.shape[0] not in (1, batch):
        raise UsageError(f"{name} has shape {array.shape}; expected {(batch, *shape)} or {shape}")
    used = None if isinstance(needed, Tracer) else used_by_any(np.asarray(needed), array.shape)
    check_log_weights({name: used}, **{name: array})
    return array
