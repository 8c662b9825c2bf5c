"""Heads of punctuation that is written into a record."""

from collections.abc import Iterable, Mapping, Sequence
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

_NOTHING: Mapping[Place, int] = {}


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
    numbers = {0: 0} | {word_id: word for word, word_id in enumerate(source.word_ids, start=1)}
    fixed: dict[Place, int] = {
        (slot, index): numbers[tokens[old_id - 1].head]
        for slot, row in enumerate(target.ids)
        for index, old_id in enumerate(row)
        if old_id
    }
    heads = tuple(numbers[tokens[word_id - 1].head] for word_id in source.word_ids)
    tree = DependencyTree(heads, source.sentence.tree.relations)
    rows = mark_heads(tree, target.slots, convention, fixed)
    return [[source.word_ids[word - 1] for word in row] for row in rows]


def mark_heads(
    tree: DependencyTree,
    slots: Sequence[Puncteme],
    convention: Convention,
    fixed: Mapping[Place, int] = _NOTHING,
) -> list[list[int]]:
    """Choose the head of every mark in a tree whose arcs may cross.

    Args:
        tree: the words.
        slots: ``[n + 1]`` strings of visible marks.
        convention: the convention by which they are attached.
        fixed: heads of some marks that must not change.

    Returns:
        ``[n + 1]`` the heads, words 1 to n, of the marks of each slot.
    """
    rows = punctuation_heads(lift_arcs(tree)[0], slots, convention, fixed)
    # Positions of words, and of the root, among words and marks.
    at = [0, *(word + before for word, before in enumerate(accumulate(map(len, slots[:-1])), 1))]
    word_at = {position: word for word, position in enumerate(at) if word}
    heads = [0] * (at[-1] + len(slots[-1]))
    for word, head in enumerate(tree.heads, 1):
        heads[at[word] - 1] = at[head]
    free: list[int] = []
    for slot, row in enumerate(rows):
        for index, head in enumerate(row):
            position = at[slot] + index + 1
            heads[position - 1] = at[head]
            if (slot, index) not in fixed:
                free.append(position)
    if not lift_arcs(DependencyTree(tuple(heads), ("",) * len(heads)))[1]:
        return rows
    partners: dict[int, int] = {}
    for pair in matched_pairs(slots):
        opening, closing = (at[slot] + index + 1 for slot, index in pair)
        partners |= {opening: closing, closing: opening}
    settled = settled_heads(heads, word_at.keys(), free, partners)
    return [
        [word_at[settled[at[slot] + index]] for index in range(len(row))]
        for slot, row in enumerate(rows)
    ]
