"""Unlabelled dependencies: a token a line, with form, tag and head; a blank line between sentences.

The tags are those of the Penn Treebank, which identify punctuation.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from pathlib import Path
from typing import NoReturn, TextIO

from semipunct.corpus import Entry, Omitted
from semipunct.corpus.sentences import MISSING
from semipunct.corpus.treebank import MALFORMED, PUNCTUATION
from semipunct.errors import TreebankError, UsageError
from semipunct.files import display_name
from semipunct.formats.base import Annotation, Format, Writer
from semipunct.formats.conllu.reading import Marks, to_entry
from semipunct.formats.conllu.records import Token
from semipunct.formats.lines import text_lines
from semipunct.marks import Puncteme
from semipunct.marks.penn import MARK_TAGS
from semipunct.trees import tree_fault
from semipunct.wording import quantity

COLUMNS = ("form", "tag", "head")

_ARC, _ROOT = "dep", "root"


@dataclass(frozen=True, slots=True)
class DependencyRecord:
    """One sentence of a file.

    Attributes:
        path: the file.
        line: the number of the first line, from 1.
        sentence_id: ``#k`` for the k-th sentence.
        lines: the lines as read, including the blank lines after the sentence and, for the first
            one, before it.
        tokens: words and punctuation; none if the sentence is malformed.
    """

    path: str
    line: int
    sentence_id: str
    lines: tuple[str, ...]
    tokens: tuple[Token, ...]


@dataclass(frozen=True)
class Dependencies(Format[DependencyRecord]):
    """Files with three columns, separated by tabs; the head 0 is that of the root.

    Attributes:
        marks: whether punctuation is in slots or among the words.
    """

    name = "dependencies"
    suffixes = (".dp",)

    marks: Marks = "slots"

    def read(self, path: str | Path) -> Iterator[Entry[DependencyRecord]]:
        name, number, first, pending = display_name(path), 0, 1, list[str]()
        before: list[str] = []  # blank lines before the first sentence
        for blank, group in groupby(text_lines(path), lambda line: not line.strip()):
            lines = list(group)
            if blank and not pending:
                before = lines
                first += len(lines)
            elif blank:
                number += 1
                yield self._entry(name, first, number, pending, (before, lines))
                first += len(pending) + len(lines)
                before, pending = [], []
            else:
                pending = lines
        if pending:
            number += 1
            yield self._entry(name, first, number, pending, (before, []))
        if not number:
            raise TreebankError(
                f"{name}: no sentence was found (the file is empty or blank); give a file with the "
                f"columns {', '.join(COLUMNS)}"
            )

    def _entry(
        self,
        path: str,
        first: int,
        number: int,
        lines: Sequence[str],
        blank: tuple[Sequence[str], Sequence[str]],
    ) -> Entry[DependencyRecord]:
        """Make the entry of a sentence, which is omitted if it is malformed.

        Args:
            path: the file.
            first: the number of the first line.
            number: the number of the sentence.
            lines: its lines.
            blank: the blank lines before and after it that belong to it.
        """
        name = f"#{number}"
        whole = (*blank[0], *lines, *blank[1])
        try:
            tokens = _tokens(path, first, name, lines)
        except TreebankError as error:
            omitted = Omitted(MALFORMED, name, path, first, str(error))
            return Entry(omitted, DependencyRecord(path, first, name, whole, ()))
        record = DependencyRecord(path, first, name, whole, tokens)
        return to_entry(record, self.marks)

    def writer(self, like: Iterable[Entry[DependencyRecord]] = ()) -> "DependencyWriter":
        return DependencyWriter()


class DependencyWriter(Writer[DependencyRecord]):
    """A writer that only reproduces sentences: the three columns have no room for annotations."""

    def annotate(self, entry: Entry[DependencyRecord], annotation: Annotation) -> str:
        if annotation.attributes or annotation.comments:
            _refuse(entry, "annotations")
        return "".join(entry.record.lines)

    def punctuate(self, entry: Entry[DependencyRecord], slots: Sequence[Puncteme]) -> str:
        _refuse(entry, "new punctuation, which would need tags and heads")

    def text(self, entry: Entry[DependencyRecord], slots: Sequence[Puncteme]) -> str:
        words = [entry.record.tokens[word_id - 1].form for word_id in entry.word_ids]
        if len(slots) != len(words) + 1:
            raise UsageError(
                f"{quantity(len(slots), 'slot')} for {quantity(len(words), 'word')}; give one more "
                "than words"
            )
        pairs = zip(("", *words), map(" ".join, slots), strict=True)
        return " ".join(filter(None, chain.from_iterable(pairs)))

    def write(self, texts: Iterable[str], stream: TextIO) -> None:
        separator = ""
        for text in texts:
            stream.write(separator + text)
            ends = len(text) - len(text.rstrip("\r\n"))
            separator = "\n" * max(0, 2 - ends)


def _refuse(entry: Entry[DependencyRecord], content: str) -> NoReturn:
    record = entry.record
    raise UsageError(
        f"{record.path}:{record.line}: sentence {record.sentence_id}: files of form, tag and head "
        f"cannot contain {content}; give the treebank as CoNLL-U"
    )


def _tokens(path: str, first: int, name: str, lines: Sequence[str]) -> tuple[Token, ...]:
    def fail(line: int, problem: str, remedy: str) -> NoReturn:
        raise TreebankError(f"{path}:{first + line}: sentence {name}: {problem}; {remedy}")

    tokens: list[Token] = []
    for place, line in enumerate(lines):
        columns = line.rstrip("\r\n").lstrip("\ufeff").split("\t")
        if len(columns) != len(COLUMNS) or not all(column.strip() for column in columns):
            fail(
                place,
                f"found {quantity(len(columns), 'column')} of which none may be empty",
                f"give {len(COLUMNS)}, separated by tabs: {', '.join(COLUMNS)}",
            )
        form, tag, head = columns
        if not (head.isascii() and head.isdecimal()):
            fail(place, f"the head {head!r} is not a number", "give the number of a token, or 0")
        if len(head) > 9:
            fail(place, f"the head {head[:9]}... is not a token of the sentence", "correct it")
        upos = PUNCTUATION if tag in MARK_TAGS else MISSING
        relation = _ROOT if head == "0" else _ARC
        tokens.append(
            Token(place + 1, form, MISSING, upos, tag, MISSING, int(head), relation, place)
        )
    fault = tree_fault([token.head for token in tokens])
    if fault:
        word, problem = fault
        fail(
            word - 1,
            f"word {word} ({tokens[word - 1].form}): {problem.replace('HEAD', 'head')}",
            "correct the column head, or leave the sentence out",
        )
    return tuple(tokens)
