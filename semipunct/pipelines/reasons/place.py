"""Slots of a line with predicates on the surrounding words."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property

from semipunct.corpus.word_streams import is_final
from semipunct.marks import Puncteme
from semipunct.marks.matching import matched_pairs
from semipunct.pipelines.reasons.lexicon import (
    AUXILIARIES,
    COORDINATORS,
    DETERMINERS,
    PRONOUNS,
    are_english,
    bare,
    is_finite,
    lower,
)

# Longer phrases are abbreviated to their first and last two words.
_SHOWN = 6

# Words after the first word of a clause that may contain its finite verb.
_CLAUSE = 7


def excerpt(words: Sequence[str]) -> str:
    """Join words, eliding the middle of a long phrase."""
    if len(words) <= _SHOWN:
        return " ".join(words)
    return " ".join((*words[:2], "...", *words[-2:]))


class Line:
    """A line of text, with the predicates shared by its slots."""

    def __init__(self, forms: Sequence[str], slots: Sequence[Puncteme]) -> None:
        self.forms, self.slots = forms, slots

    @cached_property
    def low(self) -> list[str]:
        return [lower(form) for form in self.forms]

    @cached_property
    def is_english(self) -> bool:
        return are_english(self.low)

    @cached_property
    def partners(self) -> dict[tuple[int, int], int]:
        """The slot of the partner of each bracket and quotation mark, by slot and index."""
        slot_of: dict[tuple[int, int], int] = {}
        for opening, closing in matched_pairs(self.slots):
            slot_of[opening], slot_of[closing] = closing[0], opening[0]
        return slot_of

    @cached_property
    def ends(self) -> list[int]:
        return [slot for slot, marks in enumerate(self.slots) if slot and is_final(marks)]


class Place:
    """A slot of a line of text, with indices relative to the line."""

    def __init__(self, line: Line, slot: int) -> None:
        self.line, self.slot = line, slot
        self.forms, self.slots, self.low = line.forms, line.slots, line.low

    @property
    def start(self) -> int:
        before = bisect_left(self.line.ends, self.slot)
        return self.line.ends[before - 1] if before else 0

    @property
    def end(self) -> int:
        ends, size = self.line.ends, len(self.forms)
        after = bisect_left(ends, self.slot)
        return min(ends[after], size) if after < len(ends) else size

    @cached_property
    def first(self) -> int:
        """The index of the first word of the sentence that is not a coordinator."""
        begin = self.start
        is_joined = begin < self.slot - 1 and self.low[begin] in COORDINATORS
        return begin + (is_joined and not self.slots[begin + 1])

    @cached_property
    def before(self) -> int:
        return next((s for s in range(self.slot - 1, self.start, -1) if self.slots[s]), self.start)

    @cached_property
    def after(self) -> int:
        return next((s for s in range(self.slot + 1, self.end) if self.slots[s]), self.end)

    def word(self, number: int) -> str:
        at = self.slot + number - (number > 0)
        return self.low[at] if 0 <= at < len(self.low) else ""

    @property
    def left(self) -> str:
        return self.forms[self.slot - 1] if self.slot else ""

    @property
    def right(self) -> str:
        return self.forms[self.slot] if self.slot < len(self.forms) else ""

    def is_clause(self, start: int, end: int) -> bool:
        """Return whether a span begins like a clause: a subject, then a finite verb."""
        if start >= end:
            return False
        word = self.low[start]
        followed = any(
            is_finite(form) for form in self.forms[start + 1 : min(end, start + _CLAUSE)]
        )
        if bare(word) in PRONOUNS:
            return bare(word) not in ("there", "you", "it") or followed or bare(word) != word
        is_nominal = word in DETERMINERS or self.forms[start][:1].isupper() or word.isdigit()
        return (is_nominal or end - start > 2) and followed and bare(word) not in AUXILIARIES

    def has_verb(self, start: int, end: int) -> bool:
        """Return whether a span has a finite verb or a subject pronoun."""
        return any(
            is_finite(form) or low in ("i", "he", "she", "we", "they")
            for form, low in zip(self.forms[start:end], self.low[start:end], strict=True)
        )

    def partner(self, index: int) -> int | None:
        """Return the slot of the partner of a bracket or quotation mark of this slot."""
        return self.line.partners.get((self.slot, index))

    def is_tag(self, start: int, end: int) -> bool:
        """Return whether a span before a question mark is a tag such as *isn't it*."""
        words = self.low[start:end]
        return (
            "?" in self.slots[end]
            and 2 <= len(words) <= 3
            and bare(words[0]) in AUXILIARIES
            and words[-1] in PRONOUNS
            and all(word in ("n't", "not") for word in words[1:-1])
        )
