"""The shapes of words: which of their letters are capitals."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

LOWER, CAPITALISED, UPPER, MIXED = range(4)
"""No capital; the first letter is one; all of several letters are; as the table has it."""

SHAPES = 4


def is_cased(form: str) -> bool:
    """Tell whether a word has letters that come in two cases."""
    return any(upper(char) != char for char in form.lower())


def upper(form: str) -> str:
    """Return a word with its letters as capitals, those that have one of a single character.

    Where the word could not be told from its capitals, letters whose capital is another one's stay
    as they are, such as the dotless i of Turkish.
    """
    capitals = [c.upper() if len(c.upper()) == 1 else c for c in form]
    whole = "".join(capitals)
    if whole.lower() == form.lower():
        return whole
    pairs = zip(form, capitals, strict=True)
    whole = "".join(big if big.lower() == char.lower() else char for char, big in pairs)
    # The small sigma of a word depends on where it stands.
    return whole if whole.lower() == form.lower() else form


def capitalised(form: str) -> str:
    """Return a word whose first letter that has a capital is one."""
    for place, char in enumerate(form):
        if char.isalpha():
            return form[:place] + upper(char) + form[place + 1 :]
    return form


def mixed_forms(forms: Iterable[str]) -> dict[str, str]:
    """Return words of other shapes by their lower case, the most frequent spelling of each."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for form in forms:
        low = form.lower()
        if len(low) == len(form) and form not in (low, upper(low), capitalised(low)):
            counts[low][form] += 1
    return {low: found.most_common(1)[0][0] for low, found in sorted(counts.items())}


def shape_of(form: str) -> int:
    """Return the shape of a word as it is spelt; one that is not in any table may be ``MIXED``."""
    low = form.lower()
    if form == low:
        return LOWER
    if form == capitalised(low):
        return CAPITALISED
    return UPPER if form == upper(low) else MIXED


def shaped(form: str, shape: int, mixed: Mapping[str, str]) -> str:
    """Return a word of lower case in a shape.

    Args:
        form: the word.
        shape: of ``possible``.
        mixed: from ``mixed_forms``.
    """
    if shape == MIXED:
        return mixed[form]
    return (form, capitalised(form), upper(form))[shape]


def possible(form: str, mixed: Mapping[str, str]) -> npt.NDArray[np.bool_]:
    """Return which shapes a word of lower case can have, ``[SHAPES]``.

    Args:
        form: the word; without cased letters it has one shape, with one it is not ``UPPER``.
        mixed: from ``mixed_forms``.
    """
    whole, first = upper(form), capitalised(form)
    return np.array([True, first != form, whole not in (form, first), form in mixed])
