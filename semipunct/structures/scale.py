"""The log of the factors that steps of a recursion divide out of their values."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp


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
            log_factor: ``[batch]``.
            active: ``[batch]`` whether an item has the step; otherwise its scale stays the same.
        """
        # The error of an inactive item is subtracted too: it is part of the sum.
        factor = jnp.where(active, log_factor, 0.0) - self.lost
        log = self.log + factor
        # Where the sum overflows to infinity the error is set to zero.
        return Scale(log, jnp.where(jnp.isfinite(log), (log - self.log) - factor, 0.0))
