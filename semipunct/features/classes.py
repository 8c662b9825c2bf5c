"""Spelling and size of words, constituents and sentences, put into few classes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from semipunct.arrays.unique_rows import Ints

SPANS = 16
"""Classes of ``span_class``."""

SHAPES = 9
"""Classes of ``shape_class``."""

STYLES = 12
"""Classes of ``style_class``."""

WRITINGS = 5
"""Classes of ``writing_class``."""


@lru_cache(maxsize=1 << 16)
def shape_class(form: str) -> int:
    """Class a word by its capitals and digits.

    Returns:
        1 if it begins with a capital, 2 if it is in capitals, 4 if it has a digit, added up; 8 for
        a lone capital.
    """
    if len(form) == 1 and form.isupper():
        return SHAPES - 1
    has_digit = any(c.isdigit() for c in form)
    return form[:1].isupper() + 2 * form.isupper() + 4 * has_digit


def writing_class(forms: Sequence[str], first: Ints, last: Ints) -> Ints:
    """Class spans of words by how many of them begin with a capital.

    Args:
        forms: words.
        first: ``[spans]`` the first word of each.
        last: ``[spans]`` the last one.

    Returns:
        0 in spans without small and capital letters; then none, fewer than half, more, all.
    """
    capital = [form[:1].isupper() for form in forms]
    small = [form[:1].islower() for form in forms]
    sums = np.cumsum([[0, *capital], [0, *small]], 1)
    capitals, smalls = sums[:, last + 1] - sums[:, first]
    classes = [capitals + smalls == 0, capitals == 0, capitals < smalls, smalls > 0]
    return np.select(classes, range(len(classes)), len(classes))


def style_class(forms: Sequence[str]) -> int:
    """Class a sentence by how it is written, of which its punctuation is a part.

    Returns:
        4 if it begins with a small letter, 8 if with a capital; 2 more if another word does, and 1
        more if a small letter is a word of its own.
    """
    first = 2 if forms[0][:1].isupper() else int(forms[0][:1].islower())
    capitals = any(form[:1].isupper() for form in forms[1:])
    lone = any(len(form) == 1 and form.islower() for form in forms)
    return 4 * first + 2 * capitals + lone


def length_class(words: Ints) -> Ints:
    """Return 1 for 1-2 words, 2 for 3-5, 3 for 6 and more (template W of appendix A)."""
    return 1 + (words >= 3).astype(np.int64) + (words >= 6)


def span_class(words: Ints) -> Ints:
    """Return classes of half an octave each, from 0 for one word to 15."""
    return np.minimum(np.ceil(2 * np.log2(words)).astype(np.int64), SPANS - 1)
