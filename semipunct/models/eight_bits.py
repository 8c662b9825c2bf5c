"""Tables of weights in 8 bits: whole multiples of a scale for each row.

The scale of a row is a float of 11 significant bits, so that its multiples up to 127, and the scale
found from them again, are exact in single precision: rounding twice is rounding once.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

LEVELS = 127
"""The largest multiple of a scale."""

_SIGNIFICANT = 11


def in_eight_bits(table: Floats) -> Floats:
    """Return the table of multiples that is nearest to a table.

    Args:
        table: ``[rows, size]``.
    """
    scale = _scales(table)
    return (np.round(table / scale) * scale).astype(np.float32)


def multiples(table: Floats) -> tuple[npt.NDArray[np.int8], Floats] | None:
    """Return the multiples and the scales ``[rows, 1]`` of a table; None if it has none.

    Args:
        table: ``[rows, size]``.
    """
    if table.ndim != 2 or not table.size or not np.isfinite(table).all():
        return None
    scale = _scales(table)
    whole = np.round(table / scale)
    if not np.array_equal(whole * scale, table):
        return None
    return whole.astype(np.int8), scale


def _scales(table: Floats) -> Floats:
    """Return the least scales of 11 bits of which no entry is more than 127 times as large."""
    most = np.max(np.abs(table), 1, keepdims=True) / np.float32(LEVELS)
    fraction, exponent = np.frexp(np.maximum(most, np.finfo(np.float32).tiny))
    fraction = np.ceil(fraction * 2**_SIGNIFICANT) / 2**_SIGNIFICANT
    return np.ldexp(fraction, exponent).astype(np.float32)
