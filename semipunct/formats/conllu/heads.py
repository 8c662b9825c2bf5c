"""Heads of punctuation that is written into a record."""

from collections.abc import Iterable, Mapping

from semipunct.corpus import Entry, Sentence
from semipunct.formats.conllu.records import Record
from semipunct.formats.conllu.requests import Source, Target
from semipunct.marks.matching import Place
from semipunct.trees import DependencyTree
from semipunct.trees.conventions import CONVENTIONS, Convention
from semipunct.trees.guideline import mark_heads

_NOTHING: Mapping[Place, int] = {}


def convention_of(entries: Iterable[Entry[Record]]) -> Convention:
    """Return the convention that predicts most heads of the existing marks, ``unit`` in a tie."""
    agreeing = dict.fromkeys(CONVENTIONS, 0)
    for entry in entries:
        if not isinstance(entry.content, Sentence):
            continue
        source = Source.of(entry)
        numbers = {word_id: word for word, word_id in enumerate(entry.word_ids, start=1)}
        for convention in CONVENTIONS:
            chosen = mark_heads(entry.content.tree, source.slots, convention)
            for row, ids in zip(chosen, source.ids, strict=True):
                for head, token_id in zip(row, ids, strict=True):
                    actual = numbers.get(source.record.tokens[token_id - 1].head)
                    agreeing[convention] += head == actual
    return max(CONVENTIONS, key=lambda convention: agreeing[convention])


def token_heads(source: Source, target: Target, convention: Convention) -> list[list[int]]:
    """Choose the head of every visible token, as an ID; kept tokens keep their heads."""
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
