"""Arguments of structures that align frames to a sequence of labels: labels and two lengths."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jax.core import Tracer

from semipunct.arrays.shapes import as_batch, check_lengths, within
from semipunct.errors import UsageError


def label_sequences(
    log_probs: jax.Array, labels: Any, lengths: Any, label_lengths: Any, blank: int
) -> tuple[jax.Array, jax.Array]:
    """Check labels and lengths.

    Args:
        log_probs: ``[batch, frames, ..., symbols]``.
        labels: ``[batch, labels]``.
        lengths: ``[batch]`` numbers of frames, or None for all of them.
        label_lengths: ``[batch]`` numbers of labels, or None for all of them.
        blank: the symbol that is no label.

    Returns:
        The labels, with zeros in the padding; and ``[batch, 2]`` both lengths.

    Raises:
        UsageError: if shapes do not fit, a length is out of range, or a label is not a symbol or is
            the blank.
    """
    batch, frames, symbols = log_probs.shape[0], log_probs.shape[1], log_probs.shape[-1]
    labels = as_batch(jnp.asarray(labels), 2)
    if labels.ndim != 2 or len(labels) != batch:
        raise UsageError(f"labels has shape {labels.shape}; expected [{batch}, labels]")
    if not np.issubdtype(labels.dtype, np.integer):
        raise UsageError(f"labels must be integers, not {labels.dtype}")
    if not 0 <= blank < symbols:
        raise UsageError(f"blank is {blank}; there are symbols 0 to {symbols - 1}")
    counts = _lengths("lengths", lengths, batch, frames)
    label_counts = _lengths("label_lengths", label_lengths, batch, labels.shape[1])
    inside = within(label_counts, labels.shape[1])
    if inside is not None and not isinstance(labels, Tracer):
        values = np.asarray(labels)
        wrong = np.argwhere(((values < 0) | (values >= symbols) | (values == blank)) & inside)
        if len(wrong):
            place = wrong[0].tolist()
            raise UsageError(
                f"labels{place} is {values[tuple(place)]}; a label is a symbol from 0 to "
                f"{symbols - 1} other than the blank, {blank}"
            )
    labels = jnp.where(jnp.arange(labels.shape[1]) < label_counts[:, None], labels, 0)
    return labels, jnp.stack([counts, label_counts], 1)


def symbols_of(
    labels: jax.Array, lengths: jax.Array, symbols: int, blank: int
) -> npt.NDArray[np.bool_] | None:
    """Return ``[batch, symbols]`` which symbols an item has, the blank included.

    Args:
        labels: ``[batch, labels]``.
        lengths: ``[batch, 2]`` numbers of frames and of labels.
        symbols: the number of symbols.
        blank: the symbol that is no label.

    Returns:
        None while JAX traces the labels or the lengths.
    """
    if isinstance(labels, Tracer) or isinstance(lengths, Tracer):
        return None
    of_item = np.zeros((len(labels), symbols), bool)
    counts = np.asarray(lengths)[:, 1]
    for used, row, count in zip(of_item, np.asarray(labels), counts, strict=True):
        used[[*row[:count], blank]] = True
    return of_item


def _lengths(name: str, lengths: Any, batch: int, size: int) -> jax.Array:
    if lengths is None:
        return jnp.full(batch, size, int)
    array = as_batch(jnp.asarray(lengths), 1)
    if array.shape != (batch,):
        raise UsageError(f"{name} has shape {array.shape}; expected one of each item: ({batch},)")
    return check_lengths(array, size, name=name)
