"""Probabilities of heads and slot strings according to a parser, in the MISC column.

``SemipunctHead`` is the probability of the head of a word; ``SemipunctAfter`` is the probability of
the most probable string at its right, and the string; ``SemipunctBefore`` is the same at the left
of the first word.
"""

from collections.abc import Sequence
from dataclasses import replace

from semipunct.corpus import Entry, Omitted, Sentence, Words
from semipunct.corpus.sentences import Expected
from semipunct.formats.conllu.misc import attributes
from semipunct.formats.conllu.records import Record
from semipunct.marks import Puncteme

_MISC = 9
HEAD, BEFORE, AFTER = "SemipunctHead", "SemipunctBefore", "SemipunctAfter"


def expected_attributes(expected: Expected) -> list[dict[str, str]]:
    """Return the attributes of each word.

    Args:
        expected: the probabilities for a sentence of n words.
    """
    pairs = zip(expected.probabilities, expected.strings, strict=True)
    before, *after = (" ".join((f"{p:.4f}", *string)) for p, string in pairs)
    rows = [
        {HEAD: f"{head:.4f}", AFTER: value}
        for head, value in zip(expected.heads, after, strict=True)
    ]
    rows[0] |= {BEFORE: before}
    return rows


def expected_in(columns: Sequence[str]) -> Expected | None:
    """Read ``expected_attributes`` from the MISC columns of the words of a sentence.

    Args:
        columns: the columns as in the file.

    Returns:
        None unless all words have them.
    """
    if not columns or HEAD not in columns[0]:
        return None
    rows = [attributes(column) for column in columns]
    try:
        slots = [_slot(rows[0][BEFORE]), *(_slot(row[AFTER]) for row in rows)]
        heads = tuple(_probability(row[HEAD]) for row in rows)
    except (KeyError, ValueError):
        return None
    return Expected(heads, tuple(s for s, _ in slots), tuple(p for _, p in slots))


def with_expected(
    entry: Entry[Record, Sentence | Words | Omitted],
) -> Entry[Record, Sentence | Words | Omitted]:
    """Add the probabilities in a record to its sentence, if there are any."""
    content, record = entry.content, entry.record
    if not isinstance(content, Sentence) or not any(HEAD in line for line in record.lines):
        return entry
    places = [record.tokens[word - 1].position for word in entry.word_ids]
    expected = expected_in([record.lines[place].split("\t")[_MISC] for place in places])
    return replace(entry, content=replace(content, expected=expected))


def _slot(value: str) -> tuple[Puncteme, float]:
    probability, *string = value.split(" ")
    return tuple(string), _probability(probability)


def _probability(value: str) -> float:
    probability = float(value)
    if not 0 <= probability <= 1:
        raise ValueError(value)
    return probability
