"""Matching of opening and closing marks.

A mark closes the nearest open mark with which it forms a pair; marks opened between the two remain
without a partner, so pairs are nested.
"""

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from semipunct.marks.tokens import PAIRS, STRAIGHT, Puncteme, TokenPair

# The slot of a token, and its index in the slot.
Place = tuple[int, int]


@dataclass(frozen=True)
class Matcher:
    """A table of pairs, and the rule for marks that may both open and close.

    Attributes:
        closes_past_others: whether such a mark may close any open mark, not only the innermost.
    """

    pairs: frozenset[TokenPair]
    closes_past_others: bool = True

    @cached_property
    def openings(self) -> frozenset[str]:
        """The tokens that may open."""
        return frozenset(opening for opening, _ in self.pairs)

    @cached_property
    def partners(self) -> dict[str, frozenset[str]]:
        """The possible opening tokens of each closing token."""
        openings_of: dict[str, set[str]] = {}
        for opening, closing in self.pairs:
            openings_of.setdefault(closing, set()).add(opening)
        return {closing: frozenset(openings) for closing, openings in openings_of.items()}

    def closed_by(self, token: str, waiting: Sequence[str]) -> int | None:
        """Return the index in ``waiting``, innermost last, of the mark that a token closes."""
        partners = self.partners.get(token)
        if not partners or not waiting:
            return None
        reach = range(len(waiting) - 1, -1, -1)
        if token in self.openings and not self.closes_past_others:
            reach = reach[:1]
        return next((i for i in reach if waiting[i] in partners), None)

    def after(self, waiting: tuple[str, ...], tokens: Iterable[str]) -> tuple[str, ...]:
        """Return the open marks after further tokens."""
        for token in tokens:
            closed = self.closed_by(token, waiting)
            if closed is not None:
                waiting = waiting[:closed]
            elif token in self.openings:
                waiting = (*waiting, token)
        return waiting


# The matcher for features: all pairs, and straight quotation marks, which pair with themselves.
REMEMBERED = Matcher(PAIRS.union((mark, mark) for mark in STRAIGHT))

# The matcher for typesetting: also marks that both open and close (Swedish, Finnish).
TYPOGRAPHIC = Matcher(REMEMBERED.pairs | {("”", "”"), ("»", "»")})


class PairingErrors(NamedTuple):
    """Numbers of opening and closing marks without a partner."""

    openings: int
    closings: int


def pairing_errors(slots: Sequence[Puncteme], pairs: Set[TokenPair] = PAIRS) -> PairingErrors:
    """Count unmatched opening and closing marks in a sentence, read from left to right."""
    matcher = Matcher(frozenset(pairs), closes_past_others=False)
    paired = {place for pair in matched_pairs(slots, matcher) for place in pair}
    alone = [
        token
        for slot, tokens in enumerate(slots)
        for index, token in enumerate(tokens)
        if (slot, index) not in paired
    ]
    openings = [token for token in alone if token in matcher.openings]
    others = [token for token in alone if token not in matcher.openings]
    return PairingErrors(len(openings), sum(token in matcher.partners for token in others))


def matched_pairs(
    slots: Sequence[Puncteme], matcher: Matcher = TYPOGRAPHIC
) -> list[tuple[Place, Place]]:
    """Find matching tokens in linear time, in the order of the closing ones."""
    matches: list[tuple[Place, Place]] = []
    tokens_waiting: list[str] = []
    places: list[Place] = []
    counts: Counter[str] = Counter()
    for slot, tokens in enumerate(slots):
        for index, token in enumerate(tokens):
            # A successful search removes the marks that it passes; unsuccessful searches are
            # avoided, since many closing marks would search the same open marks.
            is_sought = any(counts[opening] for opening in matcher.partners.get(token, ()))
            closed = matcher.closed_by(token, tokens_waiting) if is_sought else None
            if closed is not None:
                matches.append((places[closed], (slot, index)))
                counts.subtract(tokens_waiting[closed:])
                del tokens_waiting[closed:], places[closed:]
            elif token in matcher.openings:
                tokens_waiting.append(token)
                places.append((slot, index))
                counts[token] += 1
    return matches
