"""The spacing of marks in a treebank, where it differs from the rules of typography.

The habits of writers and annotators are counted, not known in advance: a space before *!* in
French, or before every mark in a treebank whose text is a sequence of tokens.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from semipunct.corpus import Entry, Sentence
from semipunct.formats.conllu.gaps import Spacing
from semipunct.formats.conllu.records import Record
from semipunct.marks import Puncteme, spacing
from semipunct.marks.tokens import STRAIGHT

Side = Literal["before", "after"]

_SHARE = 0.95
"""The share of places that must agree where the rules know more than counts: they tell hyphens from
dashes, and the counts of a group may stand for a token that was never seen."""

_HIGH = frozenset(";:!?")
"""Marks that are spaced alike: French has a space before them, but not before others."""

_Key = tuple[Side, str]


@dataclass(frozen=True, slots=True)
class Habits:
    """Counts of spaces beside marks.

    Attributes:
        spaced: the number of spaces before and after each token.
        glued: the number of places without a space.
        is_recorded: whether some sentence states its spaces.
    """

    spaced: Counter[_Key] = field(default_factory=Counter[_Key])
    glued: Counter[_Key] = field(default_factory=Counter[_Key])
    is_recorded: bool = False

    @classmethod
    def of(cls, entries: Iterable[Entry[Record]]) -> "Habits":
        """Count the spaces between words and marks in the entries of a file."""
        spaced, glued = Counter[_Key](), Counter[_Key]()
        recorded = False
        for entry in entries:
            if not isinstance(entry.content, Sentence):
                continue
            spaces = Spacing.of(entry.record)
            recorded = recorded or spaces.is_recorded
            is_spaced = spaces.spaces
            last = len(entry.record.tokens)
            edges = (0, *entry.word_ids, last + 1)
            slots = spacing.visible(entry.content.slots)
            for tokens, first, end in zip(slots, edges, edges[1:], strict=False):
                if not tokens or len(tokens) != end - first - 1:
                    continue
                beside: list[tuple[Side, str, int]] = [
                    ("before", tokens[0], first),
                    ("after", tokens[-1], end - 1),
                ]
                for side, token, place in beside:
                    space = is_spaced[place - 1] if 0 < place < last else None
                    if space is not None:
                        names: list[_Key] = [(side, token), *_groups(token, side)[:1]]
                        (spaced if space else glued).update(names)
        return cls(spaced, glued, recorded)

    def learnt(self, token: str, side: Side) -> bool | None:
        """Return whether a space is usual on one side of a token; None if that is not known.

        The marks of a group stand for one that does not occur.

        Args:
            token: the token.
            side: the side.
        """
        key = side, token
        spaced, glued = self.spaced[key], self.glued[key]
        if spacing.is_dash(token) or token in STRAIGHT:
            return self._agreed(key)
        if spaced + glued:
            return None if spaced == glued else spaced > glued
        decisions = (self._agreed(name) for name in _groups(token, side))
        return next((decision for decision in decisions if decision is not None), None)

    def _agreed(self, name: _Key) -> bool | None:
        spaced, glued = self.spaced[name], self.glued[name]
        if spaced == glued or max(spaced, glued) < _SHARE * (spaced + glued):
            return None
        return spaced > glued

    def revise_spaces(
        self, rows: Sequence[Sequence[bool]], slots: Sequence[Puncteme]
    ) -> list[list[bool]]:
        """Replace the spaces of the rules by the usual ones.

        Args:
            rows: ``[n + 1]`` the result of ``spacing.slot_spaces``.
            slots: ``[n + 1]`` strings of tokens.
        """
        revised = [list(row) for row in rows]
        for slot, (row, tokens) in enumerate(zip(revised, slots, strict=True)):
            for place in range(len(row)):
                # There is no space before and after the sentence.
                if tokens and not (
                    (slot == 0 and place == 0) or (slot == len(slots) - 1 and place == len(tokens))
                ):
                    row[place] = self._between(tokens, place, row[place])
        return revised

    def _between(self, tokens: Puncteme, place: int, by_rule: bool) -> bool:
        """Decide on the space before a token of a slot, or after its last one."""
        learnt: list[bool | None] = []
        if place:
            learnt.append(self.learnt(tokens[place - 1], "after"))
        if place < len(tokens):
            learnt.append(self.learnt(tokens[place], "before"))
        if False in learnt:
            return False
        return by_rule if None in learnt else True


@lru_cache(maxsize=4096)
def _groups(token: str, side: Side) -> tuple[_Key, ...]:
    """Return the groups that show the spacing of a token, the most similar one first."""
    if spacing.is_dash(token) or token in STRAIGHT:
        return ()
    # All tokens that have, or lack, a space by the rules are one group.
    before, after = spacing.slot_spaces(("x", "x"), [(), (token,), ()])[1]
    shared_group = side, f"<{before if side == 'before' else after}>"
    return ((side, "<high>"), shared_group) if _HIGH.issuperset(token) else (shared_group,)
