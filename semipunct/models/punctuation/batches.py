"""From sentences to the arrays of a batch: features, slot strings and the schedule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from semipunct.arrays.padding import round_up
from semipunct.arrays.sparse import SparseRows, block_rows
from semipunct.corpus.sentences import Sentence
from semipunct.features.index import FeatureRows
from semipunct.features.support import Support
from semipunct.features.templates import Table
from semipunct.marks import with_boundaries
from semipunct.models.punctuation.inventory import Inventory
from semipunct.models.punctuation.slot_automata import Acceptors, acceptors
from semipunct.structures.given_tree import (
    Absorptions,
    Capacity,
    Placement,
    Schedule,
    absorptions,
    mirrored_absorptions,
    pack,
    place,
)

_SCHEDULED = 64
"""Batches that are scheduled to choose the number of steps: the quantile needs no more."""


class FeatureSizes(NamedTuple):
    """The sizes of one table of a batch; see ``SparseRows``.

    Attributes:
        entries: of all nodes.
        blocks: of distinct features.
        weights: the weights of these.
    """

    entries: int
    blocks: int
    weights: int


@dataclass(frozen=True, slots=True)
class BatchShape:
    """The padded sizes of batches: all that decides a compiled shape.

    Attributes:
        sentences: of a batch.
        words: of all its sentences.
        strings: distinct surface strings.
        states: at least the tokens of the longest string.
        steps: steps of the scan, and those of batches with a longer chain.
        lanes: absorptions per step, narrow and wide.
        factors: numbers multiplied up per sentence.
        features: the sizes of each table's features.
    """

    sentences: int
    words: int
    strings: int
    states: int
    steps: tuple[int, int]
    lanes: tuple[int, ...]
    factors: int
    features: Mapping[Table, FeatureSizes]


class Batch(NamedTuple):
    """Arrays of one batch, from which ``GivenTrees`` are made.

    Attributes:
        features: feature vectors by table.
        relation: ``[words]`` relation numbers of the inventory.
        columns: ``[words, columns]`` inputs of the network; no columns without one.
        accept: acceptors of the distinct surface strings.
        schedule: which constituents are absorbed when; automata are numbered as in ``accept``.
        log_scale: ``[sentences]`` log of the factor taken out of the acceptors.
        slots: ``[sentences]`` number of slots; zero in the padding.
    """

    features: Mapping[Table, SparseRows]
    relation: npt.NDArray[np.int32]
    columns: npt.NDArray[np.int32]
    accept: Acceptors
    schedule: Schedule
    log_scale: npt.NDArray[np.float32]
    slots: npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class EncodedSentences:
    """Sentences ready to be batched: features extracted and trees ordered.

    Attributes:
        strings: the distinct surface strings, as symbols in text order; the first is empty.
        string_of_slot: for each sentence ``[n + 1]`` numbers of strings, in reading order.
        absorptions: for each sentence the operations of its recursion.
        relation: ``[words of all sentences]``.
        columns: ``[words of all sentences, columns]`` from ``network_inputs``, or no columns.
        features: feature vectors of all words, by table.
        supports: the weights of the features, by table.
        start: ``[sentences + 1]`` where each sentence's words begin.
        widths: number of vector widths of the slot automata: 2 if slots of at most one token
            are narrow, else 1.
    """

    strings: tuple[tuple[int, ...], ...]
    string_of_slot: tuple[npt.NDArray[np.int32], ...]
    absorptions: tuple[Absorptions, ...]
    relation: npt.NDArray[np.int32]
    columns: npt.NDArray[np.int32]
    features: Mapping[Table, FeatureRows]
    supports: Mapping[Table, Support]
    start: npt.NDArray[np.int64]
    widths: int

    @property
    def lengths(self) -> list[int]:
        """Words of each sentence."""
        return np.diff(self.start).tolist()


def encode(
    sentences: Sequence[Sentence],
    inventory: Inventory,
    features: Mapping[Table, FeatureRows],
    supports: Mapping[Table, Support],
    columns: npt.NDArray[np.int32],
    directions: Sequence[bool],
    *,
    final_mark: bool,
) -> EncodedSentences:
    """Do everything that does not depend on how sentences are batched.

    Args:
        sentences: words, trees and surface punctuation.
        inventory: numbers of strings and relations.
        features: feature vectors of all words, by table.
        supports: the weights of the features, by table.
        columns: ``[words of all sentences, columns]`` inputs of the network, or no columns.
        directions: for each pass of the channel, whether its window moves from right to left.
        final_mark: whether the channel puts a mark at the end of a sentence, too.
    """
    mirrored = directions[0]
    number: dict[tuple[int, ...], int] = {(): 0}
    encoded: dict[tuple[str, ...], int] = {}
    string_of_slot: list[npt.NDArray[np.int32]] = []
    orders: list[Absorptions] = []
    for sentence in sentences:
        strings: list[int] = []
        for slot in with_boundaries(sentence.slots, final=final_mark):
            if slot not in encoded:
                encoded[slot] = number.setdefault(inventory.encode(slot), len(number))
            strings.append(encoded[slot])
        left, right = (np.asarray(x, np.int32) for x in sentence.tree.edges)
        order = mirrored_absorptions if mirrored else absorptions
        orders.append(order(sentence.tree.heads, left, right, [not s for s in strings]))
        in_order = strings[::-1] if mirrored else strings
        string_of_slot.append(np.array(in_order, np.int32))
    row = {r: i for i, r in enumerate(inventory.relations)}
    relation = [row.get(r, len(row)) for s in sentences for r in s.tree.relations]
    start = np.cumsum([0, *(len(s.forms) for s in sentences)])
    return EncodedSentences(
        tuple(number),
        tuple(string_of_slot),
        tuple(orders),
        np.array(relation, np.int32),
        columns,
        features,
        supports,
        start,
        2 if len(directions) == 1 else 1,
    )


@dataclass(slots=True)
class Draft:
    """A batch before padding: its trees ordered and its slots numbered, features still to come.

    Attributes:
        members: numbers of its sentences.
        absorptions: the absorptions of each sentence.
        automata: for each sentence ``[n + 1]`` the numbers of its strings within the batch.
        strings: the distinct surface strings; the first is empty.
        groups: for each sentence the vector width that each absorption needs.
        widths: how many widths there are.
        features: the sizes of each table's features.
    """

    members: Sequence[int]
    absorptions: list[Absorptions]
    automata: list[npt.NDArray[np.int32]]
    strings: list[tuple[int, ...]]
    groups: list[npt.NDArray[np.int32]]
    widths: int
    features: dict[Table, FeatureSizes]
    _placed: tuple[tuple[int, ...], Placement] | None = None

    @property
    def words(self) -> int:
        """The words of all sentences."""
        return sum(p.words for p in self.absorptions)

    @property
    def longest(self) -> int:
        """The tokens of the longest string."""
        return max(len(s) for s in self.strings)

    @property
    def factors(self) -> int:
        """The numbers that are multiplied up for a sentence, at most."""
        return max(map(_factors, self.absorptions))

    @property
    def lanes(self) -> tuple[int, ...]:
        """Absorptions per step that suit the batch.

        The longest chain of absorptions is the least number of steps; this many lanes do all the
        others beside it.
        """
        chain = max(1, *(int(p.height.max(initial=0)) for p in self.absorptions))
        work = [sum(int((g == width).sum()) for g in self.groups) for width in range(self.widths)]
        # Half as many again: lanes stand idle while a chain ends.
        return tuple(max(1, -(-3 * n // (2 * chain))) for n in work)

    def placed(self, lanes: tuple[int, ...]) -> Placement:
        """Schedule the absorptions; the last schedule is kept, to be used in laying out."""
        if self._placed is None or self._placed[0] != lanes:
            self._placed = lanes, place(self.absorptions, self.groups, lanes)
        return self._placed[1]


def _factors(absorptions: Absorptions) -> int:
    """Return how many numbers are multiplied up for a sentence, at most."""
    return int(absorptions.untouched.sum()) + len(absorptions.kid)


def draft(encoded: EncodedSentences, members: Sequence[int]) -> Draft:
    """Collect what choosing a shape and laying out a batch have in common.

    Args:
        encoded: all sentences.
        members: numbers of those that form the batch.
    """
    absorptions = [encoded.absorptions[i] for i in members]
    slots = [encoded.string_of_slot[i] for i in members]
    used, local = np.unique(np.concatenate([np.zeros(1, np.int32), *slots]), return_inverse=True)
    automata = np.split(local[1:].astype(np.int32), np.cumsum([len(s) for s in slots])[:-1])
    strings: list[tuple[int, ...]] = [encoded.strings[i] for i in used.tolist()]
    is_wide = np.array([encoded.widths > 1 and len(s) > 1 for s in strings])
    groups = [
        (is_wide[a[p.left_slot]] | is_wide[a[p.right_slot]]).astype(np.int32)
        for p, a in zip(absorptions, automata, strict=True)
    ]
    words = _words(encoded, members)
    sizes: dict[Table, FeatureSizes] = {}
    for table, rows in encoded.features.items():
        _, context, _ = rows.of(words)
        found = _occurring(context, rows.size)
        support = encoded.supports[table]
        blocks = -(-len(found) // block_rows(support.outcomes))
        sizes[table] = FeatureSizes(len(context), blocks, int(support.counts(found).sum()))
    return Draft(members, absorptions, automata, strings, groups, encoded.widths, sizes)


def _words(encoded: EncodedSentences, members: Sequence[int]) -> npt.NDArray[np.int64]:
    """Return the numbers of the words of some sentences, among those of all."""
    return np.concatenate([np.arange(*encoded.start[i : i + 2]) for i in members])


def _occurring(context: npt.NDArray[np.int32], size: int) -> npt.NDArray[np.int64]:
    """Return the features that occur, ascending; sorting would take many times longer."""
    occurs = np.zeros(size, bool)
    occurs[context] = True
    return np.flatnonzero(occurs)


def fit_shape(encoded: EncodedSentences, drafts: Sequence[Draft], sentences: int) -> BatchShape:
    """Choose sizes that nearly all batches fit into, judged by some.

    Where these are all there are, sizes are powers of two with lower bounds: what is compiled
    today then suits the next sentences, too. Otherwise many steps will pay for every lane and
    word: each size is that of the largest of these batches and an eighth more. Batches that exceed
    it are compiled once more, with the size doubled.

    Of steps there are two sizes: long chains are rare and would cost every batch, so one batch in
    five takes the second one, which suits the longest chain.

    Args:
        encoded: all sentences.
        drafts: typical batches.
        sentences: the most sentences of a batch.
    """
    everything = sum(len(d.members) for d in drafts) == len(encoded.absorptions)

    def ample(size: int, least: int) -> int:
        if everything:
            return round_up(size, least, steps=1)
        return round_up(size + size // 8, steps=16)

    words = ample(max(d.words for d in drafts), 128)
    lanes = tuple(
        int(np.ceil(np.median(column))) for column in zip(*(d.lanes for d in drafts), strict=True)
    )
    if everything:
        lanes = (words // 12, max(2, words // 256))[: len(lanes)]
        sentences = min(sentences, words // 8)
    steps = [d.placed(lanes).steps for d in drafts[:_SCHEDULED]]
    usual = int(np.quantile(steps, 0.8, method="higher"))
    usual = round_up(usual, 8, steps=2) if everything else usual
    chain = max(int(a.height.max(initial=0)) for a in encoded.absorptions)
    return BatchShape(
        sentences=sentences,
        words=words,
        strings=ample(max(len(d.strings) for d in drafts), 32),
        states=max(3, *(round_up(d.longest, 1) for d in drafts)) + 1,
        steps=(usual, ample(max(chain, *steps), 16)),
        lanes=lanes,
        factors=round_up(max(_factors(a) for a in encoded.absorptions), 64, steps=1),
        features={
            table: FeatureSizes(
                ample(max(d.features[table].entries for d in drafts), 64 * words),
                ample(max(d.features[table].blocks for d in drafts), 16),
                ample(max(d.features[table].weights for d in drafts), 512 * words),
            )
            for table in drafts[0].features
        },
    )


def own_shape(draft: Draft) -> BatchShape:
    """Return the sizes of one batch, rounded up."""
    lanes = draft.lanes
    steps = round_up(draft.placed(lanes).steps, 1)
    return BatchShape(
        sentences=len(draft.members),
        words=round_up(draft.words),
        strings=round_up(len(draft.strings)),
        states=max(2, round_up(draft.longest, 1)),
        steps=(steps, steps),
        lanes=lanes,
        factors=round_up(draft.factors),
        features={t: FeatureSizes(*map(round_up, own)) for t, own in draft.features.items()},
    )


def lay_out(
    encoded: EncodedSentences,
    draft: Draft,
    inventory: Inventory,
    directions: Sequence[bool],
    shape: BatchShape,
) -> Batch:
    """Lay some sentences out in padded arrays.

    Args:
        encoded: all sentences.
        draft: those that form the batch.
        inventory: gives the alphabet.
        directions: for each pass of the channel, whether its window moves from right to left.
        shape: the sizes to pad to. A size that does not suffice is doubled until it does, so that
            few shapes occur.
    """
    members = draft.members
    placement = draft.placed(shape.lanes)
    shape = _grown(shape, draft, placement)
    capacity = Capacity(
        sentences=shape.sentences,
        words=shape.words,
        slots=shape.strings,
        steps=shape.steps[0],
        lanes=shape.lanes,
        factors=shape.factors,
    )
    accept = acceptors(draft.strings, inventory, shape.states, shape.strings, directions)
    words = _words(encoded, members)
    relation = np.full(shape.words, len(inventory.relations), np.int32)
    relation[: len(words)] = encoded.relation[words]
    seen = np.zeros((shape.words, encoded.columns.shape[1]), np.int32)
    seen[: len(words)] = encoded.columns[words]
    log_scale = np.zeros(shape.sentences, np.float32)
    log_scale[: len(members)] = [accept.log_scale[a].sum() for a in draft.automata]
    count = np.zeros(shape.sentences, np.int32)
    count[: len(members)] = [len(a) for a in draft.automata]
    return Batch(
        {t: _sparse_rows(encoded, t, words, shape) for t in encoded.features},
        relation,
        seen,
        accept,
        pack(draft.absorptions, draft.automata, placement, capacity),
        log_scale,
        count,
    )


def _grown(shape: BatchShape, draft: Draft, placement: Placement) -> BatchShape:
    """Double the sizes of a shape that do not suffice for a batch."""
    return replace(
        shape,
        sentences=_doubled(shape.sentences, len(draft.members)),
        words=_doubled(shape.words, draft.words),
        strings=_doubled(shape.strings, len(draft.strings)),
        states=_doubled(shape.states, draft.longest),
        steps=(_steps(shape, placement), shape.steps[1]),
        factors=_doubled(shape.factors, draft.factors),
        features={
            table: FeatureSizes(*map(_doubled, own, draft.features[table]))
            for table, own in shape.features.items()
        },
    )


def _steps(shape: BatchShape, placement: Placement) -> int:
    usual, most = shape.steps
    return usual if placement.steps <= usual else _doubled(most, placement.steps)


def _doubled(size: int, needed: int) -> int:
    """Double a size as often as needed."""
    while size < needed:
        size *= 2
    return size


def _sparse_rows(
    encoded: EncodedSentences, table: Table, words: npt.NDArray[np.int64], shape: BatchShape
) -> SparseRows:
    """Return the padded feature vectors of a batch's words; nodes are numbered as in the batch."""
    rows, support, size = encoded.features[table], encoded.supports[table], shape.features[table]
    # A table without weights is not read at all.
    size = size if support.weights else FeatureSizes(0, 0, 0)
    counts, context, given = rows.of(words)
    found = _occurring(context, rows.size) if support.weights else np.zeros(0, np.int64)
    weights, number, outcome = support.of(found)
    row_of = np.zeros(rows.size, np.int32)
    row_of[found] = np.arange(len(found))
    row, node = row_of[context], np.arange(len(words), dtype=np.int32).repeat(counts)
    by_row = np.argsort(row, kind="stable") if support.weights else slice(0)
    height = block_rows(support.outcomes)
    cell = row_of[found].repeat(weights) % height * support.outcomes + outcome
    row = row[by_row]
    first = np.arange(size.blocks + 1) * height
    start = np.append(0, weights.cumsum())[np.minimum(first, len(found))], row.searchsorted(first)
    # Padding reads no weight, and no two of it the same none.
    beyond = np.arange(support.weights, support.weights + size.weights - len(number))
    return SparseRows(
        np.concatenate([number, beyond]).astype(np.int32),
        _padded(cell, size.weights),
        _padded(node[by_row], size.entries),
        _padded(row % height, size.entries),
        _padded(given[by_row], size.entries, np.float32),
        np.array(start, np.int32),
    )


def _padded(numbers: npt.NDArray[Any], size: int, dtype: Any = np.int32) -> npt.NDArray[Any]:
    return np.pad(numbers.astype(dtype), (0, size - len(numbers)))
