"""Choice of marks that leave no more brackets and quotation marks unmatched than before.

The strings of slots are chosen independently, except that a bracket or quotation mark that is
inserted needs a partner. The choice of least total cost under this constraint is found by dynamic
programming over the slots, whose states are the stacks of open marks (a Viterbi search in a
pushdown automaton, as in the recognition of Dyck languages).

Marks are counted twice: those in slots alone, and together with brackets that are characters of
words, because readers may take the bracket of an emoticon or an address for a partner. Neither
count may grow, and every inserted mark needs a partner in a slot that is inserted or had none.
(Otherwise *(yes what is up :))* may become *(yes) what is up (:))*, where counts are the same.)

Why pairs are a constraint: docs/decisions/restoration.md.
"""

from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from semipunct.marks.matching import TYPOGRAPHIC, Matcher, matched_pairs
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


_Mark = tuple[str, Status]
"""A bracket or quotation mark, and its status."""


class _Count(NamedTuple):
    """Marks read so far, or the effect of one more.

    Attributes:
        waiting: the open marks.
        unmatched: the number of other marks that have no partner.
        inserted: those of them that are inserted, and those that take away a partner.
    """

    waiting: "_Stack"
    unmatched: int = 0
    inserted: int = 0

    def plus(self, effect: "_Count") -> "_Count":
        stack, unmatched, inserted = effect
        return _Count(stack, self.unmatched + unmatched, self.inserted + inserted)


class _Stack:
    """The open marks after a part of a sentence, of which it is the innermost.

    The stacks of a sentence are the nodes of a tree, with one node for each content. States are
    therefore compared and hashed by the identity of their stacks, however deep these are, and the
    effect of a mark is computed once for all states that have the same stack. A node takes constant
    space and time: it has the innermost mark of each kind below it, and numbers of marks.
    """

    __slots__ = ("_below", "_depth", "_effects", "_innermost", "_inserted", "_status", "_token")

    def __init__(self, below: "_Stack | None" = None, mark: _Mark | None = None) -> None:
        """Put a mark on a stack; without one, begin with an empty stack.

        Args:
            below: the stack.
            mark: the mark.
        """
        self._below = below
        self._token, self._status = mark or ("", Status.LONE)
        self._depth = self._inserted = 0
        self._innermost: Mapping[str, _Stack] = {}
        if below is not None:
            self._depth = below._depth + 1
            self._inserted = below._inserted + (self._status is Status.INSERTED)
            self._innermost = {**below._innermost, below._token: below}
        self._effects: dict[_Mark, _Count] = {}

    def after(self, mark: _Mark) -> _Count:
        """Return the effect of the next mark."""
        effect = self._effects.get(mark)
        if effect is None:
            effect = self._effects[mark] = self._after(*mark)
        return effect

    def _after(self, token: str, status: Status) -> _Count:
        closed = self._closed_by(token)
        if closed is not None and closed._below is not None:
            robs = {closed._status, status} == {Status.INSERTED, Status.PARTNERED}
            inserted = robs + self._inserted - closed._inserted
            return _Count(closed._below, self._depth - closed._depth, inserted)
        if token in ENCLOSING.openings:
            return _Count(_Stack(self, (token, status)), 0, 0)
        return _Count(self, 1, int(status is Status.INSERTED))

    def _closed_by(self, token: str) -> "_Stack | None":
        """Return the stack whose innermost mark a token closes, as ``Matcher.closed_by`` does."""
        partners = ENCLOSING.partners.get(token, frozenset())
        if self._token in partners:
            return self
        candidates = (self._innermost[p] for p in partners if p in self._innermost)
        return max(candidates, key=lambda stack: stack._depth, default=None)

    def ended(self) -> _Count:
        """Return the effect of the end of a sentence, where nothing is open."""
        return _Count(self, self._depth, self._inserted)


class _Marks(NamedTuple):
    """The brackets and quotation marks of a slot and the word after it.

    Attributes:
        slot: those in the slot, with their status.
        brackets: the characters of the word that are brackets.
    """

    slot: tuple[_Mark, ...]
    brackets: tuple[_Mark, ...]

    @classmethod
    def of(cls, string: Puncteme, existing: Statuses, word: str) -> "_Marks":
        """Return the marks among the tokens of a string and the characters of a word.

        Args:
            string: the tokens of the slot.
            existing: those that were there before; others are inserted.
            word: the word.
        """
        return cls(
            tuple((t, existing.get(t, Status.INSERTED)) for t in string if t in _MEMBERS),
            tuple((char, Status.LONE) for char in word if char in _BRACKETS),
        )


class _State(NamedTuple):
    slots: _Count
    characters: _Count

    @classmethod
    def first(cls) -> "_State":
        """Return the state before the first slot."""
        return cls(_Count(_Stack()), _Count(_Stack()))

    def after(self, marks: _Marks) -> "_State":
        """Read a slot and the word after it."""
        if not any(marks):
            return self
        slots, characters = self
        for mark in marks.slot:
            slots = slots.plus(slots.waiting.after(mark))
            characters = characters.plus(characters.waiting.after((mark[0], Status.LONE)))
        for bracket in marks.brackets:
            characters = characters.plus(characters.waiting.after(bracket))
        return _State(slots, characters)

    def ended(self) -> "_State":
        """Return the state after the last word."""
        return _State(*(count.plus(count.waiting.ended()) for count in self))

    @property
    def unmatched(self) -> Unmatched:
        return Unmatched(self.slots.unmatched, self.characters.unmatched, self.slots.inserted)


def statuses(existing: Sequence[Puncteme]) -> Sequence[Statuses]:
    """Return the status of each bracket and quotation mark before others are inserted.

    A slot with several equal ones has one status for them: that they have partners, if one has.

    Args:
        existing: ``[n + 1]`` the strings of all slots.
    """
    paired = {place for pair in matched_pairs(existing, ENCLOSING) for place in pair}
    by_slot: list[dict[str, Status]] = [{} for _ in existing]
    for slot, string in enumerate(existing):
        for index, token in enumerate(string):
            if (slot, index) in paired:
                by_slot[slot][token] = Status.PARTNERED
            elif token in _MEMBERS:
                by_slot[slot].setdefault(token, Status.LONE)
    return by_slot


def count_unmatched(
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
    state = _State.first()
    for string, status, word in zip(slots, existing, (*forms, ""), strict=True):
        state = state.after(_Marks.of(string, status, word))
    return state.ended().unmatched


def balance_strings(
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
        limits: the largest numbers of unmatched marks, as from ``count_unmatched``.

    Returns:
        ``[n + 1]`` strings; None if no choice that was considered is within the limits.
    """
    states: dict[_State, Cost] = {_State.first(): 0.0}
    steps: list[dict[_State, tuple[_State, Puncteme]]] = []
    for options, status, word in zip(alternatives, existing, (*forms, ""), strict=True):
        best: dict[_State, Cost] = {}
        step: dict[_State, tuple[_State, Puncteme]] = {}
        cheapest = _cheapest(options, status, word)
        for state, cost in states.items():
            for marks, (string, string_cost) in cheapest:
                after = state.after(marks)
                if cost + string_cost < best.get(after, float("inf")) and after.unmatched.is_within(
                    limits
                ):
                    best[after], step[after] = cost + string_cost, (state, string)
        states = {state: best[state] for state in sorted(best, key=best.__getitem__)[:BEAM]}
        steps.append(step)
    ends = [state for state in states if state.ended().unmatched.is_within(limits)]
    if not ends:
        return None
    state = min(ends, key=states.__getitem__)
    strings: list[Puncteme] = []
    for step in reversed(steps):
        state, string = step[state]
        strings.append(string)
    return strings[::-1]


def _cheapest(
    options: Sequence[tuple[Puncteme, Cost]], existing: Statuses, word: str
) -> list[tuple[_Marks, tuple[Puncteme, Cost]]]:
    """Return the cheapest of the strings that have the same brackets and quotation marks."""
    cheapest: dict[_Marks, tuple[Puncteme, Cost]] = {}
    for string, cost in options:
        marks = _Marks.of(string, existing, word)
        if marks not in cheapest or cost < cheapest[marks][1]:
            cheapest[marks] = string, cost
    return list(cheapest.items())


def encloses(string: Puncteme) -> bool:
    """Return whether a string contains a bracket or a quotation mark."""
    return any(token in _MEMBERS for token in string)


def matcher_of(tokens: Collection[str]) -> Matcher:
    """Return the matcher of the brackets and quotation marks of a language.

    A mark that closes another one of them does not open.

    Args:
        tokens: the marks of the language.
    """
    pairs = {pair for pair in ENCLOSING.pairs if pair[0] in tokens and pair[1] in tokens}
    closed_otherwise = {closing for opening, closing in pairs if opening != closing}
    return Matcher(frozenset((a, b) for a, b in pairs if a != b or b not in closed_otherwise))


def without_lone_marks(
    slots: Sequence[Puncteme], existing: Sequence[Puncteme], matcher: Matcher
) -> list[Puncteme]:
    """Remove inserted brackets and quotation marks that have no partner.

    Args:
        slots: ``[n + 1]`` strings of tokens.
        existing: ``[n + 1]`` the strings of slots that are not changed; empty for the others.
        matcher: of the language.
    """
    paired = {place for pair in matched_pairs(slots, matcher) for place in pair}

    def stays(slot: int, index: int, token: str) -> bool:
        pairs = token in matcher.openings or token in ENCLOSING.partners
        return not pairs or (slot, index) in paired or bool(existing[slot])

    return [
        tuple(token for index, token in enumerate(string) if stays(slot, index, token))
        for slot, string in enumerate(slots)
    ]
