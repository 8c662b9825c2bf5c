"""Choice of marks that leaves no more brackets and quotation marks unmatched than before.

A Viterbi search over slots, whose states are stacks of open marks, finds the choice of least cost
(docs/decisions/restoration.md).
"""

from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from semipunct.marks.matching import TYPOGRAPHIC, Matcher, matched_pairs
from semipunct.marks.tokens import BRACKET_PAIRS, QUOTE_PAIRS, Puncteme

# Matcher of brackets and quotation marks: all pairs but sentence marks (¿ ?).
ENCLOSING = Matcher(
    frozenset(
        pair
        for pair in TYPOGRAPHIC.pairs
        if pair in BRACKET_PAIRS | QUOTE_PAIRS or pair[0] == pair[1]
    )
)

# States kept after each slot; texts need a few dozen at most.
BEAM = 256

_MEMBERS = ENCLOSING.openings | ENCLOSING.partners.keys()
_BRACKETS = frozenset(mark for pair in BRACKET_PAIRS for mark in pair)

Cost = float


class Unmatched(NamedTuple):
    """Numbers of brackets and quotation marks without a partner.

    Attributes:
        characters: in slots and words.
        inserted: including inserted marks with a partner taken from another mark.
    """

    slots: int
    characters: int
    inserted: int

    def is_within(self, limits: "Unmatched") -> bool:
        return all(number <= most for number, most in zip(self, limits, strict=True))


class Status(Enum):
    """A mark in a slot is inserted, or existed with or without a partner."""

    INSERTED = "inserted"
    PARTNERED = "partnered"
    LONE = "lone"


# Status of each existing token of a slot.
Statuses = Mapping[str, Status]


# A bracket or quotation mark, and its status.
_Mark = tuple[str, Status]


class _Count(NamedTuple):
    """Marks read so far, or the effect of one more.

    Attributes:
        waiting: the open marks.
        unmatched: other marks without a partner.
        inserted: inserted marks without a partner, or with a partner taken from another mark.
    """

    waiting: "_Stack"
    unmatched: int = 0
    inserted: int = 0

    def plus(self, effect: "_Count") -> "_Count":
        stack, unmatched, inserted = effect
        return _Count(stack, self.unmatched + unmatched, self.inserted + inserted)


class _Stack:
    """A stack of open marks, identified by its innermost mark.

    Stacks form a tree with one node per content, so states are compared by identity and the effect
    of a mark is computed once per stack.
    """

    __slots__ = ("_below", "_depth", "_effects", "_innermost", "_inserted", "_status", "_token")

    def __init__(self, below: "_Stack | None" = None, mark: _Mark | None = None) -> None:
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
        """Return the stack whose innermost mark the token closes, as ``Matcher.closed_by``."""
        partners = ENCLOSING.partners.get(token, frozenset())
        if self._token in partners:
            return self
        candidates = (self._innermost[p] for p in partners if p in self._innermost)
        return max(candidates, key=lambda stack: stack._depth, default=None)

    def ended(self) -> _Count:
        return _Count(self, self._depth, self._inserted)


class _Marks(NamedTuple):
    """The brackets and quotation marks in a slot, and the brackets in the word after it."""

    slot: tuple[_Mark, ...]
    brackets: tuple[_Mark, ...]

    @classmethod
    def of(cls, string: Puncteme, existing: Statuses, word: str) -> "_Marks":
        return cls(
            tuple((t, existing.get(t, Status.INSERTED)) for t in string if t in _MEMBERS),
            tuple((char, Status.LONE) for char in word if char in _BRACKETS),
        )


class _State(NamedTuple):
    slots: _Count
    characters: _Count

    @classmethod
    def first(cls) -> "_State":
        return cls(_Count(_Stack()), _Count(_Stack()))

    def after(self, marks: _Marks) -> "_State":
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
        return _State(*(count.plus(count.waiting.ended()) for count in self))

    @property
    def unmatched(self) -> Unmatched:
        return Unmatched(self.slots.unmatched, self.characters.unmatched, self.slots.inserted)


def statuses(existing: Sequence[Puncteme]) -> Sequence[Statuses]:
    """Return the status of each bracket and quotation mark before others are inserted."""
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
    """Count the brackets and quotation marks without a partner; by default nothing is inserted."""
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
    """Return the strings of least total cost that leave few enough marks unmatched, if any.

    Args:
        alternatives: ``[n + 1]`` possible strings with their costs.
        existing: ``[n + 1]`` statuses before insertion.
        limits: as from ``count_unmatched``.
    """
    # Marks are counted in slots alone, and together with brackets in words, since readers may take
    # the bracket of an emoticon for a partner; neither count may grow. The partner of an inserted
    # mark must be in a slot: otherwise (yes what is up :)) may become (yes) what is up (:)).
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
    """Keep the cheapest of the strings with the same brackets and quotation marks."""
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
    """Return the matcher of a language's brackets and quotation marks, given its tokens."""
    pairs = {pair for pair in ENCLOSING.pairs if pair[0] in tokens and pair[1] in tokens}
    closed_otherwise = {closing for opening, closing in pairs if opening != closing}
    return Matcher(frozenset((a, b) for a, b in pairs if a != b or b not in closed_otherwise))


def without_lone_marks(
    slots: Sequence[Puncteme], existing: Sequence[Puncteme], matcher: Matcher
) -> list[Puncteme]:
    """Remove inserted brackets and quotation marks without a partner."""
    paired = {place for pair in matched_pairs(slots, matcher) for place in pair}

    def stays(slot: int, index: int, token: str) -> bool:
        pairs = token in matcher.openings or token in ENCLOSING.partners
        return not pairs or (slot, index) in paired or bool(existing[slot])

    return [
        tuple(token for index, token in enumerate(string) if stays(slot, index, token))
        for slot, string in enumerate(slots)
    ]
