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
DEVICES = ("devices", "vmap", "sharded")
RANGE = ("large weights", "double precision", "uncompiled", "totals of nothing")
"""Names of checks."""


@dataclass(frozen=True, kw_only=True)
class Known(Case):
    """A case with additional information, beyond what the suite requires.

    Attributes:
        lengths: length of each item of the batch.
        count: returns the number of derivations of an item of a given length that is not sparse.
        variant: whether another case has the same structure; by default, only sums and the best
            derivation are checked then.
        costly: whether its recursion takes long to compile; by default, only the most informative
            checks are made then.
        draws_slowly: whether drawing many samples takes long; by default, samples are not checked.
    """

    lengths: tuple[int, ...]
    count: Callable[[int], int]
    variant: bool = False
    costly: bool = False
    draws_slowly: bool = False


def zeros(*shape: int) -> Any:
    """Create zero log weights, in the precision of the test."""
    return jnp.asarray(np.zeros(shape))
