"""Choice of marks that leave no more brackets and quotation marks unmatched than before.

The strings of slots are chosen independently, except that a bracket or quotation mark that is
inserted needs a partner. The choice of least total cost under this constraint is found by dynamic
programming over the slots, whose states are the stacks of open marks (a Viterbi search in a
pushdown automaton, as in the recognition of Dyck languages).

Marks are counted twice: those in slots alone, and together with brackets that are characters of
words, because readers may take the bracket of an emoticon or an address for a partner. Neither
count may grow.
"""

from collections.abc import Sequence
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


class _Count(NamedTuple):
    """Marks read so far: the open ones, and the number of those that have no partner."""

    waiting: tuple[str, ...] = ()
    unmatched: int = 0

    def after(self, token: str) -> "_Count":
        closed = ENCLOSING.closed_by(token, self.waiting)
        if closed is not None:
            skipped = len(self.waiting) - closed - 1
            return _Count(self.waiting[:closed], self.unmatched + skipped)
        if token in ENCLOSING.openings:
            return _Count((*self.waiting, token), self.unmatched)
        return _Count(self.waiting, self.unmatched + 1)

    @property
    def total(self) -> int:
        return self.unmatched + len(self.waiting)


class _State(NamedTuple):
    slots: _Count = _Count()
    characters: _Count = _Count()

    def read(self, string: Puncteme, word: str) -> "_State":
        """Read a slot and the word after it."""
        slots, characters = self
        for token in string:
            if token in _MEMBERS:
                slots, characters = slots.after(token), characters.after(token)
        for char in word:
            if char in _BRACKETS:
                characters = characters.after(char)
        return _State(slots, characters)


def unmatched(slots: Sequence[Puncteme], forms: Sequence[str]) -> tuple[int, int]:
    """Count unmatched brackets and quotation marks: those in slots, and those in slots and words.

    Args:
        slots: ``[n + 1]`` strings of tokens.
        forms: ``[n]`` the words.
    """
    state = _State()
    for string, word in zip(slots, (*forms, ""), strict=True):
        state = state.read(string, word)
    return state.slots.total, state.characters.total


def balanced(
    alternatives: Sequence[Sequence[tuple[Puncteme, Cost]]],
    forms: Sequence[str],
    limits: tuple[int, int],
) -> list[Puncteme] | None:
    """Return the strings of least total cost that leave few enough marks unmatched.

    Args:
        alternatives: ``[n + 1]`` the possible strings of each slot with their costs.
        forms: ``[n]`` the words.
        limits: the largest numbers of unmatched marks, as from ``unmatched``.

    Returns:
        ``[n + 1]`` strings; None if no choice that was considered is within the limits.
    """
    states: dict[_State, Cost] = {_State(): 0.0}
    steps: list[dict[_State, tuple[_State, Puncteme]]] = []
    for options, word in zip(alternatives, (*forms, ""), strict=True):
        best: dict[_State, Cost] = {}
        step: dict[_State, tuple[_State, Puncteme]] = {}
        for state, cost in states.items():
            for string, own in options:
                after = state.read(string, word)
                if any(count.unmatched > most for count, most in zip(after, limits, strict=True)):
                    continue
                if cost + own < best.get(after, float("inf")):
                    best[after], step[after] = cost + own, (state, string)
        kept = sorted(best, key=best.__getitem__)[:BEAM]
        states = {state: best[state] for state in kept}
        steps.append(step)
    ends = [s for s in states if s.slots.total <= limits[0] and s.characters.total <= limits[1]]
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


__all__ = ["BEAM", "ENCLOSING", "balanced", "encloses", "unmatched"]
