"""Sentences with punctuation, for tests of writing it."""

from semipunct.corpus import Entry, Sentence
from semipunct.formats.conllu.reading import to_entry
from semipunct.formats.conllu.records import Record, format_record
from tests.formats.conllu.builders import record, records, word

GLUED = "SpaceAfter=No"


def mark(word_id, form, head, xpos="_", misc="_"):
    return word(word_id, form, head, "punct", "PUNCT", xpos, misc)


def with_arcs(line: str, arcs: str) -> str:
    """Return the line with an entry in the column DEPS."""
    columns = line.split("\t")
    return "\t".join((*columns[:8], arcs, columns[9]))


def entry_of(*lines: str) -> Entry[Record]:
    """Return the entry of a sentence that is not omitted."""
    entry = to_entry(record(*lines))
    assert isinstance(entry.content, Sentence)
    return entry


def content(entry: Entry[Record]) -> Sentence:
    """Return the sentence of an entry."""
    assert isinstance(entry.content, Sentence)
    return entry.content


def reread(written: Record) -> Entry[Record]:
    """Write the record and read it again."""
    (again,) = records(format_record(written))
    assert (again.lines, again.ends, again.tokens) == (written.lines, written.ends, written.tokens)
    entry = to_entry(again)
    assert isinstance(entry.content, Sentence)
    return entry


def body(printed: Record) -> list[str]:
    """Return the lines of a record with spaces in place of tabs, without the blank line."""
    return [line.replace("\t", " ") for line in printed.lines if line]
