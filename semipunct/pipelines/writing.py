"""Restored and corrected sentences in the format of their input or in another one."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar, TextIO, TypeVar

from semipunct.corpus import Entry, Omitted
from semipunct.corpus.located import BLANKS, Located
from semipunct.formats import Writer
from semipunct.formats.conllu import Conllu, Record
from semipunct.formats.conllu.from_text import analysed_entry
from semipunct.formats.m2 import M2Writer, m2_sentence
from semipunct.formats.text import TextWriter
from semipunct.marks import SILENT, Puncteme, spacing
from semipunct.pipelines.chunks import Outcome
from semipunct.pipelines.marked_text import Places
from semipunct.pipelines.options import CorrectOptions, RestoreOptions
from semipunct.pipelines.reasons.catalogue import rule
from semipunct.pipelines.reasons.marks import reason_of_correction
from semipunct.pipelines.reasons.place import Line
from semipunct.pipelines.results import Corrected, Restoration
from semipunct.pipelines.task import OptionsT, Task
from semipunct.pipelines.tree_writing import dump, omitted_as_dict

A = TypeVar("A", Restoration[Any], Corrected)

# The writers whose layout each form of output preserves.
_OWN: dict[str, type] = {"text": TextWriter, "m2": M2Writer}


class MarksTask(Task[OptionsT, A]):
    """Writes marks into sentences, and the trees of a parser in place of others."""

    kept: ClassVar[tuple[type, ...]] = (TextWriter,)
    writes_trees: ClassVar[bool] = True

    def write(
        self, outcomes: Iterator[Outcome[A]], form: str, writer: Writer[Any], stream: TextIO
    ) -> None:
        if self.has_capitals:
            outcomes = (
                (writer.recase(entry, answer.sentence.forms) if answer else entry, answer)
                for entry, answer in outcomes
            )
        is_parsed = bool(self.helpers.parsers) and self.writes_trees
        if is_parsed and (form == "conllu" or not isinstance(writer, self.kept)):
            outcomes = _with_trees(outcomes, conllu=form == "conllu")
            writer = Conllu().writer()
        # The layout of text is preserved, including empty lines.
        if form == "conllu" or isinstance(writer, _OWN.get(form, ())):
            writer.write(
                (
                    writer.punctuate(entry, answer.written) if answer else writer.source_text(entry)
                    for entry, answer in outcomes
                ),
                stream,
            )
        else:
            stream.writelines(self.lines(outcomes, form, writer))

    @abstractmethod
    def lines(
        self, outcomes: Iterable[Outcome[A]], form: str, writer: Writer[Any]
    ) -> Iterator[str]:
        """Yield lines of a format other than the input's.

        Args:
            outcomes: entries and their answers, None for unchanged entries.
        """


def _with_trees(outcomes: Iterable[Outcome[Any]], *, conllu: bool) -> Iterator[Outcome[Any]]:
    """Replace the tags and trees of entries by a parser's."""
    for entry, outcome in outcomes:
        if outcome:
            if isinstance(entry.record, Located):
                outcome = replace(outcome, slots=tuple(entry.record.outside(outcome.slots)))
            yield analysed_entry(entry, outcome.sentence), outcome
        elif not conllu or isinstance(entry.record, Record):
            yield entry, None


class RestoreTask(MarksTask[RestoreOptions, Restoration[Any]]):
    """Restores punctuation."""

    name = "restore"

    def lines(
        self, outcomes: Iterable[Outcome[Restoration[Any]]], form: str, writer: Writer[Any]
    ) -> Iterator[str]:
        for entry, restoration in outcomes:
            text = writer.text(entry, restoration.written) if restoration else writer.plain(entry)
            if form == "text":
                yield text + "\n"
            elif restoration:
                spelt = writer.spell_marks(entry, restoration.written)
                values = in_own_characters(restoration, spelt).as_dict()
                head = {name: values.pop(name) for name in ("sent_id", "text", "words")}
                named = {**head, "text": text, "word_ids": list(entry.word_ids), **values}
                yield dump({"schema": "semipunct.restore/1", **named}) + "\n"
            elif isinstance(entry.content, Omitted):
                yield dump(omitted_as_dict(entry.content, entry.content.reason)) + "\n"


def in_own_characters(restoration: Restoration[Any], spelt: Sequence[Puncteme]) -> Restoration[Any]:
    """Replace the model's tokens by the characters of the file.

    A file may have straight quotation marks for directional ones of the model.

    Args:
        spelt: ``[n + 1]`` the spelling of ``restoration.written`` (``Writer.spell_marks``).
    """
    names: list[dict[Puncteme, Puncteme]] = []
    rows = zip(restoration.slots, restoration.posteriors, spelt, strict=True)
    for string, posterior, row in rows:
        # From the end: the dot of an abbreviation may have absorbed the first token.
        forms = iter([token for token in reversed(row) if token not in SILENT])
        backwards = [t if t in SILENT else next(forms, t) for t in reversed(string)]
        in_own = tuple(reversed(backwards))
        # If the file has both, each keeps its own form.
        names.append({} if in_own in posterior.strings else {string: in_own})

    def own(strings: Sequence[Puncteme]) -> tuple[Puncteme, ...]:
        return tuple(name.get(s, s) for s, name in zip(strings, names, strict=True))

    return replace(
        restoration,
        slots=own(restoration.slots),
        posteriors=tuple(
            replace(posterior, strings=tuple(name.get(s, s) for s in posterior.strings))
            for posterior, name in zip(restoration.posteriors, names, strict=True)
        ),
        nbest=tuple((own(draw), share) for draw, share in restoration.nbest),
    )


class CorrectTask(MarksTask[CorrectOptions, Corrected]):
    """Corrects punctuation."""

    name = "correct"
    kept = (TextWriter, M2Writer)
    characters: int = 0

    def lines(
        self, outcomes: Iterable[Outcome[Corrected]], form: str, writer: Writer[Any]
    ) -> Iterator[str]:
        offset, start = self.characters, None
        for entry, corrected in outcomes:
            record, content = entry.record, entry.content
            # A file may be given twice in a row.
            if start is None:
                start = (content.path, content.sentence_id)
            elif content.path != start[0] or content.sentence_id == start[1]:
                offset, start = 0, (content.path, content.sentence_id)
            if corrected is not None:
                yield _corrected_text(entry, corrected, form, writer, offset)
            elif form == "text":
                yield writer.plain(entry) + "\n"
            elif form == "m2":  # every sentence keeps its number
                tokens = tuple(_tokens(entry))
                yield m2_sentence((), (tokens,), [(tokens,)])
            elif form == "json" and isinstance(content, Omitted):
                yield dump(omitted_as_dict(content, content.reason)) + "\n"
            if isinstance(record, Located):
                offset += len(record.text)


def _tokens(entry: Entry[Any, Any]) -> Sequence[str]:
    if isinstance(entry.record, Located):
        return BLANKS.sub(" ", entry.record.text).split()
    return [t.form for t in entry.record.tokens] if isinstance(entry.record, Record) else ()


def _corrected_text(
    entry: Entry[Any, Any], corrected: Corrected, form: str, writer: Writer[Any], offset: int
) -> str:
    record = entry.record
    sides = corrected.sentence.slots, corrected.slots
    if form == "m2":
        before, after = (writer.spell_marks(entry, slots) for slots in sides)
        return m2_sentence(corrected.sentence.forms, before, [after])
    if isinstance(record, Located):
        texts = record.text.rstrip(), record.punctuate(corrected.slots).rstrip()
    else:
        texts = writer.text(entry, sides[0]), writer.text(entry, sides[1])
    if form == "text":
        return texts[1] + "\n"
    if form == "diff":
        return difference(corrected, *texts)
    spelt = [writer.spell_marks(entry, slots) for slots in sides]
    places: Places | Located = record
    at: int | None = offset
    if not isinstance(record, Located):
        places, at = Places.of(texts[0], writer.surface(entry), spelt[0]), None
    values = {
        "schema": "semipunct.correct/1",
        "sent_id": corrected.sentence.sentence_id,
        "input": texts[0],
        "offset": at,
        "text": texts[1],
        "words": list(corrected.sentence.forms),
        "word_ids": list(entry.word_ids),
        "corrections": correction_rows(corrected, spelt, places),
    }
    return dump(values) + "\n"


def correction_rows(
    corrected: Corrected, spelt: Sequence[Sequence[Puncteme]], places: Places | Located
) -> list[dict[str, Any]]:
    """Return the corrections of a sentence as JSON values."""
    rows: list[dict[str, Any]] = []
    visible = [spacing.visible(slots) for slots in spelt]
    line = Line(corrected.sentence.forms, spacing.visible(corrected.slots))
    for explained in corrected.corrections:
        correction, reason = explained.correction, explained.reason
        start, end = places.place(correction.slot, correction.start, correction.stop)
        before, after = (slots[correction.slot][correction.start :] for slots in visible)
        edits = () if reason is None else reason.edits
        rows.append(
            {
                "slot": correction.slot,
                "start": start,
                "end": end,
                "before": list(before[: len(correction.before)]),
                "after": list(after[: len(correction.after)]),
                "error": correction.error,
                "probability": explained.probability,
                "probability_of_written": explained.written,
                "underlying": [
                    {"word": a.word, "side": a.side, "tokens": list(a.tokens)}
                    for a in (() if reason is None else reason.attached)
                ],
                "edits": [{"edit": e.name, "a": e.a, "b": e.b} for e in edits],
                "rule": rule(edits),
                "reason": reason_of_correction(corrected, explained, line).text,
            }
        )
    return rows


def difference(corrected: Corrected, before: str, after: str) -> str:
    """Format a corrected sentence as lines of a diff; empty without corrections."""
    if not corrected.corrections:
        return ""
    sentence = corrected.sentence
    # A file name need not be valid UTF-8.
    path = sentence.path.encode("utf-8", "backslashreplace").decode("utf-8")
    head = f"@@ {path}:{sentence.line} {sentence.sentence_id} @@"
    sides = (("-", before), ("+", after))  # a sentence may span lines
    lines = (sign + line for sign, text in sides for line in re.split(r"\r?\n|\r", text))
    return "".join(f"{line}\n" for line in (head, *lines))
