"""Tokenised sentences with clitics joined to their words, as in text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from semipunct.corpus import Sentence, Words
from semipunct.evaluation.restoration import Slots

CLITIC = re.compile(r"['’](?:s|m|re|ve|ll|d)|n['’]t|['’]t", re.IGNORECASE)
"""Parts of words that English tokenisers separate."""


def joined(sentence: Sentence | Words) -> tuple[Words, list[int]]:
    """Join clitics to their words; return the original slot of each remaining slot as well."""
    forms: list[str] = []
    places = [0]
    for number, form in enumerate(sentence.forms):
        if forms and CLITIC.fullmatch(form) and not sentence.slots[number]:
            forms[-1] += form
            places[-1] = number + 1
        else:
            forms.append(form)
            places.append(number + 1)
    slots = tuple(sentence.slots[place] for place in places)
    closed = frozenset(i for i, place in enumerate(places) if place in sentence.closed)
    return Words(
        sentence.sentence_id, sentence.path, sentence.line, tuple(forms), slots, closed, "text"
    ), places


def separate(
    sentence: Sentence | Words, slots: Sequence[tuple[str, ...]], places: list[int]
) -> Slots:
    """Return the slots of a sentence whose clitics were ``joined``."""
    all_slots = list(sentence.slots)
    for place, string in zip(places, slots, strict=True):
        all_slots[place] = string
    return tuple(all_slots)
