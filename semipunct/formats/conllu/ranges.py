"""Multiword tokens: orthographic words that consist of several syntactic words.

Punctuation within an orthographic word (the slash of *him/her*, if the treebank gives it a range)
belongs to the word, as its characters do: it is neither removed nor changed, and no mark is put
between the syntactic words. Only ranges make orthographic words: without a range, a hyphen between
two words without spaces is punctuation, as in English-EWT.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from semipunct.corpus.treebank import PUNCTUATION
from semipunct.formats.conllu.lines import BYTE_ORDER_MARK
from semipunct.formats.conllu.records import Record

_FORM = 1
_RANGE = re.compile(r"(\d+)-(\d+)\t")


class MultiwordToken(NamedTuple):
    """A multiword token: its index in ``Record.lines``, its first and last ID, its form."""

    position: int
    first: int
    last: int
    form: str


def multiword_tokens(record: Record) -> list[MultiwordToken]:
    """List the multiword tokens of a record."""
    spans: list[MultiwordToken] = []
    for position, line in enumerate(record.lines):
        match = _RANGE.match(line.lstrip(BYTE_ORDER_MARK))
        if match:
            first, last = map(int, match.groups())
            spans.append(MultiwordToken(position, first, last, line.split("\t")[_FORM]))
    return spans


def within_words(record: Record) -> frozenset[int]:
    """Return the IDs of all tokens that belong to multiword tokens."""
    spans = multiword_tokens(record)
    return frozenset(word_id for span in spans for word_id in range(span.first, span.last + 1))


def closed_slots(record: Record, word_ids: Sequence[int]) -> frozenset[int]:
    """Return the slots between the words of multiword tokens, none of which is punctuation.

    Args:
        record: the sentence.
        word_ids: ``[n]`` the IDs of its words, which include all tokens of multiword tokens.
    """
    slot = {word_id: number for number, word_id in enumerate(word_ids, start=1)}
    return frozenset(
        slot[word_id]
        for span in multiword_tokens(record)
        for word_id in range(span.first, span.last)
        if word_id + 1 in slot
    )


def are_punctuation(record: Record) -> list[bool]:
    """Return for each token whether it is punctuation: tagged so, and not part of a word."""
    inner = within_words(record)
    return [token.upos == PUNCTUATION and token.word_id not in inner for token in record.tokens]
