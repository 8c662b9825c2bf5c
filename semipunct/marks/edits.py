"""The edits of the noisy channel as data: names, effects, and the windows that allow them.

A window slides over the underlying tokens of a slot. At each position it contains two tokens
``ab``, a left of b in the text, to which one edit is applied (Li, Wang and Eisner 2019, section
2.2).
"""

from functools import lru_cache
from typing import Literal, NamedTuple, get_args

from semipunct.marks.tokens import FINAL, INITIAL, OPEN, Puncteme

EditName = Literal["keep", "absorb_left", "absorb_right", "transpose"]

EDITS: tuple[EditName, ...] = get_args(EditName)
"""All edits, in the order in which arrays of edits are indexed."""

Direction = Literal["none", "l2r", "r2l"]
"""The direction in which the window of the channel moves over a slot; ``none``: no channel."""

# The tokens of the window that are left after each edit, 0 for a and 1 for b, in text order.
_LEFT_OVER: dict[str, tuple[int, ...]] = {
    "keep": (0, 1),
    "absorb_left": (1,),
    "absorb_right": (0,),
    "transpose": (1, 0),
}


class Edit(NamedTuple):
    """An edit with the window ``ab`` to which it was applied, a left of b."""

    name: EditName
    a: str
    b: str

    @property
    def result(self) -> Puncteme:
        """The tokens after the edit."""
        return apply_edit(self.name, self.a, self.b)


class Move(NamedTuple):
    """The effect of an edit on a sliding window, which reads one token after another.

    Attributes:
        pending: the token that stays in the window: 0 for the previously pending one, 1 for the
            one just read.
        written: the token that is written and leaves the window, likewise, or None.
    """

    pending: int
    written: int | None


def apply_edit(name: EditName, a: str, b: str) -> Puncteme:
    """Apply an edit to the window ``ab``.

    Args:
        name: the name of the edit.
        a: the left token of the window.
        b: the right token.
    """
    return tuple((a, b)[i] for i in _LEFT_OVER[name])


def move(name: EditName, *, mirrored: bool) -> Move:
    """Return the effect of an edit on a window that slides in a given direction.

    Args:
        name: the name of the edit, in text order.
        mirrored: whether the window moves from right to left, so that the pending token is b.
    """
    left_over = _LEFT_OVER[name]
    if mirrored:
        left_over = tuple(1 - i for i in reversed(left_over))
    return Move(left_over[-1], left_over[0] if len(left_over) == 2 else None)


def possible(a: str, b: str) -> tuple[EditName, ...]:
    """List the edits that a window allows.

    Two equal tokens can only be kept or merged, each by one edit; boundary marks stay at their edge
    and are never absorbed; the open puncteme is always kept.

    Args:
        a: the left token of the window.
        b: the right token.
    """
    if OPEN in (a, b):
        return ("keep",)
    excluded: set[EditName] = set()
    if a == b:
        excluded |= {"absorb_left", "transpose"}
    if INITIAL in (a, b):
        excluded |= {"absorb_left", "transpose"}
    if FINAL in (a, b):
        excluded |= {"absorb_right", "transpose"}
    if a == b == INITIAL:
        excluded.add("absorb_right")
    return tuple(name for name in EDITS if name not in excluded)


@lru_cache(maxsize=1 << 16)
def edit_distance(a: Puncteme, b: Puncteme) -> int:
    """Return the Levenshtein distance: the number of insertions, deletions and substitutions.

    Args:
        a: a string of tokens.
        b: another string of tokens.
    """
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.distance(a, b)


def common_tokens(a: Puncteme, b: Puncteme) -> int:
    """Return the length of the longest common subsequence.

    Args:
        a: a string of tokens.
        b: another string of tokens.
    """
    from rapidfuzz.distance import LCSseq

    return LCSseq.similarity(a, b)
