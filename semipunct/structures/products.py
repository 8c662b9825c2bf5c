"""Matrix products within the steps of a recursion, with the decision about precision after it.

``Log.matmul`` decides in every call whether numbers suffice; in a scan over a batch that is divided
among devices, each decision would wait for all of them. Here each item records whether numbers
sufficed in all steps; if not, the steps are repeated term by term (docs/decisions/recursions.md).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp

from semirings.base import Semiring, Value
from semirings.log import Log
from semirings.numerics import anywhere, log_matmul_of_numbers, log_matmul_of_terms

T = TypeVar("T")


def product(s: Semiring, a: Value, b: Value, by_terms: bool) -> tuple[Value, jax.Array]:
    """Multiply matrices.

    Args:
        a: ``[batch, ..., i, k]``.
        b: ``[..., k, j]``.
        by_terms: whether to add logarithms term by term.

    Returns:
        The product; and ``[batch]`` whether it may be wrong.
    """
    batch = jax.tree.leaves(a)[0].shape[0]
    if not decides(s):
        return s.matmul(a, b), jnp.zeros((batch,), bool)
    if by_terms:
        return log_matmul_of_terms(a, b), jnp.zeros((batch,), bool)
    value, unsure = log_matmul_of_numbers(a, b)
    return value, jnp.any(unsure, tuple(range(1, unsure.ndim)))


def settle(s: Semiring, run: Callable[[bool], tuple[T, jax.Array]]) -> T:
    """Run a recursion, and again term by term if a result may be wrong.

    Args:
        run: takes the argument ``by_terms`` of ``product``; returns a pytree of arrays, and
            ``[batch]`` whether any product may be wrong.
    """
    outcome, unsure = run(False)
    if not decides(s):
        return outcome

    # Its reverse pass stores nothing: that would take memory even where it is not run.
    def again(_: Any) -> T:
        return run(True)[0]

    repeated = jax.checkpoint(again, prevent_cse=False)
    settled: T = jax.lax.cond(
        anywhere(unsure), repeated, lambda first_outcome: first_outcome, outcome
    )
    return settled


def decides(s: Semiring) -> bool:
    """Return whether the values of a semiring are logs, whose sums may be sums of numbers."""
    return type(s).matmul is Log.matmul


class Scale(NamedTuple):
    """A compensated sum of logs (Kahan 1965).

    Otherwise many small terms would round a large sum in one direction.

    Attributes:
        log: ``[batch]`` the sum.
        lost: ``[batch]`` its rounding error.
    """

    log: jax.Array
    lost: jax.Array

    @classmethod
    def of(cls, log: jax.Array) -> Scale:
        """Begin a sum with the log of a first factor, ``[batch]``."""
        return cls(log, jnp.zeros_like(log))

    def times(self, log_factor: jax.Array, active: jax.Array) -> Scale:
        """Return the scale after another factor.

        Args:
            active: ``[batch]`` whether an item has the step; otherwise its scale stays the same.
        """
        # The error of an inactive item is subtracted too: it is part of the sum.
        factor = jnp.where(active, log_factor, 0.0) - self.lost
        log = self.log + factor
        # Where the sum overflows to infinity the error is set to zero.
        return Scale(log, jnp.where(jnp.isfinite(log), (log - self.log) - factor, 0.0))
