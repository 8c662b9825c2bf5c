"""Objectives and optimisers shared by several kinds of models."""

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
    """A model whose loss is the negative log-likelihood, with dropout in training."""

    @abstractmethod
    def units(self, batch: B) -> jax.Array:
        """Return the number of predicted slots, words or characters, without padding."""

    def noisy_log_likelihoods(
        self, parameters: Parameters, batch: B, key: jax.Array, options: Any
    ) -> jax.Array:
        """Return ``log_likelihoods`` under dropout; by default without."""
        return self.log_likelihoods(parameters, batch)

    def loss(
        self, parameters: Parameters, constants: Parameters, batch: B, key: jax.Array, options: Any
    ) -> tuple[jax.Array, Sums]:
        total = jnp.sum(self.noisy_log_likelihoods(parameters, batch, key, options))
        units = jnp.maximum(1, self.units(batch))
        return -total / units, Sums.of(total, units)


class Network(MaximumLikelihood[E, B, X]):
    """A network trained by AdamW that keeps its final weights."""

    def optimiser(
        self, options: NetworkTrainOptions, steps: int, slots: float
    ) -> optax.GradientTransformation:
        from semipunct.models.optimisation import clipped_adamw

        return clipped_adamw(options, steps)


class AveragedNetwork(Model[E, B, X]):
    """A network whose result is the running mean of its weights over the training steps."""

    warming: ClassVar[int]
    """Number of warm-up steps, in which the learning rate rises from zero."""

    def optimiser(self, options: Any, steps: int, slots: float) -> Optimiser:
        from semipunct.models.optimisation import average_weights, clipped_adamw

        adamw = clipped_adamw(options, steps, warming=self.warming, b2=_SECOND_MOMENT)
        return average_weights(adamw, options.average)


# Decay of the mean of squared gradients; the usual 0.999 is slow for a few thousand steps.
_SECOND_MOMENT = 0.95
