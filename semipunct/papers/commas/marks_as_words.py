"""Sentences in which some marks are words, for models that predict only a few marks."""

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Any, TypeVar

from semipunct.corpus.sentences import Sentence, Words, dotted_forms
from semipunct.marks import SILENT, Puncteme
from semipunct.marks.penn import tagged_mark

T = TypeVar("T")


def with_marks_as_words(sentence: Words, predicted: Set[str]) -> Words:
    """Turn the marks that are not predicted into words, spelt as in the Penn Treebank.

    Args:
        sentence: any.
        predicted: the marks that stay in slots, as do dots of abbreviations.
    """
    forms: list[str] = []
    slots: list[list[str]] = []
    closed: set[int] = set()
    for number, form in enumerate(("", *sentence.forms)):
        slot, first = sentence.slots[number], len(slots)
        if form:
            forms.append(form)
        slots.append([])
        for token in slot:
            if token in predicted or token in SILENT:
                slots[-1].append(token)
            else:
                forms.append(tagged_mark(token)[1])
                slots.append([])
        if number in sentence.closed:
            closed.update(range(first, len(slots)))
    return replace(
        sentence, forms=tuple(forms), slots=tuple(map(tuple, slots)), closed=frozenset(closed)
    )


def slots_of_words(sentence: Words, slots: Sequence[T], predicted: Set[str]) -> list[list[T]]:
    """Group results for the slots of ``with_marks_as_words`` by the slots of the sentence.

    Args:
        sentence: the original.
        slots: an entry for each slot of the result of ``with_marks_as_words``.
        predicted: as for ``with_marks_as_words``.

    Returns:
        For each slot of the sentence the entries of the slots that it was split into: one more than
        its marks that became words.
    """
    groups: list[list[T]] = []
    remaining = iter(slots)
    for slot in sentence.slots:
        marks_as_words = sum(token not in predicted and token not in SILENT for token in slot)
        groups.append([next(remaining) for _ in range(marks_as_words + 1)])
    return groups


def join_marks(slot: Puncteme, parts: Sequence[Puncteme], predicted: Set[str]) -> Puncteme:
    """Restore the marks of a slot that were words between predicted ones.

    Args:
        slot: the original.
        parts: the predicted marks before, between and after them.
        predicted: the marks that were not words.
    """
    marks_as_words = [token for token in slot if token not in predicted and token not in SILENT]
    joined = list(parts[0])
    for token, part in zip(marks_as_words, parts[1:], strict=True):
        joined += (token, *part)
    return tuple(joined)


def interleave_marks(sentence: Sentence[Any] | Words) -> tuple[list[str], list[int]]:
    """Return words and marks in order, and the positions of the marks, from 1.

    Args:
        sentence: any; dots of abbreviations are parts of words.
    """
    tokens: list[str] = []
    marks: list[int] = []
    for form, slot in zip(("", *dotted_forms(sentence)), sentence.slots, strict=True):
        if form:
            tokens.append(form)
        for token in slot:
            if token not in SILENT:
                tokens.append(tagged_mark(token)[1])
                marks.append(len(tokens))
    return tokens, marks
