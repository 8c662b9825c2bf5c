"""Weights that take less room on the disk: tables in 8 bits, other weights in half precision.

Saving stores such weights in that form without loss (``store.checkpoint``), and loading gives them
back in single precision, so that a packed model is used like any other.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from semipunct.models.base import Array
from semipunct.models.contents import in_eight_bits

LEAST = 16
"""The least width of a table in 8 bits: the scale of each row takes four bytes."""


def pack_weights(parameters: Mapping[str, Array]) -> dict[str, Array]:
    """Round weights: rows of tables to 8 bits, other arrays to half precision.

    Arrays that half precision cannot hold (entries beyond 65,504) are kept.

    Args:
        parameters: the weights by name.
    """
    return {name: _packed(np.asarray(array)) for name, array in parameters.items()}


def _packed(array: Array) -> Array:
    if array.dtype != np.float32 or not np.isfinite(array).all():
        return array
    if array.ndim == 2 and array.shape[1] >= LEAST:
        return in_eight_bits(array)
    with np.errstate(over="ignore"):
        half = array.astype(np.float16).astype(np.float32)
    return half if np.isfinite(half).all() else array
