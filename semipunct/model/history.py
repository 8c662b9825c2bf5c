"""The surface marks to the left of a slot, summed up: what has been written when it is reached.

Templates that look at them make a model that writes a sentence from left to right: a constituent's
left puncteme is drawn where it begins, given the marks so far, and its right one where it ends,
given those, the marks within, and the left one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from semipunct.marks import PAIRS, STRAIGHT, UNK
from semipunct.model.classes import SPANS, Ints, span_class
from semipunct.model.inventory import bare
from semipunct.model.symbols import Symbols
from semipunct.treebank.sentences import Puncteme

_MOST = 5  # marked slots that are counted
_DEEPEST = 8  # open marks that are remembered


class Past(NamedTuple):
    """What is remembered of the marks in the slots so far.

    Attributes:
        last: the last token of the last marked slot.
        at: the last marked slot; -1 if there is none.
        marked: marked slots, as far as they are counted.
        opened: opening marks that wait for their closing ones, the innermost last.
    """

    last: str | None = None
    at: int = -1
    marked: int = 0
    opened: tuple[str, ...] = ()

    def after(self, slot: int, string: Puncteme) -> Past:
        """The past beyond a slot with a string of known tokens, boundary marks left out."""
        if not string:
            return self
        opened = self.opened
        for token in string:
            opened = _opened_after(opened, token)
        marked = min(self.marked + 1, _MOST)
        return Past(string[-1], slot, marked, opened[-_DEEPEST:])


NOTHING = Past()
"""The past at the beginning of a sentence."""


SEEN = ("seen", "since", "marked", "open")
"""What is seen from a slot: the last mark, how far back it is, how many slots are marked, and the
innermost mark that waits for its closing one."""

OPENING = tuple(f"left_{name}" for name in SEEN)
"""The columns that a left puncteme may look at."""

CLOSING = (*(f"right_{name}" for name in SEEN), "edge", "last_place")
"""The columns that a right puncteme may look at: ``edge`` is the first token where the constituent
begins, ``last_place`` where the last mark is seen from its end."""


def seen_from(pasts: Sequence[Past], slots: Ints, symbols: Symbols) -> Ints:
    """``[pasts, len(SEEN)]`` codes of what is seen from each past's slot."""
    at = np.array([p.at for p in pasts], np.int64)
    return np.stack(
        [
            _token_codes([p.last for p in pasts], symbols),
            span_class(np.maximum(slots - np.maximum(at, 0), 1)),
            np.array([p.marked for p in pasts], np.int64),
            _token_codes([p.opened[-1] if p.opened else None for p in pasts], symbols),
        ],
        1,
    )


def first_tokens(strings: Sequence[Puncteme], symbols: Symbols) -> Ints:
    """``[strings]`` the code of each string's first token."""
    return _token_codes([string[0] if string else None for string in strings], symbols)


def last_place(at: Ints, edge: Ints) -> Ints:
    """Where the last mark is seen from a constituent's end.

    Returns:
        0 if there is none, 1 before the constituent, 2 at its beginning, 3 within it.
    """
    return np.where(at < 0, 0, np.where(at < edge, 1, np.where(at == edge, 2, 3)))


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
    pasts = [NOTHING]
    for i, string in enumerate(strings[:-1]):
        pasts.append(pasts[-1].after(i, string))
    seen = seen_from(pasts, np.arange(len(slots)), symbols)
    at = np.array([p.at for p in pasts], np.int64)
    return {
        **{f"left_{name}": seen[left, i] for i, name in enumerate(SEEN)},
        **{f"right_{name}": seen[right, i] for i, name in enumerate(SEEN)},
        "edge": first_tokens(strings, symbols)[left],
        "last_place": last_place(at[right], left),
    }


def history_codes(symbols: Symbols) -> dict[str, int]:
    """How many codes each of the columns has."""
    token = symbols.size("token") + 1
    seen = {"seen": token, "since": SPANS, "marked": _MOST + 1, "open": token}
    return {
        **{f"{side}_{name}": size for side in ("left", "right") for name, size in seen.items()},
        "edge": token,
        "last_place": 4,
    }


def _token_codes(tokens: Sequence[str | None], symbols: Symbols) -> Ints:
    """Codes of tokens; None, no token, has a code of its own."""
    codes = symbols.code("token", [t or UNK for t in tokens])
    return np.where([t is None for t in tokens], symbols.size("token"), codes)


def _opened_after(opened: tuple[str, ...], token: str) -> tuple[str, ...]:
    partners = _PARTNERS.get(token, ())
    for depth in range(len(opened) - 1, -1, -1):
        if opened[depth] in partners:
            return opened[:depth]
    return (*opened, token) if token in _OPENING else opened


_PAIRS = (*PAIRS, *((mark, mark) for mark in STRAIGHT))
_OPENING = frozenset(opening for opening, _ in _PAIRS)
_PARTNERS = {token: frozenset(a for a, b in _PAIRS if b == token) for _, token in _PAIRS}
