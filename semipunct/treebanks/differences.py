"""Differences between two annotations of a text: marks, their heads, and spaces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Any, Literal, NoReturn, get_args

import msgspec

from semipunct.corpus.treebank import PUNCTUATION
from semipunct.errors import TreebankError
from semipunct.files import display_name
from semipunct.formats.conllu.gaps import Spacing
from semipunct.formats.conllu.records import Record, Token, read_records
from semipunct.wording import quantity

# A difference in marks, the tag or head of a mark, or the space after a token.
DiffKind = Literal["mark", "tag", "head", "space"]

KINDS: tuple[DiffKind, ...] = get_args(DiffKind)


class MarkDifference(msgspec.Struct, frozen=True, rename={"sentence_id": "sent_id"}):
    """A difference between two annotations."""

    kind: DiffKind
    sentence_id: str
    lines: tuple[int, int]
    tokens: tuple[int, int]
    form: str
    values: tuple[str, str]
    heads: tuple[int, int] | None = None


class TreebankDiff(msgspec.Struct, frozen=True):
    """All differences between two annotations of a text."""

    files: tuple[str, str]
    sentences: int
    marks: tuple[int, int]
    common_marks: int
    counts: dict[DiffKind, int]
    differences: tuple[MarkDifference, ...]

    def __repr__(self) -> str:
        number = quantity(len(self.differences), "difference")
        return f"<TreebankDiff: {number} in {quantity(self.sentences, 'sentence')}>"


def diff(a: str | Path, b: str | Path) -> TreebankDiff:
    """Compare the punctuation of two annotations of a text, with equal words in equal sentences.

    Heads of marks are compared as words, whatever their IDs.

    Raises:
        TreebankError: if a file is not CoNLL-U, or sentences or words differ.
    """
    differences: list[MarkDifference] = []
    marks, common, sentences = [0, 0], 0, 0
    records: Iterator[Any] = zip_longest(read_records(a, trees=False), read_records(b, trees=False))
    for sentences, (first, second) in enumerate(records, start=1):
        if first is None:
            _fail_by_length(second, a, sentences)
        if second is None:
            _fail_by_length(first, b, sentences)
        pairs = _aligned(first, second)
        differences += _differences(first, second, pairs)
        for number, record in enumerate((first, second)):
            marks[number] += sum(token.upos == PUNCTUATION for token in record.tokens)
        common += sum(
            first.tokens[i].upos == second.tokens[j].upos == PUNCTUATION for i, j in pairs
        )
    return TreebankDiff(
        (display_name(a), display_name(b)),
        sentences,
        (marks[0], marks[1]),
        common,
        {kind: sum(each.kind == kind for each in differences) for kind in KINDS},
        tuple(differences),
    )


def _fail_by_length(record: Record, shorter: str | Path, number: int) -> NoReturn:
    raise TreebankError(
        f"{record.where()}: this is sentence {number:,} of the file, and "
        f"{display_name(shorter)} has only {quantity(number - 1, 'sentence')}; "
        "give two annotations of the same text"
    )


def _aligned(first: Record, second: Record) -> list[tuple[int, int]]:
    """Return index pairs of common tokens: all words, and a longest common subsequence of marks."""
    tokens = first.tokens, second.tokens
    forms = [token.form for token in tokens[0]]
    if forms == [token.form for token in tokens[1]]:
        return [(i, i) for i in range(len(forms))]
    # A symbol may be a mark in one annotation and a word in the other.
    marks = {
        token.form
        for side in tokens
        for token in side
        if token.upos == PUNCTUATION or not any(map(str.isalnum, token.form))
    } - {t.form for side in tokens for t in side if t.upos != PUNCTUATION and _has_letters(t)}
    words = [[i for i, t in enumerate(side) if t.form not in marks] for side in tokens]
    for number, (i, j) in enumerate(zip_longest(*words), start=1):
        if i is None or j is None or tokens[0][i].form != tokens[1][j].form:
            _fail(first, second, number, i, j)
    pairs: list[tuple[int, int]] = []
    starts = 0, 0
    ends = (len(tokens[0]), len(tokens[1]))
    for i, j in [*zip(*words, strict=True), ends]:
        sides = [
            [token.form for token in side[start:end]]
            for side, start, end in zip(tokens, starts, (i, j), strict=True)
        ]
        matcher = SequenceMatcher(None, *sides, autojunk=False)
        pairs += [
            (starts[0] + block.a + k, starts[1] + block.b + k)
            for block in matcher.get_matching_blocks()
            for k in range(block.size)
        ]
        if (i, j) != ends:
            pairs.append((i, j))
        starts = i + 1, j + 1
    return pairs


def _has_letters(token: Token) -> bool:
    return any(map(str.isalnum, token.form))


def _fail(first: Record, second: Record, number: int, i: int | None, j: int | None) -> NoReturn:
    shown = [
        "the sentence has ended"
        if index is None
        else f"word {number} is {record.tokens[index].form!r}"
        for record, index in ((first, i), (second, j))
    ]
    places = [
        record.where(record.tokens[-1 if index is None else index].position)
        for record, index in ((first, i), (second, j))
    ]
    raise TreebankError(
        f"{places[1]}: {shown[1]}, but in {places[0]} {shown[0]}; "
        "give two annotations of the same sentences in the same order, with the same words"
    )


def _differences(
    first: Record, second: Record, pairs: Sequence[tuple[int, int]]
) -> Iterator[MarkDifference]:
    """Yield the differences between two annotations of a sentence in order."""
    gaps = Spacing.of(first).spaces, Spacing.of(second).spaces
    numbers = {0: 0, -1: -1} | {j + 1: i + 1 for i, j in pairs}
    ends = len(first.tokens), len(second.tokens)
    for (i, j), (next_i, next_j) in pairwise([(-1, -1), *pairs, ends]):
        a, b = first.tokens[max(i, 0)], second.tokens[max(j, 0)]
        lines = first.line + a.position, second.line + b.position
        if i >= 0:
            differing: list[tuple[DiffKind, tuple[str, str], tuple[int, int] | None]] = []
            are_marks = a.upos == PUNCTUATION, b.upos == PUNCTUATION
            if are_marks[0] != are_marks[1]:
                differing.append(("tag", (a.upos, b.upos), None))
            if all(are_marks) and numbers.get(b.head) != a.head:
                differing.append(
                    ("head", (_head_form(first, a), _head_form(second, b)), (a.head, b.head))
                )
            gap, second_gap = gaps[0][i], gaps[1][j]
            are_neighbours = (next_i, next_j) == (i + 1, j + 1) != ends
            if are_neighbours and None not in (gap, second_gap) and gap != second_gap:
                differing.append(("space", (_space(gap), _space(second_gap)), None))
            ids = a.word_id, b.word_id
            for kind, values, heads in differing:
                yield MarkDifference(kind, first.sentence_id, lines, ids, a.form, values, heads)
        # Tokens in only one annotation follow the last common token.
        for token in second.tokens[j + 1 : next_j]:
            places = lines[0], second.line + token.position
            ids, values = (0, token.word_id), ("", token.form)
            yield MarkDifference("mark", first.sentence_id, places, ids, token.form, values)
        for token in first.tokens[i + 1 : next_i]:
            places = first.line + token.position, lines[1]
            ids, values = (token.word_id, 0), (token.form, "")
            yield MarkDifference("mark", first.sentence_id, places, ids, token.form, values)


def _head_form(record: Record, token: Token) -> str:
    return (
        record.tokens[token.head - 1].form if token.head > 0 else "root" if not token.head else "_"
    )


def _space(gap: bool | None) -> str:
    return "a space" if gap else "no space"


def line(treebanks: TreebankDiff, difference: MarkDifference) -> str:
    """Format a difference with both of its places."""
    a, b = (
        f"{file}:{number}" for file, number in zip(treebanks.files, difference.lines, strict=True)
    )
    return f"{a} {b}: sentence {difference.sentence_id}: {_in_words(difference)}"


def _in_words(difference: MarkDifference) -> str:
    before, after = difference.values
    token, other = difference.tokens
    if difference.kind == "mark":
        return f"removed {token} ({before})" if before else f"added {other} ({after})"
    name = f"{token} ({difference.form})"
    if difference.heads is not None:
        shown = [
            f"{head} ({value})" if head > 0 else value
            for head, value in zip(difference.heads, difference.values, strict=True)
        ]
        return f"head of {name}: {shown[0]} → {shown[1]}"
    if difference.kind == "space":
        return f"after {name}: {before} → {after}"
    return f"tag of {name}: {before} → {after}"


def summary(treebanks: TreebankDiff) -> str:
    """Summarise the differences by kind, with the number of common marks."""
    counts = treebanks.counts
    kinds = ", ".join(f"{kind} {counts[kind]:,}" for kind in KINDS if counts[kind])
    return (
        f"{quantity(len(treebanks.differences), 'difference')}{f' ({kinds})' if kinds else ''} in "
        f"{quantity(treebanks.sentences, 'sentence')}; of {treebanks.marks[0]:,} and "
        f"{quantity(treebanks.marks[1], 'mark')}, {treebanks.common_marks:,} are in both"
    )


def json_object(treebanks: TreebankDiff) -> dict[str, Any]:
    """Return the differences as JSON values."""
    return {"schema": "semipunct.diff/1", **msgspec.to_builtins(treebanks)}
