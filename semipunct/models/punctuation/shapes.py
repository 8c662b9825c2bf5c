"""Drafts of batches, and padded sizes for them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from semipunct.arrays.padding import round_up
from semipunct.arrays.rows import block_rows
from semipunct.features.templates import Table
from semipunct.models.punctuation.encoding import EncodedSentences
from semipunct.structures.given_tree import Absorptions, Placement, place

_OUTLIER = 3
"""The maximum length of chains that sizes allow for, relative to the 0.9 quantile over batches."""

FEW_WORDS = 256
"""The number of words in a batch below which all slot vectors have the same width if no gradient is
needed: narrow vectors would save less time than compiling and loading their steps takes
(docs/decisions/0006-batch-shapes.md)."""

_WIDE_LANES = 2
"""The number of lanes of wider vectors in training: with a single lane, sentences with many of them
take twice as many steps; more lanes make XLA's loops on a CPU far slower."""


class FeatureSizes(NamedTuple):
    """The sizes of one table of a batch; see ``SparseRows``.

    Attributes:
        entries: number of entries of all nodes.
        blocks: number of blocks of distinct features.
        weights: number of weights of these features.
    """

    entries: int
    blocks: int
    weights: int


@dataclass(frozen=True, slots=True)
class BatchShape:
    """The padded sizes of batches, which determine all compiled shapes.

    Attributes:
        sentences: number of sentences in a batch.
        words: number of words in all its sentences.
        strings: number of distinct surface strings.
        states: number of states, at least the number of tokens in the longest string.
        steps: number of steps of the scan.
        lanes: absorptions per step, for each vector width.
        factors: number of factors multiplied per sentence.
        features: the sizes of each table's features.
    """

    sentences: int
    words: int
    strings: int
    states: int
    steps: int
    lanes: tuple[int, ...]
    factors: int
    features: Mapping[Table, FeatureSizes]


@dataclass(slots=True)
class Draft:
    """A batch before padding: trees are ordered and slots numbered, features not yet laid out.

    Attributes:
        members: the numbers of its sentences.
        absorptions: the absorptions of each sentence.
        automata: for each sentence ``[n + 1]`` the numbers of its strings within the batch.
        strings: the distinct surface strings; the first is empty.
        groups: for each sentence, the vector width that each absorption needs.
        widths: maximum number of widths.
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
        """The number of words in all sentences."""
        return sum(p.words for p in self.absorptions)

    @property
    def longest(self) -> int:
        """The number of tokens in the longest string."""
        return max(len(s) for s in self.strings)

    @property
    def factors(self) -> int:
        """The maximum number of factors multiplied for a sentence."""
        return max(map(_factors, self.absorptions))

    @property
    def chain(self) -> int:
        """The length of the longest chain of absorptions, a lower bound on the number of steps."""
        return _chain(self.absorptions)

    def work(self, widths: int) -> tuple[int, ...]:
        """Return the number of absorptions per width, where narrow widths are merged into one."""
        groups = self._grouped(widths)
        return tuple(sum(int((g == i).sum()) for g in groups) for i in range(widths))

    def schedule_absorptions(self, lanes: tuple[int, ...]) -> Placement:
        """Schedule the absorptions; the last schedule is cached for use in laying out."""
        if self._placed is None or self._placed[0] != lanes:
            self._placed = lanes, place(self.absorptions, self._grouped(len(lanes)), lanes)
        return self._placed[1]

    def _grouped(self, widths: int) -> list[npt.NDArray[np.int32]]:
        """Return ``groups`` with the narrowest widths merged."""
        return [np.maximum(g - (self.widths - widths), 0) for g in self.groups]


def _vector_widths(strings: Sequence[tuple[int, ...]], widths: int) -> npt.NDArray[np.int32]:
    """Return the width group of each string: at most one token, or more."""
    return np.array([min(max(len(s), 1), widths) - 1 for s in strings], np.int32)


def _chain(batch: Iterable[Absorptions]) -> int:
    """Return the length of the longest chain of absorptions, at least 1."""
    return max((int(a.height.max(initial=1)) for a in batch), default=1)


def _factors(absorptions: Absorptions) -> int:
    """Return the maximum number of factors multiplied for a sentence."""
    return int(absorptions.untouched.sum()) + len(absorptions.kid)


def draft(encoded: EncodedSentences, members: Sequence[int]) -> Draft:
    """Do the work that choosing a shape and laying out a batch have in common.

    Args:
        encoded: all sentences.
        members: the numbers of the sentences in the batch.
    """
    absorptions = [encoded.absorptions[i] for i in members]
    slots = [encoded.string_of_slot[i] for i in members]
    used, local = np.unique(np.concatenate([np.zeros(1, np.int32), *slots]), return_inverse=True)
    automata = np.split(local[1:].astype(np.int32), np.cumsum([len(s) for s in slots])[:-1])
    strings: list[tuple[int, ...]] = [encoded.strings[i] for i in used.tolist()]
    width = _vector_widths(strings, encoded.widths)
    groups = [
        np.maximum(width[a[p.left_slot]], width[a[p.right_slot]])
        for p, a in zip(absorptions, automata, strict=True)
    ]
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
    """Return the features that occur, in ascending order; sorting would be many times slower.

    Args:
        context: ``[entries]`` numbers of features.
        size: total number of features.
    """
    occurs = np.zeros(size, bool)
    occurs[context] = True
    return np.flatnonzero(occurs)


def fit_shape(
    encoded: EncodedSentences, drafts: Sequence[Draft], sentences: int, *, scoring: bool
) -> BatchShape:
    """Choose sizes that fit nearly all batches, judging by a sample that includes the largest.

    For scoring, sizes are powers of two with lower bounds, so that compiled functions can be reused
    for other sentences. In training, every lane and word costs time in many steps: each size is
    that of the largest of these batches plus a sixteenth. Strings cost almost nothing, so there is
    room for twice as many. If a batch exceeds a size, the size is doubled and the functions are
    compiled again.

    The number of steps suffices for the longest chain of the treebank and for the sentence with the
    most absorptions of wide vectors, which have few lanes; there are no more lanes than these need,
    because a second shape would cost more than it saves. Only batches with an exceptionally long
    chain, such as a list of hundreds of names, get a shape of their own.

    Args:
        encoded: all sentences.
        drafts: typical batches.
        sentences: the maximum number of sentences in a batch.
        scoring: whether no gradient is needed; the drafts are then all the batches there are.
    """

    def ample(size: int, least: int) -> int:
        if scoring:
            return round_up(size, least, steps=1)
        return round_up(size + size // 16, steps=16)

    most_words = max(d.words for d in drafts)
    words = ample(most_words, 128)
    usual = int(np.quantile([d.chain for d in drafts], 0.9, method="higher"))
    chain = min(_chain(encoded.absorptions), _OUTLIER * usual)
    if scoring:
        lanes = (words // 24, max(4, words // 128))[: _widths(most_words, encoded.widths)]
        sentences = min(sentences, words // 8)
    else:
        work = tuple(map(max, zip(*(d.work(encoded.widths) for d in drafts), strict=True)))
        narrow, *wide = _lanes(work, chain)
        lanes = (narrow, *[_WIDE_LANES] * len(wide))
    placed = [d.schedule_absorptions(lanes).steps for d in drafts]
    # In scoring, one batch in ten may need its own compilation: sentences are sorted by length, so
    # those with long chains share batches.
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
                # These numbers are small: a sixteenth may be less than one.
                ample(max(d.features[table].blocks for d in drafts) + (not scoring), 16),
                ample(max(d.features[table].weights for d in drafts), 512 * words),
            )
            for table in drafts[0].features
        },
    )


def _steps_of_widest(
    encoded: EncodedSentences, drafts: Sequence[Draft], lanes: tuple[int, ...]
) -> list[int]:
    """Return the steps of batches that contain a sentence with the most absorptions of a width.

    Args:
        encoded: all sentences.
        drafts: typical batches.
        lanes: absorptions per step, for each width.
    """
    steps: list[int] = []
    for width, sentence in enumerate(_widest(encoded), start=1):
        by_work = sorted(drafts, key=lambda d: d.work(len(lanes))[width])
        members = by_work[len(drafts) * 9 // 10].members
        steps.append(draft(encoded, [sentence, *members[1:]]).schedule_absorptions(lanes).steps)
    return steps


def _widest(encoded: EncodedSentences) -> list[int]:
    """Return the sentence with the most absorptions of each width except the narrowest."""
    width = _vector_widths(encoded.strings, encoded.widths)
    work = [
        np.bincount(
            np.maximum(width[slots[each.left_slot]], width[slots[each.right_slot]]),
            minlength=encoded.widths,
        )
        for each, slots in zip(encoded.absorptions, encoded.string_of_slot, strict=True)
    ]
    return np.argmax(work, axis=0)[1:].tolist()


def _widths(words: int, most: int) -> int:
    """Return the number of widths with lanes for a batch of this size, if no gradient is needed."""
    return 1 if words < FEW_WORDS else most


def _lanes(work: Sequence[int], steps: float) -> tuple[int, ...]:
    """Return the number of lanes of each width that complete all absorptions in the given steps."""
    return tuple(max(1, math.ceil(n / steps)) for n in work)


def grow_shape(shape: BatchShape, draft: Draft, placement: Placement) -> BatchShape:
    """Double the sizes of a shape that are too small for a batch.

    Args:
        shape: the sizes.
        draft: the batch.
        placement: its schedule.
    """
    return replace(
        shape,
        sentences=_doubled(shape.sentences, len(draft.members)),
        words=_doubled(shape.words, draft.words),
        strings=_doubled(shape.strings, len(draft.strings)),
        states=_doubled(shape.states, draft.longest),
        steps=_doubled(shape.steps, placement.steps),
        factors=_doubled(shape.factors, draft.factors),
        features={
            table: FeatureSizes(*map(_doubled, feature_sizes, draft.features[table]))
            for table, feature_sizes in shape.features.items()
        },
    )


def _doubled(size: int, required: int) -> int:
    """Double a size until it suffices."""
    while size < required:
        size *= 2
    return size
