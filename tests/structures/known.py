"""The type of the structures under test, and their lengths."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import numpy as np

from semipunct.structures.testing import Case

LENGTHS = (0, 1, 2, 3, 9)
"""The last item is sparse: most of its parts are forbidden, so that few derivations are left."""
SPARSE = len(LENGTHS) - 1


@dataclass(frozen=True, kw_only=True)
class Known(Case):
    """A case with additional information, beyond what the suite requires.

    Attributes:
        lengths: length of each item of the batch.
        count: returns the number of derivations of an item of a given length that is not sparse.
    """

    lengths: tuple[int, ...]
    count: Callable[[int], int]


def zeros(*shape: int) -> Any:
    """Create zero log weights, in the precision of the test."""
    return jnp.asarray(np.zeros(shape))
