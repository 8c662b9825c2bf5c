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


def expected_attributes(known: Expected) -> list[dict[str, str]]:
    """Return the attributes of each word.

    Args:
        known: the probabilities for a sentence of n words.
    """
    pairs = zip(known.probabilities, known.strings, strict=True)
    before, *after = (" ".join((f"{p:.4f}", *string)) for p, string in pairs)
    found = [
        {HEAD: f"{head:.4f}", AFTER: value} for head, value in zip(known.heads, after, strict=True)
    ]
    found[0] |= {BEFORE: before}
    return found


def expected_in(columns: Sequence[str]) -> Expected | None:
    """Read ``expected_attributes`` from the MISC columns of the words of a sentence.

    Args:
        columns: the columns as in the file.

    Returns:
        None unless all words have them.
    """
    if not columns or HEAD not in columns[0]:
        return None
    found = [attributes(column) for column in columns]
    try:
        slots = [_slot(found[0][BEFORE]), *(_slot(one[AFTER]) for one in found)]
        heads = tuple(_probability(one[HEAD]) for one in found)
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
    known = expected_in([record.lines[place].split("\t")[_MISC] for place in places])
    return replace(entry, content=replace(content, expected=known))


def _slot(value: str) -> tuple[Puncteme, float]:
    probability, *string = value.split(" ")
    return tuple(string), _probability(probability)


def _probability(value: str) -> float:
    found = float(value)
    if not 0 <= found <= 1:
        raise ValueError(value)
    return found
