"""Matrix products in the steps of a recursion, with precision checked once at the end.

``Log.matmul`` checks each call, and in a sharded batch each check would wait for all devices. Here
each item records whether its products were accurate; otherwise the whole recursion is repeated term
by term (docs/decisions/recursions.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp

from semipunct.structures.recursion import Recursion
from semirings.base import Semiring, Value
from semirings.log import Log
from semirings.numerics import anywhere, log_matmul_of_numbers, log_matmul_of_terms

T = TypeVar("T")


def product(s: Semiring, a: Value, b: Value, by_terms: bool) -> tuple[Value, jax.Array]:
    """Multiply ``[batch, ..., i, k]`` by ``[..., k, j]``.

    Args:
        by_terms: whether to add logarithms term by term.

    Returns:
        The product; ``[batch]`` whether it may be wrong.
    """
    if by_terms or not decides(s):
        exact = log_matmul_of_terms(a, b) if by_terms else s.matmul(a, b)
        return exact, jnp.zeros(jax.tree.leaves(a)[0].shape[:1], bool)
    value, unsure = log_matmul_of_numbers(a, b)
    return value, jnp.any(unsure, tuple(range(1, unsure.ndim)))


def settle(
    s: Semiring,
    run: Callable[[bool, Recursion], tuple[T, jax.Array]],
    recursion: Recursion,
    *,
    multiplies: bool = True,
) -> T:
    """Run a recursion, and repeat it term by term if a result may be wrong.

    Args:
        run: takes ``by_terms`` and how to run; returns results and ``[batch]`` whether they may be
            wrong.
        multiplies: whether it uses ``product``.
    """
    outcome, unsure = run(False, recursion)
    if not (multiplies and decides(s)):
        return outcome

    # Checkpoint the repeat: its residuals would take memory even if it does not run.
    def again(_: Any) -> T:
        # Do not report the same plan twice.
        return run(True, replace(recursion, report=None))[0]

    repeated = jax.checkpoint(again, prevent_cse=False)
    settled: T = jax.lax.cond(
        anywhere(unsure), repeated, lambda first_outcome: first_outcome, outcome
    )
    return settled


def decides(s: Semiring) -> bool:
    """Return whether values are logs, whose products can be computed by exponentiation."""
    return type(s).matmul is Log.matmul


class Scale(NamedTuple):
    """A compensated sum of logs (Kahan 1965), since rounding of many small terms adds up."""

    log: jax.Array  # [batch] sum
    lost: jax.Array  # [batch] rounding error

    @classmethod
    def of(cls, log: jax.Array) -> Scale:
        return cls(log, jnp.zeros_like(log))

    def times(self, log_factor: jax.Array, active: jax.Array) -> Scale:
        """Multiply by another factor where ``active``."""
        # The error is part of the sum of inactive items, too.
        factor = jnp.where(active, log_factor, 0.0) - self.lost
        log = self.log + factor
        # An infinite sum has no error.
        return Scale(log, jnp.where(jnp.isfinite(log), (log - self.log) - factor, 0.0))
