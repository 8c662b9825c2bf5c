"""The surface marks to the left of a slot, summed up: what has been written when it is reached.

Templates that look at them make a model that writes a sentence from left to right: a constituent's
left puncteme is drawn where it begins, given the marks so far, and its right one where it ends,
given those, the marks within, and the left one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from semipunct.corpus.sentences import Puncteme
from semipunct.features.classes import SPANS, Ints, span_class
from semipunct.features.vocabulary import Symbols
from semipunct.marks import PAIRS, STRAIGHT, UNK, bare

MOST = 5
"""Marked slots that are counted."""

_DEEPEST = 8  # open marks that are remembered


class Past(NamedTuple):
    """What is remembered of the marks in the slots so far.

    Attributes:
        last: the last token of the last marked slot.
        marked: marked slots, as far as they are counted.
        opened: opening marks that wait for their closing ones, the innermost last.
    """

    last: str | None = None
    marked: int = 0
    opened: tuple[str, ...] = ()

    def after(self, string: Puncteme) -> Past:
        """The past beyond a slot with a string of known tokens, boundary marks left out."""
        if not string:
            return self
        return Past(string[-1], min(self.marked + 1, MOST), opened_after(self.opened, string))


NOTHING = Past()
"""The past at the beginning of a sentence."""

NOWHERE = -1
"""The last marked slot where there is none."""

SEEN = ("seen", "marked", "open", "since")
"""What is seen from a slot: the last mark, how many slots are marked, the innermost mark that waits
for its closing one, and how far back the last mark is."""

OPENING = tuple(f"left_{name}" for name in SEEN)
"""The columns that a left puncteme may look at."""

CLOSING = (*(f"right_{name}" for name in SEEN), "edge", "last_place")
"""The columns that a right puncteme may look at: ``edge`` is the first token where the constituent
begins, ``last_place`` where the last mark is seen from its end."""


def past_codes(pasts: Sequence[Past], symbols: Symbols) -> Ints:
    """``[pasts, 3]`` codes of the first three columns of ``SEEN``."""
    return np.stack(
        [
            token_codes([p.last for p in pasts], symbols),
            np.array([p.marked for p in pasts], np.int64),
            token_codes([p.opened[-1] if p.opened else None for p in pasts], symbols),
        ],
        1,
    )


def since(slots: Ints | int, at: Ints) -> Ints:
    """Classes of how far back the last mark is, or the beginning of the sentence without one.

    Args:
        slots: where one is.
        at: the last marked slots.
    """
    return _SINCE[np.minimum(slots - np.maximum(at, 0), len(_SINCE) - 1)]


_SINCE = span_class(np.maximum(np.arange(512), 1))  # All beyond are of the last class.


def last_place(at: Ints, edge: Ints | int) -> Ints:
    """Where the last mark is seen from a constituent's end.

    Args:
        at: the last marked slots.
        edge: the slots where constituents begin.

    Returns:
        0 if there is none, 1 before the constituent, 2 at its beginning, 3 within it.
    """
    return np.where(at == NOWHERE, 0, 2 + np.sign(at - edge))


def history_columns(
    slots: Sequence[Puncteme], left: Ints, right: Ints, symbols: Symbols
) -> dict[str, Ints]:
    """What each constituent's left and right puncteme may look at, ``[nodes]`` each.

    Args:
        slots: the surface.
        left: ``[nodes]`` the slots where constituents begin.
        right: ``[nodes]`` the slots where they end.
        symbols: codes of tokens.
    """
    strings = [tuple(symbols.known("token", bare(slot))) for slot in slots]
    pasts = list(accumulate(strings[:-1], Past.after, initial=NOTHING))
    marked = np.array([NOWHERE, *(i if x else NOWHERE for i, x in enumerate(strings[:-1]))])
    at = np.maximum.accumulate(marked)
    seen = np.column_stack([past_codes(pasts, symbols), since(np.arange(len(slots)), at)])
    return {
        **{f"left_{name}": seen[left, i] for i, name in enumerate(SEEN)},
        **{f"right_{name}": seen[right, i] for i, name in enumerate(SEEN)},
        "edge": token_codes([s[0] if s else None for s in strings], symbols)[left],
        "last_place": last_place(at[right], left),
    }


def history_codes(symbols: Symbols) -> dict[str, int]:
    """How many codes each of the columns has."""
    token = symbols.size("token") + 1
    seen = {"seen": token, "since": SPANS, "marked": MOST + 1, "open": token}
    return {
        **{f"{side}_{name}": size for side in ("left", "right") for name, size in seen.items()},
        "edge": token,
        "last_place": 4,
    }


def token_codes(tokens: Sequence[str | None], symbols: Symbols) -> Ints:
    """Codes of tokens; None, no token, has a code of its own."""
    codes = symbols.code("token", [t or UNK for t in tokens])
    return np.where([t is None for t in tokens], symbols.size("token"), codes)


def opened_after(opened: tuple[str, ...], string: Sequence[str]) -> tuple[str, ...]:
    """Marks that wait for their closing ones, after further tokens."""
    for token in string:
        partners = _PARTNERS.get(token, ())
        closed = next((d for d in reversed(range(len(opened))) if opened[d] in partners), None)
        if closed is not None:
            opened = opened[:closed]
        elif token in _OPENING:
            opened = (*opened, token)
    return opened[-_DEEPEST:]


_PAIRS = (*PAIRS, *((mark, mark) for mark in STRAIGHT))
_OPENING = frozenset(opening for opening, _ in _PAIRS)
_PARTNERS = {token: frozenset(a for a, b in _PAIRS if b == token) for _, token in _PAIRS}
