"""Writing of restored sentences, in the format of their input or in another one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, TextIO

from semipunct.corpus import Entry, Omitted
from semipunct.corpus.located import Located
from semipunct.formats import Writer
from semipunct.formats.conllu import Conllu, Record
from semipunct.formats.conllu.from_text import analysed_entry
from semipunct.formats.text import TextWriter
from semipunct.render.analyses import dump, omitted_as_dict
from semipunct.render.restorations import restored_as_dict, in_own_characters
from semipunct.tasks.options import RestoredForm
from semipunct.tasks.restoration import LISTED, Restoration
from semipunct.tasks.run import Outcome

Restored = Outcome[Restoration[Any]]


def in_own_capitals(outcomes: Iterable[Restored], writer: Writer[Any]) -> Iterator[Restored]:
    """Write the capitals that restored sentences come with into their entries.

    Args:
        outcomes: entries and what was restored, None for those left unchanged.
        writer: of the entries.
    """
    for entry, restoration in outcomes:
        yield (
            (writer.recase(entry, restoration.sentence.forms) if restoration else entry),
            restoration,
        )


def write_restored(
    outcomes: Iterable[Restored],
    form: RestoredForm,
    writer: Writer[Any],
    stream: TextIO,
    *,
    parsed: bool,
) -> None:
    """Write restored sentences.

    Args:
        outcomes: entries and what was restored, None for those left unchanged.
        form: of the output.
        writer: of the entries.
        stream: which must not translate line ends.
        parsed: whether a parser made their tags and trees.
    """
    is_text = isinstance(writer, TextWriter)
    # In text, marks have fixed places; in other formats they are attached by trees.
    if parsed and (form == "conllu" or not is_text):
        trees = with_trees(outcomes, conllu=form == "conllu")
        outcomes, writer = trees, Conllu().writer()
    # The layout of text is preserved, including empty lines.
    if form == "conllu" or (form == "text" and is_text):
        writer.write(
            (
                writer.punctuate(entry, restoration.written)
                if restoration
                else writer.source_text(entry)
                for entry, restoration in outcomes
            ),
            stream,
        )
        return
    for entry, restoration in outcomes:
        text = writer.text(entry, restoration.written) if restoration else writer.plain(entry)
        if form == "text":
            stream.write(text + "\n")
        elif restoration:
            in_file_characters = in_own_characters(
                restoration, writer.spell_marks(entry, restoration.written)
            )
            stream.write(dump(restored_as_dict(in_file_characters, text, entry.word_ids, LISTED)) + "\n")
        elif isinstance(entry.content, Omitted):
            omitted = omitted_as_dict(entry.content, entry.content.reason)
            stream.write(dump(omitted) + "\n")


def with_trees(
    outcomes: Iterable[tuple[Entry[Any, Any], Any]], *, conllu: bool
) -> Iterator[tuple[Entry[Any, Any], Any]]:
    """Replace the tags and trees of entries with those of a parser.

    Args:
        outcomes: entries and their results, with ``sentence`` and ``slots``; None for those left
            unchanged.
        conllu: whether the output is CoNLL-U, which cannot represent text without words.
    """
    for entry, outcome in outcomes:
        if outcome:
            if isinstance(entry.record, Located):
                outcome = replace(outcome, slots=tuple(entry.record.outside(outcome.slots)))
            yield analysed_entry(entry, outcome.sentence), outcome
        elif not conllu or isinstance(entry.record, Record):
            yield entry, None
