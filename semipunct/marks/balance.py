"""Choice of marks that leave no more brackets and quotation marks unmatched than before.

The strings of slots are chosen independently, except that a bracket or quotation mark that is
inserted needs a partner. The choice of least total cost under this constraint is found by dynamic
programming over the slots, whose states are the stacks of open marks (a Viterbi search in a
pushdown automaton, as in the recognition of Dyck languages).

Marks are counted twice: those in slots alone, and together with brackets that are characters of
words, because readers may take the bracket of an emoticon or an address for a partner. Neither
count may grow, and every inserted mark needs a partner in a slot that is inserted or had none.
(Otherwise *(yes what is up :))* may become *(yes) what is up (:))*, where counts are the same.)
"""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from semipunct.marks.matching import TYPOGRAPHIC, Matcher
from semipunct.marks.tokens import BRACKET_PAIRS, QUOTE_PAIRS, Puncteme

ENCLOSING = Matcher(
    frozenset(
        pair
        for pair in TYPOGRAPHIC.pairs
        if pair in BRACKET_PAIRS | QUOTE_PAIRS or pair[0] == pair[1]
    )
)
"""The matcher of brackets and quotation marks: all pairs but those of sentence marks (¿ ?)."""

BEAM = 256
"""States kept after each slot; the marks that are drawn in practice need a few dozen at most."""

_MEMBERS = ENCLOSING.openings | ENCLOSING.partners.keys()
_BRACKETS = frozenset(mark for pair in BRACKET_PAIRS for mark in pair)

Cost = float


class Unmatched(NamedTuple):
    """Numbers of brackets and quotation marks without a partner.

    Attributes:
        slots: those in slots, when the characters of words are ignored.
        characters: those in slots and words.
        inserted: those that are inserted into slots, including those that take away a partner.
    """

    slots: int
    characters: int
    inserted: int

    def is_within(self, limits: "Unmatched") -> bool:
        """Return whether no number exceeds its limit."""
        return all(number <= most for number, most in zip(self, limits, strict=True))


class Status(Enum):
    """The status of a mark in a slot: inserted, or existing with or without a partner before."""

    INSERTED = "inserted"
    PARTNERED = "partnered"
    LONE = "lone"


Statuses = Mapping[str, Status]
"""The status of each existing token of a slot."""


class _Count(NamedTuple):
    """Marks read so far: the open ones, and how many others have no partner, inserted ones apart.

    An open mark is a pair of its token and its status.
    """

    waiting: tuple[tuple[str, Status], ...] = ()
    unmatched: int = 0
    inserted: int = 0

    def after(self, token: str, status: Status = Status.LONE) -> "_Count":
        closed = ENCLOSING.closed_by(token, [opening for opening, _ in self.waiting])
        if closed is not None:
            (_, of_opening), *skipped = self.waiting[closed:]
            pair = {of_opening, status}
            return _Count(
                self.waiting[:closed],
                self.unmatched + len(skipped),
                self.inserted
                + (pair == {Status.INSERTED, Status.PARTNERED})
                + sum(of_skipped is Status.INSERTED for _, of_skipped in skipped),
            )
        if token in ENCLOSING.openings:
            return self._replace(waiting=(*self.waiting, (token, status)))
        is_inserted = status is Status.INSERTED
        return _Count(self.waiting, self.unmatched + 1, self.inserted + is_inserted)

    def ended(self) -> "_Count":
        """Return the count at the end of a sentence, where nothing is open."""
        inserted = sum(status is Status.INSERTED for _, status in self.waiting)
        return _Count((), self.unmatched + len(self.waiting), self.inserted + inserted)


class _State(NamedTuple):
    slots: _Count = _Count()
    characters: _Count = _Count()

    def read(self, string: Puncteme, existing: Statuses, word: str) -> "_State":
        """Read a slot and the word after it.

        Args:
            string: the tokens of the slot.
            existing: those that were there before; others are inserted.
            word: the word.
        """
        slots, characters = self
        for token in string:
            if token in _MEMBERS:
                slots = slots.after(token, existing.get(token, Status.INSERTED))
                characters = characters.after(token)
        for char in word:
            if char in _BRACKETS:
                characters = characters.after(char)
        return _State(slots, characters)

    @property
    def unmatched(self) -> Unmatched:
        return Unmatched(self.slots.unmatched, self.characters.unmatched, self.slots.inserted)


def statuses(existing: Sequence[Puncteme]) -> Sequence[Statuses]:
    """Return the status of each bracket and quotation mark before others are inserted.

    A slot with several equal ones has one status for them: that they have partners, if one has.

    Args:
        existing: ``[n + 1]`` the strings of all slots.
    """
    found: list[dict[str, Status]] = [{} for _ in existing]
    waiting: list[tuple[str, int]] = []
    for slot, string in enumerate(existing):
        for token in string:
            if token not in _MEMBERS:
                continue
            found[slot].setdefault(token, Status.LONE)
            closed = ENCLOSING.closed_by(token, [opening for opening, _ in waiting])
            if closed is not None:
                opening, place = waiting[closed]
                del waiting[closed:]
                found[slot][token] = found[place][opening] = Status.PARTNERED
            elif token in ENCLOSING.openings:
                waiting.append((token, slot))
    return found


def unmatched(
    slots: Sequence[Puncteme], forms: Sequence[str], existing: Sequence[Statuses] | None = None
) -> Unmatched:
    """Count the brackets and quotation marks without a partner.

    Args:
        slots: ``[n + 1]`` strings of tokens.
        forms: ``[n]`` the words.
        existing: ``[n + 1]`` the status of tokens before insertion; by default nothing is inserted.
    """
    if existing is None:
        existing = statuses(slots)
    state = _State()
    for string, old, word in zip(slots, existing, (*forms, ""), strict=True):
        state = state.read(string, old, word)
    return _State(*(count.ended() for count in state)).unmatched


def balanced(
    alternatives: Sequence[Sequence[tuple[Puncteme, Cost]]],
    forms: Sequence[str],
    existing: Sequence[Statuses],
    limits: Unmatched,
) -> list[Puncteme] | None:
    """Return the strings of least total cost that leave few enough marks unmatched.

    Args:
        alternatives: ``[n + 1]`` the possible strings of each slot with their costs.
        forms: ``[n]`` the words.
        existing: ``[n + 1]`` the status of tokens before insertion.
        limits: the largest numbers of unmatched marks, as from ``unmatched``.

    Returns:
        ``[n + 1]`` strings; None if no choice that was considered is within the limits.
    """
    states: dict[_State, Cost] = {_State(): 0.0}
    steps: list[dict[_State, tuple[_State, Puncteme]]] = []
    for options, old, word in zip(alternatives, existing, (*forms, ""), strict=True):
        best: dict[_State, Cost] = {}
        step: dict[_State, tuple[_State, Puncteme]] = {}
        for state, cost in states.items():
            for string, own in options:
                after = state.read(string, old, word)
                if not after.unmatched.is_within(limits):
                    continue
                if cost + own < best.get(after, float("inf")):
                    best[after], step[after] = cost + own, (state, string)
        states = {state: best[state] for state in sorted(best, key=best.__getitem__)[:BEAM]}
        steps.append(step)
    ends = [s for s in states if _State(*(c.ended() for c in s)).unmatched.is_within(limits)]
    if not ends:
        return None
    state = min(ends, key=states.__getitem__)
    found: list[Puncteme] = []
    for step in reversed(steps):
        state, string = step[state]
        found.append(string)
    return found[::-1]


def encloses(string: Puncteme) -> bool:
    """Return whether a string contains a bracket or a quotation mark."""
    return any(token in _MEMBERS for token in string)


__all__ = ["BEAM", "ENCLOSING", "Unmatched", "balanced", "encloses", "statuses", "unmatched"]
