"""From sentences to the arrays of a batch: features, slot strings and the schedule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from semipunct.batch import SparseRows, size_class
from semipunct.model.features import FeatureMap, Rows
from semipunct.model.inventory import Inventory
from semipunct.model.slots import Acceptors, acceptors
from semipunct.structures.schedule import (
    Capacity,
    Program,
    Schedule,
    mirrored_program,
    pack,
    place,
    program,
)
from semipunct.treebank.sentences import Sentence
from semipunct.treebank.trees import constituents

_WORDS = 32
_ENTRIES_PER_WORD = 48
_LANES = (1, 8)
_STRINGS = 32
_STEPS = 16


class Batch(NamedTuple):
    """Arrays of one batch; see ``tree.Potentials`` for what they become.

    Attributes:
        features: feature vectors by target.
        relation: ``[words]`` relation numbers of the inventory.
        accept: acceptors of the distinct surface strings.
        schedule: which constituents are absorbed when; automata are numbered as in ``accept``.
        log_scale: ``[sentences]`` log of the factor taken out of the acceptors.
        slots: ``[sentences]`` number of slots; zero in the padding.
    """

    features: Mapping[str, SparseRows]
    relation: npt.NDArray[np.int32]
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
        features: feature vectors of all words, by target.
        start: ``[sentences + 1]`` where each sentence's words begin.
    """

    strings: tuple[tuple[int, ...], ...]
    string_of_slot: tuple[npt.NDArray[np.int32], ...]
    programs: tuple[Program, ...]
    relation: npt.NDArray[np.int32]
    features: Mapping[str, Rows]
    start: npt.NDArray[np.int64]

    @property
    def lengths(self) -> list[int]:
        """Words of each sentence."""
        return np.diff(self.start).tolist()


def prepare(
    sentences: Sequence[Sentence], inventory: Inventory, features: FeatureMap, *, mirrored: bool
) -> Prepared:
    """Do everything that does not depend on how sentences are batched."""
    number: dict[tuple[int, ...], int] = {(): 0}
    encoded: dict[tuple[str, ...], int] = {}
    string_of_slot: list[npt.NDArray[np.int32]] = []
    programs: list[Program] = []
    for sentence in sentences:
        strings: list[int] = []
        for slot in sentence.slots:
            if slot not in encoded:
                encoded[slot] = number.setdefault(inventory.encode(slot), len(number))
            strings.append(encoded[slot])
        left, right = (np.asarray(x, np.int32) for x in constituents(sentence.heads))
        order = mirrored_program if mirrored else program
        programs.append(order(sentence.heads, left, right, [not s for s in strings]))
        in_order = strings[::-1] if mirrored else strings
        string_of_slot.append(np.array(in_order, np.int32))
    row = {r: i for i, r in enumerate(inventory.relations)}
    relation = [row.get(r, len(row)) for s in sentences for r in s.relations]
    start = np.cumsum([0, *(len(s.forms) for s in sentences)])
    return Prepared(
        tuple(number),
        tuple(string_of_slot),
        tuple(programs),
        np.array(relation, np.int32),
        features.extract(sentences),
        start,
    )


def lay_out(
    prepared: Prepared,
    members: Sequence[int],
    inventory: Inventory,
    *,
    mirrored: bool,
    sentences: int | None = None,
) -> Batch:
    """Lay some sentences out in padded arrays.

    Args:
        prepared: all sentences.
        members: numbers of those that form the batch.
        inventory: gives the alphabet.
        mirrored: as for ``prepare``.
        sentences: pad to this many sentences (default: to a power of two).
    """
    programs = [prepared.programs[i] for i in members]
    slots = [prepared.string_of_slot[i] for i in members]
    used, local = np.unique(np.concatenate([np.zeros(1, np.int32), *slots]), return_inverse=True)
    automata = np.split(local[1:].astype(np.int32), np.cumsum([len(s) for s in slots])[:-1])
    strings = [prepared.strings[i] for i in used.tolist()]
    longest = max(len(s) for s in strings)
    is_wide = np.array([len(s) > 1 for s in strings])
    groups = [
        (is_wide[a[p.left_slot]] | is_wide[a[p.right_slot]]).astype(np.int32)
        for p, a in zip(programs, automata, strict=True)
    ]

    words = sum(p.words for p in programs)
    entries = _entries(prepared, members)
    k = size_class(
        words / _WORDS,
        *(len(rows.context) / (_WORDS * _ENTRIES_PER_WORD) for rows in entries.values()),
    )
    lanes = tuple(max(1, 2**k // divisor) for divisor in _LANES)
    placement = place(programs, groups, lanes)
    closing = max(int(p.untouched.sum()) + len(p.kid) for p in programs)
    capacity = Capacity(
        sentences=sentences or 2 ** size_class(len(members)),
        words=_WORDS * 2**k,
        slots=_STRINGS * 2 ** size_class(len(strings) / _STRINGS),
        steps=_STEPS * 2 ** size_class(placement.steps / _STEPS),
        lanes=lanes,
        factors=16 * 2 ** size_class(closing / 16),
    )
    states = max(2, 2 ** size_class(longest))
    accept = acceptors(strings, inventory, states, capacity.slots, mirrored=mirrored)
    relation = np.full(capacity.words, len(inventory.relations), np.int32)
    relation[:words] = np.concatenate([_words_of(prepared, prepared.relation, i) for i in members])
    log_scale = np.zeros(capacity.sentences, np.float32)
    log_scale[: len(members)] = [accept.log_scale[a].sum() for a in automata]
    count = np.zeros(capacity.sentences, np.int32)
    count[: len(members)] = [len(s) for s in slots]
    return Batch(
        {t: _pad(r, capacity.words, k) for t, r in entries.items()},
        relation,
        accept,
        pack(programs, automata, placement, capacity),
        log_scale,
        count,
    )


def _words_of(
    prepared: Prepared, column: npt.NDArray[np.int32], sentence: int
) -> npt.NDArray[np.int32]:
    return column[prepared.start[sentence] : prepared.start[sentence + 1]]


def _entries(prepared: Prepared, members: Sequence[int]) -> dict[str, SparseRows]:
    """The feature entries of a batch, nodes renumbered, not yet padded."""
    result: dict[str, SparseRows] = {}
    for target, rows in prepared.features.items():
        if not len(rows.context):
            continue
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


def _pad(rows: SparseRows, words: int, k: int) -> SparseRows:
    entries = len(rows.context)
    # Targets with one context per node need a fraction of the entries: a class of their own.
    size = words * max(1, 2 ** size_class(entries / words))
    size = min(size, words * _ENTRIES_PER_WORD)
    node = np.full(size, words, np.int32)
    context = np.zeros(size, np.int32)
    value = np.zeros(size, np.float32)
    node[:entries], context[:entries], value[:entries] = rows
    return SparseRows(node, context, value)
