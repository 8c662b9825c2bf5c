"""Classes of spelling and size of words, constituents and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from semipunct.arrays.unique_rows import Ints

SPANS = 16
"""The number of classes of ``span_class``."""

SHAPES = 9
"""The number of classes of ``shape_class``."""

STYLES = 12
"""The number of classes of ``style_class``."""

WRITINGS = 5
"""The number of classes of ``writing_class``."""


@lru_cache(maxsize=1 << 16)
def shape_class(form: str) -> int:
    """Return the class of a word by its capitals and digits.

    Returns:
        The sum of 1 for an initial capital, 2 for a word in capitals, and 4 for a digit; 8 for a
        single capital letter.
    """
    if len(form) == 1 and form.isupper():
        return SHAPES - 1
    has_digit = any(c.isdigit() for c in form)
    return form[:1].isupper() + 2 * form.isupper() + 4 * has_digit


def writing_class(forms: Sequence[str], first: Ints, last: Ints) -> Ints:
    """Return the class of spans of words by the number of words with an initial capital.

    Args:
        forms: words.
        first: ``[spans]`` the first word of each span.
        last: ``[spans]`` the last word of each span.

    Returns:
        0 for spans without cased letters; then none, fewer than half, more, all.
    """
    capital = [form[:1].isupper() for form in forms]
    small = [form[:1].islower() for form in forms]
    sums = np.cumsum([[0, *capital], [0, *small]], 1)
    capitals, smalls = sums[:, last + 1] - sums[:, first]
    classes = [capitals + smalls == 0, capitals == 0, capitals < smalls, smalls > 0]
    return np.select(classes, range(len(classes)), len(classes))


def style_class(forms: Sequence[str]) -> int:
    """Return the class of a sentence by its style of writing, which punctuation is part of.

    Returns:
        4 if it begins with a small letter, 8 if with a capital; plus 2 if another word begins with
        a capital, and 1 if a small letter is a word of its own.
    """
    first = 2 if forms[0][:1].isupper() else int(forms[0][:1].islower())
    capitals = any(form[:1].isupper() for form in forms[1:])
    lone = any(len(form) == 1 and form.islower() for form in forms)
    return 4 * first + 2 * capitals + lone


def length_class(words: Ints) -> Ints:
    """Return 1 for 1-2 words, 2 for 3-5, 3 for 6 and more (template W of appendix A)."""
    return 1 + (words >= 3).astype(np.int64) + (words >= 6)


def span_class(words: Ints) -> Ints:
    """Return classes of half an octave each, from 0 for one word up to 15."""
    return np.minimum(np.ceil(2 * np.log2(words)).astype(np.int64), SPANS - 1)
