"""Transducers (RNN-T): alignments of frames to labels, with a blank at the end of each frame.

| Part | Shape                                  | Entry                                          |
| ---- | -------------------------------------- | ---------------------------------------------- |
| step | ``[batch, frames + 1, labels + 1, 2]`` | ``[b, t, u, 0]``: a blank ends frame t - 1,    |
|      |                                        | after u labels                                 |
|      |                                        | ``[b, t, u, 1]``: label u - 1 is in frame t    |

They are paths through the lattice of ``monotone`` with two operations.

Source: Graves (2012).
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.arrays.shapes import as_log_weights, check_log_weights, check_shapes
from semipunct.structures.labelling import label_sequences, symbols_of
from semipunct.structures.monotone import AlignmentParts, Alignments, Moves

_MOVES: Moves = ((1, 0), (0, 1))


def transducer(
    log_probs: jax.Array,
    labels: npt.ArrayLike,
    lengths: npt.ArrayLike | None = None,
    label_lengths: npt.ArrayLike | None = None,
    blank: int = 0,
) -> Alignments:
    """Make the alignments of frames to labels by a transducer (RNN-T).

    In a frame any number of labels are emitted, then a blank, which leads to the next frame. The
    log partition is the log probability of the labels, and its negation the loss. The operations of
    an alignment are 0, a blank, and 1, a label; the first sequence consists of the frames, the
    second of the labels. Without frames, only the empty sequence of labels is possible, with
    probability one.

    Args:
        log_probs: ``[batch, frames, labels + 1, symbols]`` log probability, or any log weight, of
            each symbol at each frame after each number of labels, as of ``jax.nn.log_softmax``.
        labels: ``[batch, labels]`` symbols, none of them the blank; the padding is ignored.
        lengths: ``[batch]`` numbers of frames, 0 to ``frames``; all of them by default.
        label_lengths: ``[batch]`` numbers of labels, 0 to ``labels``; all of them by default.
        blank: the symbol that ends a frame.

    Raises:
        UsageError: if shapes do not fit, a length is out of range, a label is not a symbol or is
            the blank, or a log weight that an alignment can use is not one.

    Source: Graves (2012), section 2.4.
    """
    log_probs = as_log_weights(log_probs, 4)
    check_shapes(log_probs=(log_probs, "batch frames counts symbols"))
    labels, both = label_sequences(log_probs, labels, lengths, label_lengths, blank)
    frames, columns = log_probs.shape[1], labels.shape[1]
    check_shapes(log_probs=(log_probs, f"batch frames {columns + 1} symbols"))
    check_log_weights(
        {"log_probs": _used(labels, both, log_probs.shape, blank)}, log_probs=log_probs
    )
    by_label = jnp.broadcast_to(labels[:, None, :, None], (len(labels), frames, columns, 1))
    label = jnp.take_along_axis(log_probs[:, :, :-1], by_label, 3)[..., 0]
    # No label follows the last blank.
    inside = jnp.arange(frames)[:, None] < both[:, :1, None]
    label = jnp.where(inside, label, -jnp.inf)
    leading = ((0, 0), (0, 1), (1, 0))
    step = [
        jnp.pad(log_probs[..., blank], ((0, 0), (1, 0), (0, 0))),
        jnp.pad(label, leading, constant_values=-jnp.inf),
    ]
    return Alignments(AlignmentParts(jnp.stack(step, -1)), both, _MOVES)


def _used(
    labels: jax.Array, lengths: jax.Array, shape: tuple[int, ...], blank: int
) -> npt.NDArray[Any] | None:
    """Return ``[batch, frames, labels + 1, symbols]`` whether an alignment may use a weight."""
    if (of_item := symbols_of(labels, lengths, shape[-1], blank)) is None:
        return None
    inside = np.ones(shape, bool)
    for axis, (size, beyond) in enumerate(zip(shape[1:3], (0, 1), strict=True)):
        within = np.arange(size) < np.asarray(lengths)[:, axis, None] + beyond
        inside &= np.expand_dims(within, (2, 3) if axis == 0 else (1, 3))
    # A label other than the next is not used, but is not padding either.
    return inside & of_item[:, None, None]
