"""The heads of the marks of CoNLL-U, read fast, and written without any other change.

Treebanks have millions of lines of which few change, so only the columns that decide about heads
of marks are read; ``records.record_of`` reads, and reports, what is unusual.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from pathlib import Path

from semipunct.corpus.treebank import PUNCTUATION
from semipunct.errors import TreebankError
from semipunct.files import display_name
from semipunct.formats.conllu.misc import EMPTY
from semipunct.formats.conllu.records import (
    BYTE_ORDER_MARK,
    NO_HEAD,
    Record,
    blocks,
    is_outside,
    record_of,
)
from semipunct.formats.lines import text_lines
from semipunct.marks.matching import TYPOGRAPHIC, matched_pairs
from semipunct.marks.quotes import Mark, directional
from semipunct.marks.tokens import STRAIGHT
from semipunct.trees import tree_fault
from semipunct.trees.conventions import Conventions
from semipunct.trees.guideline import HeadChange, Judgement
from semipunct.trees.mark_places import MarkedTree
from semipunct.trees.principles import Rule

_RELATION = "punct"
_ID, _FORM, _UPOS, _XPOS, _HEAD, _DEPREL, _DEPS, _COLUMNS = 0, 1, 3, 4, 6, 7, 8, 10
_SENTENCE_ID = re.compile(r"#\s*sent_id\s*=?\s*(\S.*?)\s*")
_RANGE = re.compile(r"([1-9][0-9]{0,8})-([1-9][0-9]{0,8})")
_EMPTY_NODE = re.compile(r"[0-9]+\.[1-9][0-9]*")
_PAIRED = frozenset((*TYPOGRAPHIC.openings, *TYPOGRAPHIC.partners, '""', "`"))


@dataclass(frozen=True, eq=False, repr=False)
class MarkedSentence:
    """A sentence of CoNLL-U with the columns that decide about heads of marks.

    Attributes:
        path: the file.
        line: the number of the first line, from 1.
        lines: all lines with their ends.
        sentence_id: its name.
        positions: ``[n + 1]`` the index in ``lines`` of each token, from 1.
        forms, tags, relations, heads: ``[n + 1]`` the columns of each token, from 1. Tags are
            language-specific.
        is_mark: ``[n + 1]`` which tokens have the tag PUNCT and the relation ``punct``.
        fault: the reason why the heads are no tree, with its place; empty if they are one.
    """

    path: str
    line: int
    lines: Sequence[str]
    sentence_id: str
    positions: Sequence[int]
    forms: Sequence[str]
    tags: Sequence[str]
    relations: Sequence[str]
    heads: Sequence[int]
    is_mark: Sequence[bool]
    fault: str = ""

    @classmethod
    def of(cls, record: Record) -> "MarkedSentence":
        """Return the same of a sentence that was read with its heads.

        Args:
            record: the sentence.
        """
        lines = [line + end for line, end in zip(record.lines, record.ends, strict=True)]
        rows = [(t.position, record.lines[t.position].split("\t")) for t in record.tokens]
        return _of_rows(record.path, record.line, lines, record.sentence_id, rows)

    @cached_property
    def judgement(self) -> Judgement:
        """The heads of the marks, with the words to which each can be attached."""
        tree = MarkedTree(self.heads, self.is_mark)
        return Judgement(tree, self.relations, self.forms, self._pairs())

    @cached_property
    def _pairable(self) -> list[int]:
        return [
            token
            for token, (form, is_mark) in enumerate(zip(self.forms, self.is_mark, strict=True))
            if is_mark and form in _PAIRED
        ]

    @cached_property
    def heads_tell_pairs(self) -> bool:
        """Return whether the heads of straight quotation marks tell pairs: their number is odd."""
        counts = Counter(self.forms[token] for token in self._pairable)
        return any(counts[form] > 1 and counts[form] % 2 for form in STRAIGHT)

    def _pairs(self) -> list[tuple[int, int]]:
        if len(self._pairable) <= 1:
            return []
        marks: list[Mark | None] = [None] * len(self.forms)
        for token in self._pairable:
            group = self.heads[token] if self.heads_tell_pairs else 0
            marks[token] = Mark(self.forms[token], self.tags[token], group)
        quotes, _, _ = directional(marks)
        if self.heads_tell_pairs:  # those without a partner are no pair
            quotes = [None if form in STRAIGHT else form for form in quotes]
        tokens = [() if form is None else (form,) for form in quotes]
        return [(opening[0], closing[0]) for opening, closing in matched_pairs(tokens)]

    def head_changes(
        self, conventions: Conventions, rules: Collection[Rule], *, strict: bool
    ) -> tuple[HeadChange, ...]:
        """Return the new heads of the marks whose heads are wrong; none if there is no tree.

        Args:
            conventions: as for ``Judgement.changes``.
            rules: as for ``Judgement.changes``.
            strict: as for ``Judgement.changes``.
        """
        if self.fault:
            return ()
        return tuple(self.judgement.changes(conventions, rules, strict=strict))

    def with_heads(self, changes: Sequence[HeadChange]) -> "MarkedSentence":
        """Return the sentence with new heads; its lines are as before.

        Args:
            changes: the new heads.
        """
        heads = list(self.heads)
        for change in changes:
            heads[change.mark] = change.after
        return replace(self, heads=heads)

    def where(self, token: int) -> str:
        """Return the place of a token for messages: file, line, sentence.

        Args:
            token: its number.
        """
        return f"{self.path}:{self.line_of(token)}: sentence {self.sentence_id}"

    def line_of(self, token: int) -> int:
        """Return the number of the line of a token in the file.

        Args:
            token: its number.
        """
        return self.line + self.positions[token]

    def text(self, changes: Sequence[HeadChange] = ()) -> str:
        """Return the lines of the sentence with other heads of marks.

        Args:
            changes: the new heads; without any, the lines are as in the file.
        """
        if not changes:
            return "".join(self.lines)
        lines = list(self.lines)
        for change in changes:
            position = self.positions[change.mark]
            columns = lines[position].split("\t")
            columns[_HEAD] = str(change.after)
            columns[_DEPS] = with_governor(columns[_DEPS], change.before, change.after)
            lines[position] = "\t".join(columns)
        return "".join(lines)


def with_governor(column: str, before: int, after: int) -> str:
    """Replace the governor of the arc of a mark in the enhanced graph, if it has the basic one.

    Args:
        column: DEPS of the mark.
        before: its head in the tree.
        after: its new head.
    """
    arcs = column.split("|")
    changed = [
        f"{after}:{relation}"
        if governor == str(before) and relation.partition(":")[0] == _RELATION
        else arc
        for arc in arcs
        for governor, _, relation in (arc.partition(":"),)
    ]
    if changed == arcs:
        return column
    return "|".join(sorted(dict.fromkeys(changed), key=_order))


def _order(arc: str) -> tuple[int, int]:
    """Return the place of an arc in DEPS, which is sorted by governors, empty nodes included."""
    word, _, node = arc.partition(":")[0].partition(".")
    return (int(word), int(node or 0)) if word.isdecimal() else (0, 0)


def read_marked(path: str | Path) -> Iterator[MarkedSentence]:
    """Yield the sentences of a CoNLL-U file; one whose heads are no tree has a fault.

    Args:
        path: a file, ``.gz`` or not, or ``-`` for standard input.

    Raises:
        TreebankError: with file, line and sentence, if the file cannot be read, is not CoNLL-U, or
            has no sentence.
    """
    name = display_name(path)
    ordinal = 0
    for first_line, raw in blocks(text_lines(path)):
        ordinal += 1
        yield _read(name, first_line, raw, ordinal)
    if not ordinal:
        raise TreebankError(
            f"{name}: no sentence was found (the file is empty or holds only comments); "
            "give a file in CoNLL-U format"
        )


def _read(path: str, first_line: int, raw: list[str], ordinal: int) -> MarkedSentence:
    rows = _usual_rows(raw)
    if rows is None:
        record = record_of(path, first_line, raw, ordinal, trees=False)
        rows = [(t.position, raw[t.position].split("\t")) for t in record.tokens]
    sentence_id = f"#{ordinal}"
    for line in takewhile(is_outside, raw):
        match = _SENTENCE_ID.fullmatch(line.lstrip(BYTE_ORDER_MARK).rstrip())
        sentence_id = match.group(1) if match else sentence_id
    return _of_rows(path, first_line, raw, sentence_id, rows)


def _of_rows(
    path: str,
    first_line: int,
    lines: Sequence[str],
    sentence_id: str,
    rows: Sequence[tuple[int, list[str]]],
) -> MarkedSentence:
    columns = [row for _, row in rows]
    heads = [int(row[_HEAD]) if row[_HEAD] != EMPTY else NO_HEAD for row in columns]
    fault = tree_fault(heads)
    sentence = MarkedSentence(
        path=path,
        line=first_line,
        lines=lines,
        sentence_id=sentence_id,
        positions=[0, *(position for position, _ in rows)],
        forms=["", *(row[_FORM] for row in columns)],
        tags=["", *(row[_XPOS] for row in columns)],
        relations=["", *(row[_DEPREL] for row in columns)],
        heads=[0, *heads],
        is_mark=[False, *map(_is_mark, columns)],
    )
    if fault is None:
        return sentence
    token, problem = fault
    if heads[token - 1] == NO_HEAD:
        problem = "it has no HEAD"
    place = f"{sentence.where(token)}: word {token} ({sentence.forms[token]})"
    return replace(sentence, fault=f"{place}: {problem}")


def _is_mark(columns: Sequence[str]) -> bool:
    return columns[_UPOS] == PUNCTUATION and columns[_DEPREL].partition(":")[0] == _RELATION


def _usual_rows(raw: Sequence[str]) -> list[tuple[int, list[str]]] | None:
    """Return the columns of the tokens with the indices of their lines; None if one is unusual."""
    rows: list[tuple[int, list[str]]] = []
    last_of_range = 0
    for position, line in enumerate(raw):
        if line[:1] == "#" or line in ("\n", "\r\n"):
            continue
        columns = line.split("\t")
        if len(columns) != _COLUMNS or not columns[_FORM].strip():
            return None
        if columns[_ID] == str(len(rows) + 1):
            if not (columns[_HEAD].isdecimal() and columns[_HEAD].isascii()):
                return None
            rows.append((position, columns))
        elif match := _RANGE.fullmatch(columns[_ID]):
            first, last = map(int, match.groups())
            if first != len(rows) + 1 or first <= last_of_range or last < first:
                return None
            last_of_range = last
        elif not _EMPTY_NODE.fullmatch(columns[_ID]):
            return None
    return rows if rows and last_of_range <= len(rows) else None
