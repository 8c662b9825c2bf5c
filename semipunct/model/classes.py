"""Numbers of words put into few classes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

SPANS = 16
"""Classes of ``span_class``."""


def length_class(words: Ints) -> Ints:
    """1 for 1-2 words, 2 for 3-5, 3 for 6 and more (template W of appendix A)."""
    return 1 + (words >= 3).astype(np.int64) + (words >= 6)


def span_class(words: Ints) -> Ints:
    """Half an octave each, from 0 for one word to 15."""
    return np.minimum(np.ceil(2 * np.log2(words)).astype(np.int64), SPANS - 1)
