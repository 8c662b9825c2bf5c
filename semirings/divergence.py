"""Entropy and divergence in one pass, by the chain rule, without subtracting from log Z.

A sum chooses a set of derivations: its entropy is the entropy of the choice plus the average
entropy of the sets. Entropies of a product add.
"""

# | argument                          | value        | gradient                               |
# | --------------------------------- | ------------ | -------------------------------------- |
# | entropy of ``plus(-inf, -inf)``   | 0            | 0, 0                                   |
# | entropy of ``plus(x, x)``         | log 2        | 0, 0: a tie is the most uncertain      |
# | entropy of ``plus(x, -inf)``      | 0            | 0, 0                                   |
# | divergence where q forbids        | +inf         | 0                                      |
# | divergence where p forbids        | of the rest  | 0 for the forbidden                    |
# | either of ``sum([])``             | 0            | (nothing)                              |

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp

from semirings.augmented import Augmented
from semirings.base import Laws
from semirings.expectation import INFINITE_BROKEN
from semirings.log import Log
from semirings.numerics import log_balance, log_shares, log_sum, log_sum_and_shares, weigh


class Uncertain(NamedTuple):
    """A log weight and the entropy of its derivations in nats."""

    weight: jax.Array
    nats: jax.Array


@dataclass(frozen=True)
class Entropy(Augmented):
    """Log weights with the entropy of the distribution over derivations.

    Hwa (2000); Li and Eisner (2009), section 6.1, here with normalised entropies.
    """

    name: ClassVar[str] = "entropy"
    base = Log()

    @property
    def laws(self) -> Laws:
        return Laws(broken=INFINITE_BROKEN)

    def augment(self, weight: jax.Array) -> Uncertain:
        return Uncertain(weight, jnp.zeros_like(weight))

    def times(self, a: Uncertain, b: Uncertain) -> Uncertain:
        return Uncertain(Log().times(a.weight, b.weight), a.nats + b.nats)

    def sum(self, a: Uncertain, axis: int) -> Uncertain:
        total, shares = log_sum_and_shares(a.weight, axis)
        nats = weigh(shares, a.nats - log_shares(a.weight, axis))
        return Uncertain(total, jnp.sum(nats, axis))

    def lift(self, log_weight: jax.Array, feature: Any = None) -> Uncertain:
        return self.augment(log_weight)

    def observe(self, a: Uncertain) -> Any:
        return a.weight, jnp.where(a.weight == -jnp.inf, 0.0, a.nats)


class Compared(NamedTuple):
    """Log weights under two distributions, p and q, and a divergence in nats."""

    weight: jax.Array
    reference: jax.Array
    nats: jax.Array


@dataclass(frozen=True)
class Divergence(Augmented):
    """Kullback-Leibler divergence, or ``cross``-entropy, of two weightings of the same derivations.

    ``lift`` takes the log weights of p, and as the feature those under q. The result is plus
    infinity where q is zero and p is not.
    """

    cross: bool = False

    name: ClassVar[str] = "divergence"
    base = Log()

    @property
    def laws(self) -> Laws:
        unread = "the scale of the other weights, which is never read, is not kept"
        return Laws(features=True, broken=INFINITE_BROKEN | {"balance restores": unread})

    def augment(self, weight: jax.Array) -> Compared:
        """Return the same weights under both distributions, which do not diverge."""
        return Compared(weight, weight, jnp.zeros_like(weight))

    def times(self, a: Compared, b: Compared) -> Compared:
        weight, reference = Log().times(a.weight, b.weight), Log().times(a.reference, b.reference)
        return Compared(weight, reference, a.nats + b.nats)

    def sum(self, a: Compared, axis: int) -> Compared:
        weight, p = log_sum_and_shares(a.weight, axis)
        nats = a.nats - log_shares(a.reference, axis)
        if not self.cross:
            nats = nats + log_shares(a.weight, axis)
        # Infinite where q is zero, however small p is, even if its share underflows.
        endless = nats == jnp.inf
        lost = jnp.any(endless & (a.weight > -jnp.inf), axis)
        # Masked before the multiplication: the gradient of zero times infinity is NaN.
        nats = jnp.sum(weigh(p, jnp.where(endless, 0.0, nats)), axis)
        nats = jnp.where(lost, jnp.inf, nats)
        return Compared(weight, log_sum(a.reference, axis), nats)

    def lift(self, log_weight: jax.Array, feature: Any = None) -> Compared:
        reference = log_weight if feature is None else feature
        nats = jnp.where((reference == -jnp.inf) & (log_weight > -jnp.inf), jnp.inf, 0.0)
        return Compared(log_weight, reference, nats.astype(log_weight.dtype))

    def balance(self, a: Compared, axes: tuple[int, ...]) -> tuple[Compared, jax.Array]:
        balanced, log_factor = super().balance(a, axes)
        return balanced._replace(reference=log_balance(a.reference, axes)[0]), log_factor

    def observe(self, a: Compared) -> Any:
        return a.weight, a.reference, jnp.where(a.weight == -jnp.inf, 0.0, a.nats)
