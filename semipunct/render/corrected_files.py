"""Writing of corrected sentences, in the format of their input or in another one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TextIO

from semipunct.corpus import Entry, Omitted
from semipunct.corpus.located import BLANKS, Located
from semipunct.formats import Writer
from semipunct.formats.conllu import Conllu, ConlluWriter, Record
from semipunct.formats.m2 import M2Writer
from semipunct.formats.text import TextWriter
from semipunct.marks import Puncteme
from semipunct.render.analyses import dump, omitted_as_dict
from semipunct.render.corrected import Places, corrected_as_dict, difference, m2, unchanged_to_m2
from semipunct.render.restored_files import with_trees
from semipunct.tasks.correction import Corrected
from semipunct.tasks.options import CorrectedForm
from semipunct.tasks.run import Outcome


def write_corrected(
    outcomes: Iterable[Outcome[Corrected]],
    form: CorrectedForm,
    writer: Writer[Any],
    stream: TextIO,
    *,
    parsed: bool,
    characters: int = 0,
) -> None:
    """Write corrected sentences.

    Args:
        outcomes: entries and what was corrected, None for those left unchanged.
        form: of the output.
        writer: of the entries.
        stream: which must not translate line ends.
        parsed: whether a parser made their tags and trees.
        characters: the number of characters before them in the file of the first one.
    """
    writer_of_form = {"text": TextWriter, "m2": M2Writer}.get(form)
    # The writer of CoNLL-U attaches marks by trees, and the trees of the input were not read.
    if parsed and (form == "conllu" or isinstance(writer, ConlluWriter)):
        outcomes = with_trees(outcomes, conllu=form == "conllu")
        writer = Conllu().writer()
    if form == "conllu" or (writer_of_form is not None and isinstance(writer, writer_of_form)):
        _as_input(outcomes, writer, stream)
    else:
        lines = (
            _corrected_json(outcomes, writer, characters)
            if form == "json"
            else _corrected_lines(outcomes, form, writer)
        )
        stream.writelines(lines)


def _as_input(
    outcomes: Iterable[tuple[Entry[Any, Any], Any]], writer: Writer[Any], stream: TextIO
) -> None:
    writer.write(
        (
            writer.punctuate(entry, corrected.slots) if corrected else writer.source_text(entry)
            for entry, corrected in outcomes
        ),
        stream,
    )


def _texts(entry: Entry[Any, Any], corrected: Corrected, writer: Writer[Any]) -> tuple[str, str]:
    """Return the text of a sentence as it was read, and with corrected punctuation."""
    if isinstance(entry.record, Located):
        return entry.record.text.rstrip(), entry.record.punctuate(corrected.slots).rstrip()
    return writer.text(entry, corrected.sentence.slots), writer.text(entry, corrected.slots)


def _spelt(
    entry: Entry[Any, Any], corrected: Corrected, writer: Writer[Any]
) -> tuple[Sequence[Puncteme], Sequence[Puncteme]]:
    """Return the slots as they were read and corrected, with the characters of the file."""
    return writer.spell_marks(entry, corrected.sentence.slots), writer.spell_marks(
        entry, corrected.slots
    )


def _tokens(entry: Entry[Any, Any]) -> Sequence[str]:
    """Return the tokens of a sentence that was left out, if its format provides them."""
    if isinstance(entry.record, Located):
        return BLANKS.sub(" ", entry.record.text).split()
    return [t.form for t in entry.record.tokens] if isinstance(entry.record, Record) else ()


def _corrected_lines(
    outcomes: Iterable[Outcome[Corrected]], form: CorrectedForm, writer: Writer[Any]
) -> Iterator[str]:

    for entry, corrected in outcomes:
        if corrected is None:
            if form == "text":
                yield writer.plain(entry) + "\n"
            elif form == "m2":
                yield unchanged_to_m2(_tokens(entry))
        elif form == "m2":
            yield m2(corrected, *_spelt(entry, corrected, writer))
        else:
            before, after = _texts(entry, corrected, writer)
            yield after + "\n" if form == "text" else difference(corrected, before, after)


def _corrected_json(
    outcomes: Iterable[Outcome[Corrected]], writer: Writer[Any], characters: int
) -> Iterator[str]:

    offset, start = characters, None
    for entry, corrected in outcomes:
        record, content = entry.record, entry.content
        # A file may be given twice in a row.
        if start is None:
            start = (content.path, content.sentence_id)
        elif content.path != start[0] or content.sentence_id == start[1]:
            offset, start = 0, (content.path, content.sentence_id)
        located = isinstance(record, Located)
        if corrected is not None:
            before, after = _texts(entry, corrected, writer)
            spelt = _spelt(entry, corrected, writer)
            places: Places | Located = record
            if not located:
                places = Places.of(before, writer.surface(entry), spelt[0])
            at = offset if located else None
            yield dump(corrected_as_dict(corrected, before, after, spelt, entry.word_ids, places, at)) + "\n"
        elif isinstance(content, Omitted):
            yield dump(omitted_as_dict(content, content.reason)) + "\n"
        if located:
            offset += len(record.text)
