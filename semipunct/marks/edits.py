"""The edits of the noisy channel as data (Li, Wang and Eisner 2019, section 2.2).

A window over the underlying tokens of a slot contains two tokens ``ab``, a left of b.
"""

from functools import lru_cache
from typing import Literal, NamedTuple, get_args

from semipunct.marks.tokens import FINAL, INITIAL, OPEN, Puncteme

EditName = Literal["keep", "absorb_left", "absorb_right", "transpose"]

# All edits, in the order that indexes arrays.
EDITS: tuple[EditName, ...] = get_args(EditName)

# Direction in which the channel's window moves over a slot; ``none``: no channel.
Direction = Literal["none", "l2r", "r2l"]

# The remaining tokens after each edit, 0 for a and 1 for b, in text order.
_LEFT_OVER: dict[str, tuple[int, ...]] = {
    "keep": (0, 1),
    "absorb_left": (1,),
    "absorb_right": (0,),
    "transpose": (1, 0),
}


class Edit(NamedTuple):
    """An edit with the window ``ab`` to which it was applied."""

    name: EditName
    a: str
    b: str

    @property
    def result(self) -> Puncteme:
        """The tokens after the edit."""
        return apply_edit(self.name, self.a, self.b)


class Move(NamedTuple):
    """The token, 0 pending or 1 just read, that stays in the window, and the token written."""

    pending: int
    written: int | None


def apply_edit(name: EditName, a: str, b: str) -> Puncteme:
    """Apply an edit to the window ``ab``."""
    return tuple((a, b)[i] for i in _LEFT_OVER[name])


def move(name: EditName, *, mirrored: bool) -> Move:
    """Return the effect of an edit; a ``mirrored`` window moves from right to left, b pending."""
    left_over = _LEFT_OVER[name]
    if mirrored:
        left_over = tuple(1 - i for i in reversed(left_over))
    return Move(left_over[-1], left_over[0] if len(left_over) == 2 else None)


def possible(a: str, b: str) -> tuple[EditName, ...]:
    """List the edits that a window allows: equal tokens can only be kept or merged."""
    if OPEN in (a, b):
        return ("keep",)
    # Boundary marks stay at their edge and are never absorbed.
    excluded: set[EditName] = set()
    if a == b or INITIAL in (a, b):
        excluded |= {"absorb_left", "transpose"}
    if FINAL in (a, b):
        excluded |= {"absorb_right", "transpose"}
    if a == b == INITIAL:
        excluded.add("absorb_right")
    return tuple(name for name in EDITS if name not in excluded)


@lru_cache(maxsize=1 << 16)
def edit_distance(a: Puncteme, b: Puncteme) -> int:
    """Return the Levenshtein distance between two strings of tokens."""
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.distance(a, b)


def common_tokens(a: Puncteme, b: Puncteme) -> int:
    """Return the length of the longest common subsequence."""
    from rapidfuzz.distance import LCSseq

    return LCSseq.similarity(a, b)
