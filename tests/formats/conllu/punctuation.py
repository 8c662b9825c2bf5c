"""Sentences with punctuation, for the tests of writing it back."""

from semipunct.corpus.sentences import Sentence, to_sentence
from semipunct.formats.conllu.records import Record, format_record
from tests.formats.conllu.builders import record, records, word

GLUED = "SpaceAfter=No"


def mark(word_id, form, head, xpos="_", misc="_"):
    return word(word_id, form, head, "punct", "PUNCT", xpos, misc)


def with_arcs(line: str, arcs: str) -> str:
    """The line with an entry in the column DEPS."""
    columns = line.split("\t")
    return "\t".join((*columns[:8], arcs, columns[9]))


def sentence_of(*lines: str) -> Sentence:
    found = to_sentence(record(*lines))
    assert isinstance(found, Sentence)
    return found


def reread(found: Record) -> Sentence:
    (again,) = records(format_record(found))
    assert (again.lines, again.ends, again.tokens) == (found.lines, found.ends, found.tokens)
    sentence = to_sentence(again)
    assert isinstance(sentence, Sentence)
    return sentence


def body(found: Record) -> list[str]:
    """The lines of a record with one space for each tab, without the blank line."""
    return [line.replace("\t", " ") for line in found.lines if line]
