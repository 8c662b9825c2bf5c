"""Networks: models that are trained with AdamW and gradient clipping."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from semipunct.models.base import B, E, Model, Optimiser, X
from semipunct.models.kind import NetworkTrainOptions

if TYPE_CHECKING:
    import optax  # pyright: ignore[reportMissingTypeStubs]


class Network(Model[E, B, X]):
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
