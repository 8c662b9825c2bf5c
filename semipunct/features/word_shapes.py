"""The capitals of words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

# No capitals; an initial capital; several letters, all capitals; a spelling from the table.
LOWER, CAPITALISED, UPPER, MIXED = range(4)

SHAPES = 4


def upper(form: str) -> str:
    """Return a word in upper case, except for letters that could not be recovered."""
    capitals = [c.upper() if len(c.upper()) == 1 else c for c in form]
    whole = "".join(capitals)
    if whole.lower() == form.lower():
        return whole
    pairs = zip(form, capitals, strict=True)
    whole = "".join(big if big.lower() == char.lower() else char for char, big in pairs)
    # The lower case of a capital sigma depends on its position in the word.
    return whole if whole.lower() == form.lower() else form


def capitalise(form: str) -> str:
    """Return a word with its first letter capitalised."""
    for place, char in enumerate(form):
        if char.isalpha():
            return form[:place] + upper(char) + form[place + 1 :]
    return form


def mixed_forms(forms: Iterable[str]) -> dict[str, str]:
    """Map lower-cased words of other shapes to their most frequent spelling."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for form in forms:
        low = form.lower()
        if len(low) == len(form) and form not in (low, upper(low), capitalise(low)):
            counts[low][form] += 1
    return {
        low: counts_of_forms.most_common(1)[0][0] for low, counts_of_forms in sorted(counts.items())
    }


def shape_of(form: str) -> int:
    """Return the shape of a word as spelt; ``MIXED`` does not imply an entry in a table."""
    low = form.lower()
    if form == low:
        return LOWER
    if form == capitalise(low):
        return CAPITALISED
    return UPPER if form == upper(low) else MIXED


def apply_shape(form: str, shape: int, mixed: Mapping[str, str]) -> str:
    """Spell a lower-cased word in a shape that is ``possible`` for it."""
    if shape == LOWER:
        return form
    if shape == MIXED:
        return mixed.get(form, form)
    return capitalise(form) if shape == CAPITALISED else upper(form)


def possible(form: str, mixed: Mapping[str, str]) -> npt.NDArray[np.bool_]:
    """Return ``[SHAPES]`` whether a lower-cased word can have each shape."""
    whole, first = upper(form), capitalise(form)
    return np.array([True, first != form, whole not in (form, first), form in mixed])
