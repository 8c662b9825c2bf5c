"""Punctuation as properties of words (Ma, Zhang and Zhu 2014, sections 3.1 to 3.3).

A property is a set of flags, the bits of a number. Choices that the paper leaves open are
documented in docs/decisions/0025-punctuation-properties.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntFlag
from typing import NamedTuple

import jax
import jax.numpy as jnp

from semipunct.marks import BRACKET_PAIRS, QUOTE_PAIRS, Puncteme
from semipunct.marks.matching import Matcher, matched_pairs
from semipunct.marks.tokens import STRAIGHT
from semipunct.search import LEFT


class Flag(IntFlag):
    """The flags of a property; flags of closing marks are those of opening marks times 4."""

    QUOTE_OPENS = 1
    """A quotation mark opens on the left of the word, or of its subtree."""
    BRACKET_OPENS = 2
    QUOTE_CLOSES = 4
    """A quotation mark closes on its right."""
    BRACKET_CLOSES = 8
    OTHER = 16
    """There is an unpaired mark on its right."""
    PAIRED = 32
    """Opening and closing marks have been matched, and none are left."""


OPENS = Flag.QUOTE_OPENS | Flag.BRACKET_OPENS
_SHIFT = 2

MATCHER = Matcher(BRACKET_PAIRS | QUOTE_PAIRS | {(mark, mark) for mark in STRAIGHT})
"""Brackets and quotation marks; a straight quotation mark closes another straight one."""

_OPENING = {opening for opening, _ in BRACKET_PAIRS | QUOTE_PAIRS}
_CLOSING = {closing for _, closing in BRACKET_PAIRS | QUOTE_PAIRS}
_BRACKETS = {mark for pair in BRACKET_PAIRS for mark in pair}


class Marked(NamedTuple):
    """The marks of a sentence, as properties of its words.

    Attributes:
        properties: ``[n]`` sets of flags.
        absorbed: ``[n + 1]`` for each token of each slot, whether it is represented by a property
            or removed because it is next to paired marks.
    """

    properties: list[int]
    absorbed: list[list[bool]]


def sides(slots: Sequence[Puncteme]) -> list[list[int]]:
    """Return for each token of each slot the flag that it sets as a paired mark, or 0.

    A mark with a partner in the sentence opens or closes with it. A mark without one is taken to be
    opening or closing according to its form; an ambiguous one opens, but a straight one does not
    count as a paired mark. Neither do two marks without a word between them.

    Args:
        slots: ``[n + 1]`` strings of tokens.
    """
    flags = [[_alone(token) for token in slot] for slot in slots]
    for opening, closing in matched_pairs(slots, MATCHER):
        apart = opening[0] < closing[0]
        for (slot, index), shift in ((opening, 0), (closing, _SHIFT)):
            flags[slot][index] = _kind(slots[slot][index]) << shift if apart else 0
    return flags


def _alone(token: str) -> int:
    if token in _OPENING:
        return _kind(token)
    return _kind(token) << _SHIFT if token in _CLOSING else 0


def _kind(token: str) -> Flag:
    return Flag.BRACKET_OPENS if token in _BRACKETS else Flag.QUOTE_OPENS


def attach_marks(slots: Sequence[Puncteme], *, others: bool) -> Marked:
    """Attach opening marks to the words on their right, all others to the words on their left.

    Unpaired marks between a paired mark and its word are skipped. So are paired marks without a
    word on their side.

    Args:
        slots: ``[n + 1]`` strings of tokens.
        others: whether unpaired marks set a flag, too; otherwise they are kept, unless they are
            between a paired mark and its word.
    """
    words = len(slots) - 1
    properties = [0] * words
    absorbed: list[list[bool]] = []
    unpaired = [False] * words
    for place, flags in enumerate(sides(slots)):
        closing = [i for i, flag in enumerate(flags) if flag > OPENS]
        opening = [i for i, flag in enumerate(flags) if 0 < flag <= OPENS]
        gone = [others or flag > 0 for flag in flags]
        if closing and place:
            gone[: closing[-1] + 1] = [True] * (closing[-1] + 1)
        if opening and place < words:
            gone[opening[0] :] = [True] * (len(flags) - opening[0])
        for flag in flags:
            if flag > OPENS and place:
                properties[place - 1] |= flag
            elif 0 < flag <= OPENS and place < words:
                properties[place] |= flag
        before = flags[: opening[0]] if opening else flags
        if others and place and not closing and 0 in before:
            unpaired[place - 1] = True
        absorbed.append(gone)
    met = [_met(flags) for flags in properties]
    # Boundary information takes precedence: other marks do not count together with it.
    complete = [
        flags | Flag.OTHER if is_other and not flags else flags
        for flags, is_other in zip(met, unpaired, strict=True)
    ]
    return Marked(complete, absorbed)


def _met(flags: int) -> int:
    opens, closes = flags & OPENS, flags >> _SHIFT & OPENS
    opened_and_closed = opens & closes
    unmatched = opens ^ opened_and_closed | (closes ^ opened_and_closed) << _SHIFT
    return unmatched if unmatched or not opened_and_closed else int(Flag.PAIRED)


def propagate_properties(head: jax.Array, dependent: jax.Array, side: int) -> jax.Array:
    """Propagate properties from a new outermost dependent to its head (section 3.1, figure 1).

    Opening marks are taken from dependents on the left, others from those on the right. If marks of
    a kind both open and close, the two flags are removed; if none are left, the head is ``PAIRED``.

    Args:
        head: ``[..., 1]`` the property of the head.
        dependent: ``[..., 1]`` the property of its new dependent.
        side: ``LEFT`` or ``RIGHT`` of the head.
    """
    opens, closes = head & OPENS, head >> _SHIFT & OPENS
    other_flags, paired = head & Flag.OTHER, head & Flag.PAIRED
    if side == LEFT:
        opens = opens | dependent & OPENS
    else:
        closes = closes | dependent >> _SHIFT & OPENS
        other_flags = dependent & Flag.OTHER
    opened_and_closed = opens & closes
    opens, closes = opens ^ opened_and_closed, closes ^ opened_and_closed
    open_ends = (opens | closes) > 0
    paired = jnp.where(opened_and_closed > 0, jnp.int32(Flag.PAIRED), paired)
    paired = jnp.where(open_ends, 0, paired)
    other_flags = jnp.where(opens > 0, 0, other_flags)
    return opens | closes << _SHIFT | other_flags | paired
