"""Writing of corrected sentences, in the format of their input or in another one."""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from semipunct.corpus import Entry
    from semipunct.formats import Writer
    from semipunct.marks import Puncteme
    from semipunct.tasks.correction import Corrected

    Outcome = tuple[Entry[Any], Corrected | None]


class Form(StrEnum):
    """The formats that corrected sentences are written in."""

    TEXT = "text"
    CONLLU = "conllu"
    JSON = "json"
    DIFF = "diff"
    M2 = "m2"


def write(
    outcomes: "Iterable[Outcome]",
    form: Form,
    writer: "Writer[Any]",
    stream: TextIO,
    *,
    parsed: bool,
) -> None:
    """Write corrected sentences.

    Args:
        outcomes: entries and what was corrected, None for those left unchanged.
        form: of the output.
        writer: of the entries.
        stream: which must not translate line ends.
        parsed: whether a parser made their tags and trees.
    """
    from semipunct.cli.restored_sentences import with_trees
    from semipunct.formats.conllu import Conllu, ConlluWriter
    from semipunct.formats.m2 import M2Writer
    from semipunct.formats.text import TextWriter

    own = {Form.TEXT: TextWriter, Form.M2: M2Writer}.get(form)
    # The writer of CoNLL-U attaches marks by trees, and the trees of the input were not read.
    if parsed and (form is Form.CONLLU or isinstance(writer, ConlluWriter)):
        outcomes = with_trees(outcomes, conllu=form is Form.CONLLU)
        writer = Conllu().writer()
    if form is Form.CONLLU or (own is not None and isinstance(writer, own)):
        _as_input(outcomes, writer, stream)
    else:
        lines = _json(outcomes, writer) if form is Form.JSON else _lines(outcomes, form, writer)
        stream.writelines(lines)


def _as_input(
    outcomes: "Iterable[tuple[Entry[Any], Any]]", writer: "Writer[Any]", stream: TextIO
) -> None:
    writer.write(
        (
            writer.punctuate(entry, found.slots) if found else writer.source_text(entry)
            for entry, found in outcomes
        ),
        stream,
    )


def _texts(entry: "Entry[Any]", found: "Corrected", writer: "Writer[Any]") -> tuple[str, str]:
    """Return the text of a sentence as it was read, and with corrected punctuation."""
    from semipunct.corpus.located import Located

    if isinstance(entry.record, Located):
        return entry.record.text.rstrip(), entry.record.punctuate(found.slots).rstrip()
    return writer.text(entry, found.sentence.slots), writer.text(entry, found.slots)


def _spelt(
    entry: "Entry[Any]", found: "Corrected", writer: "Writer[Any]"
) -> "tuple[Sequence[Puncteme], Sequence[Puncteme]]":
    """Return the slots as they were read and corrected, with the characters of the file."""
    return writer.spell_marks(entry, found.sentence.slots), writer.spell_marks(entry, found.slots)


def _tokens(entry: "Entry[Any]") -> Sequence[str]:
    """Return the tokens of a sentence that was left out, if its format provides them."""
    from semipunct.corpus.located import BLANKS, Located
    from semipunct.formats.conllu import Record

    if isinstance(entry.record, Located):
        return BLANKS.sub(" ", entry.record.text).split()
    return [t.form for t in entry.record.tokens] if isinstance(entry.record, Record) else ()


def _lines(outcomes: "Iterable[Outcome]", form: Form, writer: "Writer[Any]") -> Iterator[str]:
    from semipunct.render.corrected import difference, m2, unchanged_to_m2

    for entry, found in outcomes:
        if found is None:
            if form is Form.TEXT:
                yield writer.plain(entry) + "\n"
            elif form is Form.M2:
                yield unchanged_to_m2(_tokens(entry))
        elif form is Form.M2:
            yield m2(found, *_spelt(entry, found, writer))
        else:
            before, after = _texts(entry, found, writer)
            yield after + "\n" if form is Form.TEXT else difference(found, before, after)


def _json(outcomes: "Iterable[Outcome]", writer: "Writer[Any]") -> Iterator[str]:
    from semipunct.corpus import Omitted
    from semipunct.corpus.located import Located
    from semipunct.render.analyses import dump, omitted_as_dict
    from semipunct.render.corrected import Places, as_dict

    offset, start = 0, None
    for entry, found in outcomes:
        record, content = entry.record, entry.content
        # A file may be given twice in a row.
        if start is None or content.path != start[0] or content.sentence_id == start[1]:
            offset, start = 0, (content.path, content.sentence_id)
        located = isinstance(record, Located)
        if found is not None:
            before, after = _texts(entry, found, writer)
            spelt = _spelt(entry, found, writer)
            places: Places | Located = record
            if not located:
                places = Places.of(before, writer.surface(entry), spelt[0])
            at = offset if located else None
            yield dump(as_dict(found, before, after, spelt, entry.word_ids, places, at)) + "\n"
        elif isinstance(content, Omitted):
            yield dump(omitted_as_dict(content, content.reason)) + "\n"
        if located:
            offset += len(record.text)
