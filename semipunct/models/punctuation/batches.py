"""Batches: encode sentences once, choose padded sizes, and lay out batches."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from semipunct.arrays.padding import round_up
from semipunct.arrays.rows import SparseRows, block_rows
from semipunct.corpus.sentences import Sentence, unfillable
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


@dataclass(frozen=True, slots=True)
class EncodedSentences:
    """Sentences with extracted features and ordered trees."""

    strings: tuple[tuple[int, ...], ...]  # distinct, as symbols in text order; the first is empty
    string_of_slot: tuple[npt.NDArray[np.int32], ...]  # per sentence, [n + 1], in reading order
    absorptions: tuple[Absorptions, ...]  # per sentence
    relation: npt.NDArray[np.int32]  # [total words]
    features: Mapping[Table, FeatureRows]  # of all words
    supports: Mapping[Table, Support]  # outcomes with weights
    start: npt.NDArray[np.int64]  # [sentences + 1], the first word of each sentence
    # [total words, 2], whether the slots at the edges of each constituent are within orthographic
    # words; None if no slot is
    closed: npt.NDArray[np.bool_] | None
    slots: tuple[int, ...]  # number of slots that may contain marks, per sentence
    # Number of vector widths of the slot automata: 2 (slots of at most one token, and longer ones),
    # or 1 for all.
    widths: int

    @property
    def lengths(self) -> list[int]:
        return np.diff(self.start).tolist()

    def words(self, members: Sequence[int]) -> npt.NDArray[np.int64]:
        """Return the indices of the words of some sentences."""
        return np.concatenate([np.arange(*self.start[i : i + 2]) for i in members])


def encode(
    sentences: Sequence[Sentence],
    inventory: Inventory,
    features: Mapping[Table, FeatureRows],
    supports: Mapping[Table, Support],
    directions: Sequence[bool],
    *,
    final_mark: bool,
) -> EncodedSentences:
    """Encode sentences for all batches.

    Args:
        directions: for each pass of the channel, whether it runs from right to left.
        final_mark: whether the channel has a mark at the end of a sentence.
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
    closed = None
    empty = [unfillable(sentence) for sentence in sentences]
    if any(empty):
        closed = np.array(
            [
                (left in slots, right in slots)
                for sentence, slots in zip(sentences, empty, strict=True)
                for left, right in zip(*sentence.tree.edges, strict=True)
            ]
        )
    return EncodedSentences(
        tuple(number),
        tuple(string_of_slot),
        tuple(orders),
        np.array(relation, np.int32),
        features,
        supports,
        start,
        closed,
        tuple(sentence.choices for sentence in sentences),
        2 if len(directions) == 1 else 1,
    )


_OUTLIER = 3  # maximum chain length that sizes allow for, relative to the 0.9 quantile over batches

# Narrow vectors would save less time than compiling and loading their steps takes
# (docs/decisions/recursions.md).
FEW_WORDS = 256
"""In scoring, batches with fewer words have slot vectors of a single width."""

# With one lane, sentences with many wide vectors take twice as many steps; with more, XLA's loops
# on a CPU are far slower.
_WIDE_LANES = 2  # number of lanes of wide vectors in training


class FeatureSizes(NamedTuple):
    """The padded sizes of one table of a batch; see ``SparseRows``."""

    entries: int  # of all nodes
    blocks: int  # of distinct features
    weights: int  # of these features


@dataclass(frozen=True, slots=True)
class BatchShape:
    """The padded sizes of batches, which determine all compiled shapes."""

    sentences: int
    words: int  # in all sentences
    strings: int  # distinct surface strings
    states: int  # at least the tokens of the longest string
    steps: int  # of the scan
    lanes: tuple[int, ...]  # absorptions per step, for each vector width
    factors: int  # multiplied per sentence
    features: Mapping[Table, FeatureSizes]


@dataclass(slots=True)
class Draft:
    """A batch before padding: trees are ordered and slots numbered."""

    members: Sequence[int]  # sentence numbers
    absorptions: list[Absorptions]
    automata: list[npt.NDArray[np.int32]]  # string of each slot, [n + 1] per sentence
    strings: list[tuple[int, ...]]  # distinct surface strings; the first is empty
    groups: list[npt.NDArray[np.int32]]  # vector width of each absorption, per sentence
    widths: int  # maximum number of widths
    features: dict[Table, FeatureSizes]
    _placed: tuple[tuple[int, ...], Placement] | None = None

    @property
    def words(self) -> int:
        return sum(p.words for p in self.absorptions)

    @property
    def longest(self) -> int:
        return max(len(s) for s in self.strings)

    def work(self, widths: int) -> tuple[int, ...]:
        """Return the number of absorptions per width, with the narrowest widths merged."""
        groups = self._grouped(widths)
        return tuple(sum(int((g == i).sum()) for g in groups) for i in range(widths))

    def schedule_absorptions(self, lanes: tuple[int, ...]) -> Placement:
        """Schedule the absorptions, and cache the last schedule."""
        if self._placed is None or self._placed[0] != lanes:
            self._placed = lanes, place(self.absorptions, self._grouped(len(lanes)), lanes)
        return self._placed[1]

    def _grouped(self, widths: int) -> list[npt.NDArray[np.int32]]:
        return [np.maximum(g - (self.widths - widths), 0) for g in self.groups]


def _width_groups(
    strings: Sequence[tuple[int, ...]],
    widths: int,
    absorptions: Sequence[Absorptions],
    numbers: Sequence[npt.NDArray[np.int32]],
) -> list[npt.NDArray[np.int32]]:
    """Return the width group of each absorption."""
    width = np.array([min(max(len(s), 1), widths) - 1 for s in strings], np.int32)
    return [
        np.maximum(width[slots[each.left_slot]], width[slots[each.right_slot]])
        for each, slots in zip(absorptions, numbers, strict=True)
    ]


def _chain(batch: Iterable[Absorptions]) -> int:
    """Return the length of the longest chain of absorptions, a lower bound on the steps."""
    return max((int(a.height.max(initial=1)) for a in batch), default=1)


def _factors(absorptions: Absorptions) -> int:
    return int(absorptions.untouched.sum()) + len(absorptions.kid)


def draft(encoded: EncodedSentences, members: Sequence[int]) -> Draft:
    """Do the work shared by choosing a shape and laying out a batch."""
    absorptions = [encoded.absorptions[i] for i in members]
    slots = [encoded.string_of_slot[i] for i in members]
    used, local = np.unique(np.concatenate([np.zeros(1, np.int32), *slots]), return_inverse=True)
    automata = np.split(local[1:].astype(np.int32), np.cumsum([len(s) for s in slots])[:-1])
    strings: list[tuple[int, ...]] = [encoded.strings[i] for i in used.tolist()]
    groups = _width_groups(strings, encoded.widths, absorptions, automata)
    words = encoded.words(members)
    sizes: dict[Table, FeatureSizes] = {}
    for table, rows in encoded.features.items():
        _, context, _ = rows.of(words)
        present = occurring(context, rows.size)
        support = encoded.supports[table]
        blocks = -(-len(present) // block_rows(support.outcomes))
        sizes[table] = FeatureSizes(len(context), blocks, int(support.counts(present).sum()))
    return Draft(members, absorptions, automata, strings, groups, encoded.widths, sizes)


def occurring(context: npt.NDArray[np.int32], size: int) -> npt.NDArray[np.int64]:
    """Return the distinct feature indices in ascending order, in linear time."""
    occurs = np.zeros(size, bool)
    occurs[context] = True
    return np.flatnonzero(occurs)


def fit_shape(
    encoded: EncodedSentences, drafts: Sequence[Draft], sentences: int, *, scoring: bool
) -> BatchShape:
    """Choose sizes that fit nearly all batches, judging by a sample that includes the largest.

    For scoring, sizes are powers of two, so that compiled functions are reused for other sentences.
    In training, every lane and word costs time in many steps: each size is the maximum over these
    batches plus a sixteenth. The number of steps suffices for the longest chain of the treebank and
    for the sentence with the most absorptions of wide vectors; only batches with an exceptionally
    long chain, such as a list of hundreds of names, get a shape of their own.
    """

    def ample(size: int, least: int) -> int:
        if scoring:
            return round_up(size, least, steps=1)
        return round_up(size + size // 16, steps=16)

    most_words = max(d.words for d in drafts)
    words = ample(most_words, 128)
    usual = int(np.quantile([_chain(d.absorptions) for d in drafts], 0.9, method="higher"))
    chain = min(_chain(encoded.absorptions), _OUTLIER * usual)
    if scoring:
        widths = 1 if most_words < FEW_WORDS else encoded.widths
        lanes = (words // 24, max(4, words // 128))[:widths]
        sentences = min(sentences, words // 8)
    else:
        narrow = max(d.work(encoded.widths)[0] for d in drafts)
        lanes = (max(1, math.ceil(narrow / chain)), *[_WIDE_LANES] * (encoded.widths - 1))
    placed = [d.schedule_absorptions(lanes).steps for d in drafts]
    # In scoring, one batch in ten may need its own compilation: sentences are sorted by length, so
    # sentences with long chains share batches.
    steps = int(np.quantile(placed, 0.9, method="higher"))
    if not scoring:
        steps = min(max(chain, *placed, *_steps_of_widest(encoded, drafts, lanes)), 2 * chain)
    strings = max(len(d.strings) for d in drafts)
    return BatchShape(
        sentences=sentences,
        words=words,
        strings=ample(strings if scoring else 2 * strings, 32),
        states=max(3, *(round_up(d.longest, 1) for d in drafts)) + 1,
        steps=ample(steps, 16),
        lanes=lanes,
        factors=round_up(max(_factors(a) for a in encoded.absorptions), 64, steps=1),
        features={
            table: FeatureSizes(
                ample(max(d.features[table].entries for d in drafts), 64 * words),
                # A sixteenth of these small numbers may be less than one.
                ample(max(d.features[table].blocks for d in drafts) + (not scoring), 16),
                ample(max(d.features[table].weights for d in drafts), 512 * words),
            )
            for table in drafts[0].features
        },
    )


def _steps_of_widest(
    encoded: EncodedSentences, drafts: Sequence[Draft], lanes: tuple[int, ...]
) -> list[int]:
    """Return the steps of batches with a sentence that has the most absorptions of a width."""
    steps: list[int] = []
    for width, sentence in enumerate(_widest(encoded), start=1):
        by_work = sorted(drafts, key=lambda d: d.work(len(lanes))[width])
        members = by_work[len(drafts) * 9 // 10].members
        steps.append(draft(encoded, [sentence, *members[1:]]).schedule_absorptions(lanes).steps)
    return steps


def _widest(encoded: EncodedSentences) -> list[int]:
    """Return the sentence with the most absorptions of each width except the narrowest."""
    groups = _width_groups(
        encoded.strings, encoded.widths, encoded.absorptions, encoded.string_of_slot
    )
    work = [np.bincount(group, minlength=encoded.widths) for group in groups]
    return np.argmax(work, axis=0)[1:].tolist()


def _doubled(size: int, required: int) -> int:
    """Double a size until it suffices."""
    while size < required:
        size *= 2
    return size


class Batch(NamedTuple):
    """The arrays of a batch, from which ``GivenTrees`` are built."""

    features: Mapping[Table, SparseRows]
    relation: npt.NDArray[np.int32]  # [words]
    accept: Acceptors  # of the distinct surface strings
    schedule: Schedule  # of absorptions; automata are indexed as in ``accept``
    log_scale: npt.NDArray[np.float32]  # [sentences], of the acceptors
    slots: npt.NDArray[np.int32]  # [sentences], slots that may contain marks; zero in the padding
    closed: npt.NDArray[np.bool_] | None = None  # [words, 2], as in ``EncodedSentences``
    choice: Any = None  # [words, pairs], log p(l, r | w) if known; features are then not read


def lay_out(
    encoded: EncodedSentences,
    draft: Draft,
    inventory: Inventory,
    directions: Sequence[bool],
    shape: BatchShape,
) -> Batch:
    """Lay out a batch in padded arrays.

    Sizes that are too small are doubled, so that few distinct shapes occur.
    """
    members = draft.members
    placement = draft.schedule_absorptions(shape.lanes)
    shape = replace(
        shape,
        sentences=_doubled(shape.sentences, len(members)),
        words=_doubled(shape.words, draft.words),
        strings=_doubled(shape.strings, len(draft.strings)),
        states=_doubled(shape.states, draft.longest),
        steps=_doubled(shape.steps, placement.steps),
        factors=_doubled(shape.factors, max(map(_factors, draft.absorptions))),
        features={
            table: FeatureSizes(*map(_doubled, sizes, draft.features[table]))
            for table, sizes in shape.features.items()
        },
    )
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
    """Return the padded feature vectors of a batch's words."""
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
