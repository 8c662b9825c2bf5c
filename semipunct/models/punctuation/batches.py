"""Conversion of batch drafts to padded arrays: features, slot strings and the schedule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from semipunct.arrays.rows import SparseRows, block_rows
from semipunct.features.templates import Table
from semipunct.models.punctuation.encoding import EncodedSentences
from semipunct.models.punctuation.inventory import Inventory
from semipunct.models.punctuation.shapes import (
    BatchShape,
    Draft,
    FeatureSizes,
    grow_shape,
    occurring,
)
from semipunct.models.punctuation.slot_automata import Acceptors, acceptors
from semipunct.structures.given_tree import Capacity, Schedule, pack


class Batch(NamedTuple):
    """The arrays of a batch, from which ``GivenTrees`` are built.

    Attributes:
        features: feature vectors by table.
        relation: ``[words]`` relation numbers of the inventory.
        accept: acceptors of the distinct surface strings.
        schedule: the order in which constituents are absorbed; automata are numbered as in
            ``accept``.
        log_scale: ``[sentences]`` log of the factor taken out of the acceptors.
        slots: ``[sentences]`` numbers of slots that may contain marks; zero in the padding.
        closed: ``[words, 2]`` whether the slots at the left and at the right of each constituent
            are within orthographic words; None if no slot of the encoded sentences is.
    """

    features: Mapping[Table, SparseRows]
    relation: npt.NDArray[np.int32]
    accept: Acceptors
    schedule: Schedule
    log_scale: npt.NDArray[np.float32]
    slots: npt.NDArray[np.int32]
    closed: npt.NDArray[np.bool_] | None = None


def lay_out(
    encoded: EncodedSentences,
    draft: Draft,
    inventory: Inventory,
    directions: Sequence[bool],
    shape: BatchShape,
) -> Batch:
    """Lay out some sentences in padded arrays.

    Args:
        encoded: all sentences.
        draft: the sentences of the batch.
        inventory: gives the alphabet.
        directions: for each pass of the channel, whether its window moves from right to left.
        shape: the padded sizes. A size that is too small is doubled until it suffices, so that few
            distinct shapes occur.
    """
    members = draft.members
    placement = draft.schedule_absorptions(shape.lanes)
    shape = grow_shape(shape, draft, placement)
    capacity = Capacity(
        sentences=shape.sentences,
        words=shape.words,
        slots=shape.strings,
        steps=shape.steps,
        lanes=shape.lanes,
        factors=shape.factors,
    )
    accept = acceptors(draft.strings, inventory, shape.states, shape.strings, directions)
    words = encoded.words(members)
    relation = np.full(shape.words, len(inventory.relations), np.int32)
    relation[: len(words)] = encoded.relation[words]
    log_scale = np.zeros(shape.sentences, np.float32)
    log_scale[: len(members)] = [accept.log_scale[a].sum() for a in draft.automata]
    count = np.zeros(shape.sentences, np.int32)
    count[: len(members)] = [encoded.slots[i] for i in members]
    closed = None
    if encoded.closed is not None:
        closed = np.zeros((shape.words, 2), bool)
        closed[: len(words)] = encoded.closed[words]
    return Batch(
        {t: _sparse_rows(encoded, t, words, shape) for t in encoded.features},
        relation,
        accept,
        pack(draft.absorptions, draft.automata, placement, capacity),
        log_scale,
        count,
        closed,
    )


def _sparse_rows(
    encoded: EncodedSentences, table: Table, words: npt.NDArray[np.int64], shape: BatchShape
) -> SparseRows:
    """Return the padded feature vectors of a batch's words; nodes are numbered as in the batch."""
    rows, support, size = encoded.features[table], encoded.supports[table], shape.features[table]
    # Tables without weights are not used.
    size = size if support.weights else FeatureSizes(0, 0, 0)
    counts, context, values = rows.of(words)
    present = occurring(context, rows.size) if support.weights else np.zeros(0, np.int64)
    weights, number, outcome = support.of(present)
    row_of = np.zeros(rows.size, np.int32)
    row_of[present] = np.arange(len(present))
    row, node = row_of[context], np.arange(len(words), dtype=np.int32).repeat(counts)
    by_row = np.argsort(row, kind="stable") if support.weights else slice(0)
    height = block_rows(support.outcomes)
    cell = row_of[present].repeat(weights) % height * support.outcomes + outcome
    row = row[by_row]
    first = np.arange(size.blocks + 1) * height
    start = np.append(0, weights.cumsum())[np.minimum(first, len(present))], row.searchsorted(first)
    # Padding refers to weights beyond the last, each entry to a different one.
    beyond = np.arange(support.weights, support.weights + size.weights - len(number))
    return SparseRows(
        np.concatenate([number, beyond]).astype(np.int32),
        _padded(cell, size.weights),
        _padded(node[by_row], size.entries),
        _padded(row % height, size.entries),
        _padded(values[by_row], size.entries, np.float32),
        np.array(start, np.int32),
    )


def _padded(numbers: npt.NDArray[Any], size: int, dtype: Any = np.int32) -> npt.NDArray[Any]:
    return np.pad(numbers.astype(dtype), (0, size - len(numbers)))
