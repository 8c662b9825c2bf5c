"""M2, the format of grammatical error correction: sentences with the edits of annotators.

A sentence is a line ``S`` with its tokens, a line ``A`` for each edit, and an empty line::

    S Well I know .
    A 1 1|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0
    A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

An edit has a range of tokens, a type, a replacement (alternatives separated by ``||``; empty or
``-NONE-`` for a deletion), two fields that scorers ignore, and the annotator. Dahlmeier and Ng
(2012); types by Bryant, Felice and Briscoe (2017).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from operator import add
from pathlib import Path
from typing import NamedTuple, NoReturn, TextIO

from semipunct.corpus import Entry, Omitted, ReadingNotes, Words
from semipunct.corpus.located import BLANKS
from semipunct.errors import TreebankError, UsageError
from semipunct.files import display_name
from semipunct.formats.base import Annotation, Format, Writer
from semipunct.formats.lines import text_lines
from semipunct.formats.text import read_spaced_words
from semipunct.marks import ABBREVIATION, Puncteme, spacing
from semipunct.marks.corrections import ErrorKind, corrections
from semipunct.wording import quantity

NOTHING = "-NONE-"

NOOP = "noop"

_FIELDS = ("offsets", "type", "correction", "required", "comment", "annotator")

_TYPES: dict[ErrorKind, str] = {
    "missing": "M:PUNCT",
    "superfluous": "U:PUNCT",
    "doubled": "U:PUNCT",
    "moved": "R:PUNCT",
    "replaced": "R:PUNCT",
}


class M2Edit(NamedTuple):
    """An edit of one annotator.

    Attributes:
        start: the first token replaced, from 0; -1 for ``noop``.
        stop: one past the last token; equal to ``start`` for an insertion.
        correction: the first of the alternatives.
        line: the line in the file, 0 if there is none.
    """

    start: int
    stop: int
    kind: str
    correction: str
    annotator: int = 0
    line: int = 0

    @property
    def tokens(self) -> tuple[str, ...]:
        is_deletion = self.correction == NOTHING
        return () if is_deletion else tuple(BLANKS.sub(" ", self.correction).split())

    def __str__(self) -> str:
        fields = (self.kind, self.correction, "REQUIRED", NOTHING, str(self.annotator))
        return "|||".join((f"A {self.start} {self.stop}", *fields))


@dataclass(frozen=True, slots=True)
class M2Record:
    """One sentence of a file.

    Attributes:
        sentence_id: ``#k`` for the k-th sentence.
        lines: the lines as read, including the empty lines after the sentence.
    """

    path: str
    line: int
    sentence_id: str
    lines: tuple[str, ...]
    tokens: tuple[str, ...]
    edits: tuple[M2Edit, ...]

    def corrected_tokens(self, annotator: int) -> tuple[str, ...]:
        """Return the tokens after the edits of an annotator.

        Raises:
            TreebankError: if two edits overlap.
        """
        edits = [
            e for e in self.edits if e.annotator == annotator and e.kind != NOOP and e.start >= 0
        ]
        # At the same position insertions come first; otherwise edits keep the file order.
        edits.sort(key=lambda edit: (edit.start, edit.stop))
        corrected: list[str] = []
        place, before = 0, None
        for edit in edits:
            if before is not None and edit.start < place:
                raise TreebankError(
                    f"{self.path}:{edit.line}: sentence {self.sentence_id}: the edit "
                    f"{edit.start} {edit.stop} of annotator {annotator} overlaps "
                    f"{before.start} {before.stop} in line {before.line}; remove one of them"
                )
            corrected += (*self.tokens[place : edit.start], *edit.tokens)
            place, before = edit.stop, edit
        return (*corrected, *self.tokens[place:])

    def reference(self, annotator: int) -> Words | Omitted:
        return self._words(
            f"{self.sentence_id}, annotator {annotator}", self.corrected_tokens(annotator)
        )

    @property
    def source(self) -> Words | Omitted:
        return self._words(self.sentence_id, self.tokens)

    def _words(self, name: str, tokens: Sequence[str]) -> Words | Omitted:
        return read_spaced_words(name, self.path, self.line, " ".join(tokens)).content


class M2(Format[M2Record]):
    """M2, reproduced byte for byte; other punctuation is written as the edits of one annotator."""

    name = "m2"
    suffixes = (".m2",)

    def read(self, path: str | Path) -> Iterator[Entry[M2Record]]:
        return iter(self.read_words(path))

    def read_words(self, path: str | Path) -> Iterator[Entry[M2Record, Words | Omitted]]:
        for record in read_m2_records(path):
            content = record.source
            if isinstance(content, Omitted):
                yield Entry(content, record, notes=ReadingNotes(len(record.tokens)))
                continue
            words = tuple(range(1, len(content.forms) + 1))
            marks = len(record.tokens) - len(words)
            yield Entry(content, record, words, ReadingNotes(len(record.tokens), marks))

    def writer(self, like: Iterable[Entry[M2Record]] = ()) -> "M2Writer":
        return M2Writer()


class M2Writer(Writer[M2Record]):
    """A writer of M2, which never changes source lines."""

    def annotate(self, entry: Entry[M2Record], annotation: Annotation) -> str:
        if annotation.attributes or annotation.comments:
            raise UsageError(
                f"{entry.content.where}: M2 cannot contain annotations; give a file in CoNLL-U"
            )
        return "".join(entry.record.lines)

    def punctuate(self, entry: Entry[M2Record], slots: Sequence[Puncteme]) -> str:
        edits = _edits(entry, slots)
        lines = entry.record.lines
        last = next(place for place, line in enumerate(lines) if line.strip())
        end = "\r\n" if lines[last].endswith("\r\n") else "\n"
        source = "".join(lines[: last + 1]).rstrip("\r\n")
        return end.join((source, *map(str, edits), "", ""))

    def text(self, entry: Entry[M2Record], slots: Sequence[Puncteme]) -> str:
        tokens = list(entry.record.tokens)
        for edit in reversed(_edits(entry, slots)):
            if edit.kind != NOOP:
                tokens[edit.start : edit.stop] = edit.tokens
        return " ".join(tokens)

    def write(self, texts: Iterable[str], stream: TextIO) -> None:
        separator = ""
        for text in texts:
            stream.write(separator + text)
            *before, last = text.split("\n")
            ended = not last and before and not before[-1].strip()
            separator = "" if ended else "\n\n" if last else "\n"


def _edits(entry: Entry[M2Record], slots: Sequence[Puncteme]) -> list[M2Edit]:
    content = entry.content
    if isinstance(content, Omitted):
        raise UsageError(f"{content.where}: {content.reason}; write it unchanged")
    return punctuation_edits(content.forms, content.slots, slots)


def punctuation_edits(
    forms: Sequence[str],
    slots: Sequence[Puncteme],
    corrected: Sequence[Puncteme | None],
    annotator: int = 0,
) -> list[M2Edit]:
    """Return the edits that correct the punctuation of a sentence, or ``noop``.

    Args:
        slots: ``[n + 1]`` the original strings.
        corrected: ``[n + 1]`` the corrected strings; None for unknown.

    Raises:
        UsageError: if a token contains ``|``.
    """
    original = spacing.visible(slots)
    requested = [None if string is None else spacing.visible([string])[0] for string in corrected]
    marks = (sum(map(token_width, slot)) for slot in original)
    place = [*accumulate(map(add, marks, map(token_width, forms)), initial=0)]
    edits: list[M2Edit] = []
    for correction in corrections(original, requested):
        start = place[correction.slot] + sum(
            map(token_width, original[correction.slot][: correction.start])
        )
        after = " ".join(correction.after) or NOTHING
        if "||" in f"|{after}|".replace(" | ", " "):
            raise UsageError(
                f"the tokens {after!r} cannot be written as M2, where '|' separates fields; leave "
                "that correction out, or choose another format"
            )
        stop = start + sum(map(token_width, correction.before))
        edits.append(M2Edit(start, stop, _TYPES[correction.kind], after, annotator))
    return edits or [M2Edit(-1, -1, NOOP, NOTHING, annotator)]


def m2_sentence(
    forms: Sequence[str],
    slots: Sequence[Puncteme],
    references: Sequence[Sequence[Puncteme | None]],
) -> str:
    """Return a sentence with corrections of its punctuation as M2, including the empty line.

    Args:
        references: ``[annotators, n + 1]`` corrected strings; None for unknown.
    """
    dotted = (form + "." * (ABBREVIATION in s) for form, s in zip(forms, slots[1:], strict=True))
    first, *inner_slots = spacing.visible(slots)
    pieces = ((word, *string) for word, string in zip(dotted, inner_slots, strict=True))
    source = " ".join((*first, *chain.from_iterable(pieces)))
    edits = (
        edit
        for annotator, reference in enumerate(references)
        for edit in punctuation_edits(forms, slots, reference, annotator)
    )
    return "".join(f"{line}\n" for line in (f"S {BLANKS.sub(' ', source)}", *edits, ""))


def token_width(form: str) -> int:
    """Return the number of tokens of a word or mark: several if it contains blanks."""
    return max(1, len(BLANKS.sub(" ", form).split()))


def read_m2_records(path: str | Path) -> Iterator[M2Record]:
    """Yield the sentences of an M2 file in order, one at a time."""
    name = display_name(path)
    lines: list[str] = []
    first, number = 1, 0
    for place, line in enumerate(text_lines(path), start=1):
        begins = line.removeprefix("\ufeff").startswith("S ") or line.strip() == "S"
        if begins and any(earlier.strip() for earlier in lines):
            number += 1
            yield _record(name, first, number, lines)
            lines, first = [], place
        lines.append(line)
    if any(line.strip() for line in lines):
        number += 1
        yield _record(name, first, number, lines)
    if not number:
        raise TreebankError(
            f"{name}: no sentence was found (the file is empty or blank); give a file with lines S "
            "and A"
        )


def annotators(records: Iterable[M2Record]) -> tuple[int, ...]:
    """Return the annotators of a file, in order; annotator 0 if it has no edits.

    As in ERRANT, an annotator without edits in a sentence made no corrections there.
    """
    return tuple(sorted({edit.annotator for r in records for edit in r.edits})) or (0,)


def _record(path: str, first: int, number: int, lines: Sequence[str]) -> M2Record:
    name = f"#{number}"

    def fail(place: int, problem: str, remedy: str) -> NoReturn:
        raise TreebankError(f"{path}:{first + place}: sentence {name}: {problem}; {remedy}")

    tokens: tuple[str, ...] | None = None
    edits: list[M2Edit] = []
    ended = False
    for place, raw in enumerate(lines):
        line = raw.removeprefix("\ufeff").rstrip("\r\n")
        if not line.strip():
            ended = tokens is not None
        elif tokens is None:
            if line[:2] not in ("S ", "S"):
                fail(place, f"found {line[:40]!r} before any sentence", "begin it with 'S '")
            tokens = tuple(BLANKS.sub(" ", line[2:]).split())
        elif line[:2] != "A " or ended:
            fail(
                place,
                f"found {line[:40]!r}" + (" after an empty line" if ended else ""),
                "sentences begin with 'S ', their edits follow with 'A ', then an empty line",
            )
        else:
            edit = _edit(line[2:], first + place, len(tokens))
            if isinstance(edit, str):
                fail(place, edit, "correct the line, or remove it")
            edits.append(edit)
    return M2Record(path, first, name, tuple(lines), tokens or (), tuple(edits))


def _edit(text: str, line: int, tokens: int) -> M2Edit | str:
    """Parse an edit, or return an error message."""
    fields = text.split("|||")
    if len(fields) != len(_FIELDS):
        return (
            f"found {quantity(len(fields), 'field')} parted by '|||', not {len(_FIELDS)}: "
            f"{', '.join(_FIELDS)}"
        )
    offsets, kind, correction, _, _, annotator = fields
    places = offsets.split()
    if len(places) != 2 or not all(map(_is_number, places)):
        return f"the offsets {offsets!r} are no two numbers"
    if not _is_number(annotator.strip()) or int(annotator) < 0:
        return f"the annotator {annotator!r} is not a number from 0 on"
    start, stop = map(int, places)
    if (start, stop) != (-1, -1) and not 0 <= start <= stop <= tokens:
        return (
            f"the offsets {start} {stop} are outside of the {quantity(tokens, 'token')}, or in "
            "reverse order"
        )
    return M2Edit(start, stop, kind, correction.partition("||")[0], int(annotator), line)


def _is_number(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdecimal() and len(digits) <= 9
