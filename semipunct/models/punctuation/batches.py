"""From sentences to the arrays of a batch: features, slot strings and the schedule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from semipunct.arrays.padding import SparseRows, round_up
from semipunct.corpus.sentences import Sentence
from semipunct.features.attributes import Attributes
from semipunct.features.columns import columns
from semipunct.features.index import FeatureMap, Rows
from semipunct.features.templates import Target
from semipunct.features.vocabulary import Symbols
from semipunct.marks import with_boundaries
from semipunct.models.punctuation.inventory import Inventory
from semipunct.models.punctuation.slot_automata import Acceptors, acceptors
from semipunct.structures.given_tree import (
    Absorptions,
    Capacity,
    Schedule,
    absorptions,
    mirrored_absorptions,
    pack,
    place,
)


@dataclass(frozen=True, slots=True)
class Frame:
    """The padded sizes of batches: all that decides a compiled shape.

    Attributes:
        sentences, words: of a batch.
        strings: distinct surface strings; states: length of the longest.
        steps: steps of the scan; lanes: absorptions per step, narrow and wide.
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
    """Arrays of one batch; see ``GivenTrees`` for what they become.

    Attributes:
        features: feature vectors by target.
        relation: ``[words]`` relation numbers of the inventory.
        columns: ``[words, columns]`` what a network sees of words; no columns without one.
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
class Prepared:
    """Sentences ready to be batched, features extracted and trees ordered.

    Attributes:
        strings: the distinct surface strings, as symbols in text order; the first is empty.
        string_of_slot: for each sentence ``[n + 1]`` numbers of strings, in reading order.
        programs: for each sentence its absorptions.
        relation: ``[words of all sentences]``.
        columns: ``[words of all sentences, columns]`` from ``context.columns``, or no columns.
        features: feature vectors of all words, by target.
        start: ``[sentences + 1]`` where each sentence's words begin.
        widths: number of vector widths of the slot automata: 2 if slots of at most one token
            are narrow, else 1.
    """

    strings: tuple[tuple[int, ...], ...]
    string_of_slot: tuple[npt.NDArray[np.int32], ...]
    programs: tuple[Absorptions, ...]
    relation: npt.NDArray[np.int32]
    columns: npt.NDArray[np.int32]
    features: Mapping[Target, Rows]
    start: npt.NDArray[np.int64]
    widths: int

    @property
    def lengths(self) -> list[int]:
        """Words of each sentence."""
        return np.diff(self.start).tolist()


def prepare(
    sentences: Sequence[Sentence],
    inventory: Inventory,
    features: FeatureMap,
    words: Symbols | None,
    directions: Sequence[bool],
    *,
    final_mark: bool,
    rows: Mapping[Target, Rows] | None = None,
) -> Prepared:
    """Do everything that does not depend on how sentences are batched.

    Args:
        sentences: words, trees and surface punctuation.
        inventory: numbers of strings and relations.
        features: numbers of feature contexts.
        words: codes of what a network sees, or None without one.
        directions: for each pass of the channel, whether its window moves from right to left.
        final_mark: whether the channel puts a mark at the end of a sentence, too.
        rows: the feature vectors of the sentences, if they are there already.
    """
    mirrored = directions[0]
    number: dict[tuple[int, ...], int] = {(): 0}
    encoded: dict[tuple[str, ...], int] = {}
    string_of_slot: list[npt.NDArray[np.int32]] = []
    programs: list[Absorptions] = []
    for sentence in sentences:
        strings: list[int] = []
        for slot in with_boundaries(sentence.slots, final=final_mark):
            if slot not in encoded:
                encoded[slot] = number.setdefault(inventory.encode(slot), len(number))
            strings.append(encoded[slot])
        left, right = (np.asarray(x, np.int32) for x in sentence.tree.edges)
        order = mirrored_absorptions if mirrored else absorptions
        programs.append(order(sentence.tree.heads, left, right, [not s for s in strings]))
        in_order = strings[::-1] if mirrored else strings
        string_of_slot.append(np.array(in_order, np.int32))
    row = {r: i for i, r in enumerate(inventory.relations)}
    relation = [row.get(r, len(row)) for s in sentences for r in s.tree.relations]
    start = np.cumsum([0, *(len(s.forms) for s in sentences)])
    seen = np.zeros((len(relation), 0), np.int32)
    if words:
        seen = columns(Attributes(sentences, features.symbols), words)
    return Prepared(
        tuple(number),
        tuple(string_of_slot),
        tuple(programs),
        np.array(relation, np.int32),
        seen,
        features.extract(sentences) if rows is None else rows,
        start,
        2 if len(directions) == 1 else 1,
    )


def lay_out(
    prepared: Prepared,
    members: Sequence[int],
    inventory: Inventory,
    directions: Sequence[bool],
    frame: Frame | None = None,
) -> Batch:
    """Lay some sentences out in padded arrays.

    Args:
        prepared: all sentences.
        members: numbers of those that form the batch.
        inventory: gives the alphabet.
        directions: for each pass of the channel, whether its window moves from right to left.
        frame: the sizes to pad to (default: the batch's own, rounded up). A size that does not
            suffice is doubled until it does, so that few shapes occur.
    """
    draft = _draft(prepared, members)
    frame = frame or _frame_of(draft, len(members))
    frame = _grown(frame, draft, len(members))
    placement = place(draft.programs, draft.groups, frame.lanes)
    frame = replace(frame, steps=_doubled(frame.steps, placement.steps))
    words = sum(p.words for p in draft.programs)
    capacity = Capacity(
        sentences=frame.sentences,
        words=frame.words,
        slots=frame.strings,
        steps=frame.steps,
        lanes=frame.lanes,
        factors=frame.factors,
    )
    accept = acceptors(draft.strings, inventory, frame.states, frame.strings, directions)
    relation = np.full(capacity.words, len(inventory.relations), np.int32)
    relation[:words] = np.concatenate([_words_of(prepared, prepared.relation, i) for i in members])
    seen = np.zeros((capacity.words, prepared.columns.shape[1]), np.int32)
    seen[:words] = np.concatenate([_words_of(prepared, prepared.columns, i) for i in members])
    log_scale = np.zeros(capacity.sentences, np.float32)
    log_scale[: len(members)] = [accept.log_scale[a].sum() for a in draft.automata]
    count = np.zeros(capacity.sentences, np.int32)
    count[: len(members)] = [len(a) for a in draft.automata]
    return Batch(
        {t: _pad(r, capacity.words, frame.entries[t]) for t, r in draft.entries.items()},
        relation,
        seen,
        accept,
        pack(draft.programs, draft.automata, placement, capacity),
        log_scale,
        count,
    )


def fit_frame(prepared: Prepared, batches: Sequence[Sequence[int]], sentences: int) -> Frame:
    """Sizes that nearly all batches fit into, judged by some: the largest, and a little more.

    Steps are an exception: long chains are rare and cost every batch, so one in five batches
    gets twice as many.

    Args:
        prepared: all sentences.
        batches: typical batches.
        sentences: the most sentences of a batch.
    """
    drafts = [_draft(prepared, members) for members in batches]
    sizes = [_frame_of(draft, sentences) for draft in drafts]

    def ample(values: Sequence[int]) -> int:
        return round_up(max(values) + max(values) // 8)

    widths = range(len(sizes[0].lanes))
    lanes = tuple(int(np.ceil(np.median([f.lanes[w] for f in sizes]))) for w in widths)
    steps = [place(d.programs, d.groups, lanes).steps for d in drafts[: min(len(drafts), 64)]]
    return Frame(
        sentences=sentences,
        words=ample([f.words for f in sizes]),
        strings=ample([f.strings for f in sizes]),
        states=max(f.states for f in sizes) + 1,
        steps=int(np.quantile(steps, 0.8, method="higher")),
        lanes=lanes,
        factors=ample([f.factors for f in sizes]),
        entries={t: ample([f.entries[t] for f in sizes]) for t in sizes[0].entries},
    )


@dataclass(frozen=True, slots=True)
class _Draft:
    """A batch before padding."""

    programs: list[Absorptions]
    automata: list[npt.NDArray[np.int32]]
    strings: list[tuple[int, ...]]
    groups: list[npt.NDArray[np.int32]]
    widths: int
    entries: dict[str, SparseRows]


def _draft(prepared: Prepared, members: Sequence[int]) -> _Draft:
    programs = [prepared.programs[i] for i in members]
    slots = [prepared.string_of_slot[i] for i in members]
    used, local = np.unique(np.concatenate([np.zeros(1, np.int32), *slots]), return_inverse=True)
    automata = np.split(local[1:].astype(np.int32), np.cumsum([len(s) for s in slots])[:-1])
    strings: list[tuple[int, ...]] = [prepared.strings[i] for i in used.tolist()]
    is_wide = np.array([prepared.widths > 1 and len(s) > 1 for s in strings])
    groups = [
        (is_wide[a[p.left_slot]] | is_wide[a[p.right_slot]]).astype(np.int32)
        for p, a in zip(programs, automata, strict=True)
    ]
    entries = _entries(prepared, members)
    return _Draft(programs, automata, strings, groups, prepared.widths, entries)


def _frame_of(draft: _Draft, sentences: int) -> Frame:
    """The sizes of one batch. Lanes are as many as its longest chain leaves work for."""
    chain = max(1, *(int(p.height.max(initial=0)) for p in draft.programs))
    work = [sum(int((g == width).sum()) for g in draft.groups) for width in range(draft.widths)]
    lanes = tuple(max(1, -(-3 * n // (2 * chain))) for n in work)
    return Frame(
        sentences=sentences,
        words=round_up(sum(p.words for p in draft.programs)),
        strings=round_up(len(draft.strings)),
        states=max(2, round_up(max(len(s) for s in draft.strings), 1)),
        steps=round_up(place(draft.programs, draft.groups, lanes).steps, 1),
        lanes=lanes,
        factors=round_up(max(int(p.untouched.sum()) + len(p.kid) for p in draft.programs)),
        entries={t: round_up(len(rows.context)) for t, rows in draft.entries.items()},
    )


def _grown(frame: Frame, draft: _Draft, sentences: int) -> Frame:
    """A frame in which each size but the number of steps suffices for a batch."""
    factors = max(int(p.untouched.sum()) + len(p.kid) for p in draft.programs)
    return replace(
        frame,
        sentences=_doubled(frame.sentences, sentences),
        words=_doubled(frame.words, sum(p.words for p in draft.programs)),
        strings=_doubled(frame.strings, len(draft.strings)),
        states=_doubled(frame.states, max(len(s) for s in draft.strings)),
        factors=_doubled(frame.factors, factors),
        entries={t: _doubled(n, len(draft.entries[t].context)) for t, n in frame.entries.items()},
    )


def _doubled(size: int, needed: int) -> int:
    """``size``, doubled as often as ``needed`` demands."""
    while size < needed:
        size *= 2
    return size


def _words_of(
    prepared: Prepared, column: npt.NDArray[np.int32], sentence: int
) -> npt.NDArray[np.int32]:
    return column[prepared.start[sentence] : prepared.start[sentence + 1]]


def _entries(prepared: Prepared, members: Sequence[int]) -> dict[str, SparseRows]:
    """The feature entries of a batch, nodes renumbered, not yet padded."""
    result: dict[str, SparseRows] = {}
    for target, rows in prepared.features.items():
        node: list[npt.NDArray[np.int64]] = []
        picked: list[slice] = []
        base = 0
        for i in members:
            first, last = int(prepared.start[i]), int(prepared.start[i + 1])
            picked.append(slice(int(rows.start[first]), int(rows.start[last])))
            counts = np.diff(rows.start[first : last + 1])
            node.append(base + np.repeat(np.arange(last - first), counts))
            base += last - first
        result[target] = SparseRows(
            np.concatenate(node).astype(np.int32),
            np.concatenate([rows.context[p] for p in picked]).astype(np.int32),
            np.concatenate([rows.value[p] for p in picked]),
        )
    return result


def _pad(rows: SparseRows, words: int, size: int) -> SparseRows:
    entries = len(rows.context)
    node = np.full(size, words, np.int32)
    context = np.zeros(size, np.int32)
    value = np.zeros(size, np.float32)
    node[:entries], context[:entries], value[:entries] = rows
    return SparseRows(node, context, value)
