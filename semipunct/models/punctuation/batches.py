"""From sentences to the arrays of a batch: features, slot strings and the schedule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from semipunct.arrays.padding import SparseRows, round_up
from semipunct.corpus.sentences import Sentence
from semipunct.features.index import FeatureRows
from semipunct.features.templates import Target
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


@dataclass(frozen=True, slots=True)
class BatchShape:
    """The padded sizes of batches: all that decides a compiled shape.

    Attributes:
        sentences: of a batch.
        words: of all its sentences.
        strings: distinct surface strings.
        states: at least the tokens of the longest string.
        steps: steps of the scan.
        lanes: absorptions per step, narrow and wide.
        factors: numbers multiplied up per sentence.
        entries: feature entries by target.
    """

    sentences: int
    words: int
    strings: int
    states: int
    steps: int
    lanes: tuple[int, ...]
    factors: int
    entries: Mapping[str, int]


class Batch(NamedTuple):
    """Arrays of one batch, from which ``GivenTrees`` are made.

    Attributes:
        features: feature vectors by target.
        relation: ``[words]`` relation numbers of the inventory.
        columns: ``[words, columns]`` inputs of the network; no columns without one.
        accept: acceptors of the distinct surface strings.
        schedule: which constituents are absorbed when; automata are numbered as in ``accept``.
        log_scale: ``[sentences]`` log of the factor taken out of the acceptors.
        slots: ``[sentences]`` number of slots; zero in the padding.
    """

    features: Mapping[str, SparseRows]
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
        features: feature vectors of all words, by target.
        start: ``[sentences + 1]`` where each sentence's words begin.
        widths: number of vector widths of the slot automata: 2 if slots of at most one token
            are narrow, else 1.
    """

    strings: tuple[tuple[int, ...], ...]
    string_of_slot: tuple[npt.NDArray[np.int32], ...]
    absorptions: tuple[Absorptions, ...]
    relation: npt.NDArray[np.int32]
    columns: npt.NDArray[np.int32]
    features: Mapping[Target, FeatureRows]
    start: npt.NDArray[np.int64]
    widths: int

    @property
    def lengths(self) -> list[int]:
        """Words of each sentence."""
        return np.diff(self.start).tolist()


def encode(
    sentences: Sequence[Sentence],
    inventory: Inventory,
    features: Mapping[Target, FeatureRows],
    columns: npt.NDArray[np.int32],
    directions: Sequence[bool],
    *,
    final_mark: bool,
) -> EncodedSentences:
    """Do everything that does not depend on how sentences are batched.

    Args:
        sentences: words, trees and surface punctuation.
        inventory: numbers of strings and relations.
        features: feature vectors of all words, by target.
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
        entries: the number of feature entries by target.
    """

    members: Sequence[int]
    absorptions: list[Absorptions]
    automata: list[npt.NDArray[np.int32]]
    strings: list[tuple[int, ...]]
    groups: list[npt.NDArray[np.int32]]
    widths: int
    entries: dict[str, int]
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
        return max(int(p.untouched.sum()) + len(p.kid) for p in self.absorptions)

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
    first, last = encoded.start[list(members)], encoded.start[[i + 1 for i in members]]
    entries = {
        target: int((rows.start[last] - rows.start[first]).sum())
        for target, rows in encoded.features.items()
    }
    return Draft(members, absorptions, automata, strings, groups, encoded.widths, entries)


def fit_shape(drafts: Sequence[Draft], sentences: int) -> BatchShape:
    """Choose sizes that nearly all batches fit into, judged by some.

    Each size is that of the largest of these batches and an eighth more, which is less than any
    step of ``round_up``: the next size. Batches that exceed it are compiled once more, with the
    size doubled. Steps are an exception: long chains are rare and cost every batch, so one in five
    batches gets twice as many.

    Args:
        drafts: typical batches.
        sentences: the most sentences of a batch.
    """

    def ample(values: Sequence[int]) -> int:
        values = [round_up(value) for value in values]
        return round_up(max(values) + max(values) // 8)

    of_each = [d.lanes for d in drafts]
    lanes = tuple(int(np.ceil(np.median(column))) for column in zip(*of_each, strict=True))
    steps = [d.placed(lanes).steps for d in drafts[:_SCHEDULED]]
    states = [max(2, round_up(d.longest, 1)) for d in drafts]
    return BatchShape(
        sentences=sentences,
        words=ample([d.words for d in drafts]),
        strings=ample([len(d.strings) for d in drafts]),
        states=max(states) + 1,
        steps=int(np.quantile(steps, 0.8, method="higher")),
        lanes=lanes,
        factors=ample([d.factors for d in drafts]),
        entries={t: ample([d.entries[t] for d in drafts]) for t in drafts[0].entries},
    )


def own_shape(draft: Draft) -> BatchShape:
    """Return the sizes of one batch, rounded up."""
    lanes = draft.lanes
    return BatchShape(
        sentences=len(draft.members),
        words=round_up(draft.words),
        strings=round_up(len(draft.strings)),
        states=max(2, round_up(draft.longest, 1)),
        steps=round_up(draft.placed(lanes).steps, 1),
        lanes=lanes,
        factors=round_up(draft.factors),
        entries={t: round_up(n) for t, n in draft.entries.items()},
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
        steps=shape.steps,
        lanes=shape.lanes,
        factors=shape.factors,
    )
    accept = acceptors(draft.strings, inventory, shape.states, shape.strings, directions)
    words = np.concatenate([np.arange(*encoded.start[i : i + 2]) for i in members])
    relation = np.full(shape.words, len(inventory.relations), np.int32)
    relation[: len(words)] = encoded.relation[words]
    seen = np.zeros((shape.words, encoded.columns.shape[1]), np.int32)
    seen[: len(words)] = encoded.columns[words]
    log_scale = np.zeros(shape.sentences, np.float32)
    log_scale[: len(members)] = [accept.log_scale[a].sum() for a in draft.automata]
    count = np.zeros(shape.sentences, np.int32)
    count[: len(members)] = [len(a) for a in draft.automata]
    return Batch(
        {t: _entries(rows, words, shape, t) for t, rows in encoded.features.items()},
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
        steps=_doubled(shape.steps, placement.steps),
        factors=_doubled(shape.factors, draft.factors),
        entries={t: _doubled(n, draft.entries[t]) for t, n in shape.entries.items()},
    )


def _doubled(size: int, needed: int) -> int:
    """Double a size as often as needed."""
    while size < needed:
        size *= 2
    return size


def _entries(
    rows: FeatureRows, words: npt.NDArray[np.int64], shape: BatchShape, target: str
) -> SparseRows:
    """Return the padded feature entries of a batch's words; nodes are numbered as in the batch."""
    counts = rows.start[words + 1] - rows.start[words]
    total = int(counts.sum())
    # Entry by entry: where it stands among those of all sentences.
    source = np.arange(total) + (rows.start[words] - (counts.cumsum() - counts)).repeat(counts)
    size = shape.entries[target]
    node = np.full(size, shape.words, np.int32)
    context = np.zeros(size, np.int32)
    value = np.zeros(size, np.float32)
    node[:total] = np.arange(len(words)).repeat(counts)
    context[:total], value[:total] = rows.context[source], rows.value[source]
    return SparseRows(node, context, value)
