"""Heads of punctuation that is written into a record."""

from collections.abc import Iterable, Sequence
from itertools import accumulate

from semipunct.corpus import Entry, Sentence
from semipunct.formats.conllu.records import Record
from semipunct.formats.conllu.requests import Source, Target
from semipunct.marks import Puncteme
from semipunct.marks.matching import Place, matched_pairs
from semipunct.trees import DependencyTree, lift_arcs
from semipunct.trees.attachment import punctuation_heads
from semipunct.trees.conventions import CONVENTIONS, Convention
from semipunct.trees.crossing import settled_heads


def convention_of(entries: Iterable[Entry[Record]]) -> Convention:
    """Determine the convention by which the marks in the records of entries are attached.

    It is the one that predicts more of their heads, ``unit`` in a tie.
    """
    agreeing = dict.fromkeys(CONVENTIONS, 0)
    for entry in entries:
        if not isinstance(entry.content, Sentence):
            continue
        source = Source.of(entry)
        numbers = {word_id: word for word, word_id in enumerate(entry.word_ids, start=1)}
        for convention in CONVENTIONS:
            chosen = punctuation_heads(entry.content.tree, source.slots, convention)
            for row, ids in zip(chosen, source.ids, strict=True):
                for head, token_id in zip(row, ids, strict=True):
                    actual = numbers.get(source.record.tokens[token_id - 1].head)
                    agreeing[convention] += head == actual
    return max(CONVENTIONS, key=lambda convention: agreeing[convention])


def token_heads(source: Source, target: Target, convention: Convention) -> list[list[int]]:
    """Choose the head of every visible token, as an ID; kept tokens keep their heads.

    Args:
        source: the record.
        target: the requested slots.
        convention: the convention by which new tokens are attached.
    """
    tokens = source.record.tokens
    numbers = {word_id: word for word, word_id in enumerate(source.word_ids, start=1)}
    fixed: dict[Place, int] = {
        (slot, index): numbers[tokens[old_id - 1].head]
        for slot, row in enumerate(target.ids)
        for index, old_id in enumerate(row)
        if old_id
    }
    tree, _ = lift_arcs(source.sentence.tree)
    chosen = punctuation_heads(tree, target.slots, convention, fixed)
    rows = [[source.word_ids[word - 1] for word in row] for row in chosen]
    if all(map(all, target.ids)):
        return rows
    return _without_crossings(source, target, rows)


def mark_heads(
    tree: DependencyTree, slots: Sequence[Puncteme], convention: Convention
) -> list[list[int]]:
    """Choose the head of every mark in a tree that has no marks yet, and whose arcs may cross.

    Args:
        tree: the words.
        slots: ``[n + 1]`` strings of visible marks.
        convention: the convention by which they are attached.

    Returns:
        ``[n + 1]`` the heads, words 1 to n, of the marks of each slot.
    """
    projective, lifts = lift_arcs(tree)
    rows = punctuation_heads(projective, slots, convention)
    if not lifts:
        return rows
    # Positions of words, and of the root, among words and marks.
    at = [0, *(word + before for word, before in enumerate(accumulate(map(len, slots[:-1])), 1))]
    word_at = {position: word for word, position in enumerate(at) if word}
    heads = [0] * (at[-1] + len(slots[-1]))
    for word, head in enumerate(tree.heads, 1):
        heads[at[word] - 1] = at[head]
    free: list[int] = []
    for slot, row in enumerate(rows):
        for position, head in enumerate(row, at[slot] + 1):
            heads[position - 1] = at[head]
            free.append(position)
    partners: dict[int, int] = {}
    for pair in matched_pairs(slots):
        opening, closing = (at[slot] + index + 1 for slot, index in pair)
        partners |= {opening: closing, closing: opening}
    settled = settled_heads(heads, word_at.keys(), free, partners)
    return [
        [word_at[settled[at[slot] + index]] for index in range(len(row))]
        for slot, row in enumerate(rows)
    ]


def _without_crossings(
    source: Source, target: Target, rows: Sequence[Sequence[int]]
) -> list[list[int]]:
    """Change the heads of new tokens that would make arcs of the record cross.

    The heads were chosen in a projective tree of words; arcs of the record, and of marks in it, may
    cross.
    """
    places: list[Place | None] = []  # of each token of the new sentence; None for words
    ids: list[int] = [0]  # the ID in the record of each token, 0 for new ones
    for slot, row in enumerate(target.ids):
        if slot:
            places.append(None)
            ids.append(source.word_ids[slot - 1])
        places += ((slot, index) for index in range(len(row)))
        ids += row
    number = {old_id: position for position, old_id in enumerate(ids) if old_id or not position}
    above = [
        source.record.tokens[old_id - 1].head if place is None else rows[place[0]][place[1]]
        for place, old_id in zip(places, ids[1:], strict=True)
    ]
    heads = [number[head] for head in above]
    tree = DependencyTree(tuple(heads), ("",) * len(heads))
    if not lift_arcs(tree)[1]:
        return [list(row) for row in rows]
    at = {place: position for position, place in enumerate(places, start=1) if place is not None}
    pairs = [(at[opening], at[closing]) for opening, closing in matched_pairs(target.slots)]
    partners = {
        mark: partner
        for opening, closing in pairs
        for mark, partner in ((opening, closing), (closing, opening))
    }
    free = [position for position, old_id in enumerate(ids) if position and not old_id]
    words = {
        position: ids[position]
        for place, position in zip(places, range(1, len(ids)), strict=True)
        if place is None
    }
    settled = settled_heads(heads, words.keys(), free, partners)
    return [
        [
            words[settled[at[slot, index] - 1]] if not target.ids[slot][index] else head
            for index, head in enumerate(row)
        ]
        for slot, row in enumerate(rows)
    ]
