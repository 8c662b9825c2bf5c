"""Programs that several tests of structures share, compiled once, and a comparison."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import jax
import numpy as np

from semipunct.structures.base import Structure
from semipunct.structures.distribution import Distribution
from semirings import Semiring


@jax.jit
def summed(structure: Structure) -> tuple[jax.Array, Any]:
    """Compute the log partition and marginals."""
    return Distribution(structure).log_partition_and_marginals()


@cache
def log_partition(semiring: Semiring) -> Callable[[Structure], jax.Array]:
    """Compile a function for the log of the total in a semiring."""

    def of(structure: Structure) -> jax.Array:
        total = structure.total(semiring)
        return semiring.log_weight(total.value) + total.log_scale

    return jax.jit(of)


def close(computed: Any, expected: Any) -> None:
    jax.tree.map(
        lambda x, y: np.testing.assert_allclose(x, y, rtol=2e-5, atol=2e-5), computed, expected
    )
