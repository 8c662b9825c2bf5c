"""Objectives and optimisers that several kinds of models share."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import jax
import jax.numpy as jnp

from semipunct.models.base import B, E, Model, Optimiser, Parameters, Sums, X
from semipunct.models.kind import NetworkTrainOptions

if TYPE_CHECKING:
    import optax  # pyright: ignore[reportMissingTypeStubs]


class MaximumLikelihood(Model[E, B, X]):
    """A model whose loss is its negative log-likelihood under the noise of training."""

    @abstractmethod
    def units(self, batch: B) -> jax.Array:
        """Return the number of slots, words or characters that are predicted; padding is none."""

    def noisy_log_likelihoods(
        self, parameters: Parameters, batch: B, key: jax.Array, options: Any
    ) -> jax.Array:
        """Return ``log_likelihoods`` under the noise of training, by default none.

        Args:
            parameters: weights by name.
            batch: from ``batch``.
            key: PRNG key of the noise.
            options: rates of dropout.
        """
        return self.log_likelihoods(parameters, batch)

    def loss(
        self, parameters: Parameters, constants: Parameters, batch: B, key: jax.Array, options: Any
    ) -> tuple[jax.Array, Sums]:
        total = jnp.sum(self.noisy_log_likelihoods(parameters, batch, key, options))
        units = jnp.maximum(1, self.units(batch))
        return -total / units, Sums.of(total, units)


class Network(MaximumLikelihood[E, B, X]):
    """A network whose final weights are the result of training."""

    def optimiser(
        self, options: NetworkTrainOptions, steps: int, slots: float
    ) -> optax.GradientTransformation:
        """Return AdamW with clipped gradients.

        Args:
            options: rate, schedule and decay.
            steps: total number of updates.
            slots: ignored, because no penalty is per sentence.
        """
        from semipunct.models.optimisation import clipped_adamw

        return clipped_adamw(options, steps)


class AveragedNetwork(Model[E, B, X]):
    """A network whose result is the running mean of its weights over the training steps."""

    warming: ClassVar[int]
    """The number of warm-up steps, in which the learning rate rises from zero."""

    def optimiser(self, options: Any, steps: int, slots: float) -> Optimiser:
        """Return AdamW with clipped gradients, and an average of the weights.

        Args:
            options: rate, schedule, decay, and ``average``, the decay of the running mean of the
                weights.
            steps: total number of updates.
            slots: ignored, because no penalty is per sentence.
        """
        from semipunct.models.optimisation import average_weights, clipped_adamw

        adamw = clipped_adamw(options, steps, warming=self.warming, b2=_SECOND_MOMENT)
        return average_weights(adamw, options.average)


_SECOND_MOMENT = 0.95
"""Decay of the mean of squared gradients; the usual 0.999 is slow for a few thousand steps."""
