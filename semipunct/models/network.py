"""Networks: models whose weights AdamW trains, with gradients that are clipped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from semipunct.models.base import B, E, Model, Optimiser, X
from semipunct.models.kind import NetworkTrainOptions

if TYPE_CHECKING:
    import optax  # pyright: ignore[reportMissingTypeStubs]


class Network(Model[E, B, X]):
    """A network whose last weights are its result."""

    def optimiser(
        self, options: NetworkTrainOptions, steps: int, slots: float
    ) -> optax.GradientTransformation:
        """Return AdamW with clipped gradients.

        Args:
            options: rate, schedule and decay.
            steps: updates in all.
            slots: ignored: no penalty is per sentence.
        """
        from semipunct.models.optimisation import clipped_adamw

        return clipped_adamw(options, steps)


class AveragedNetwork(Model[E, B, X]):
    """A network whose result is the mean of its weights after each step."""

    warming: ClassVar[int]
    """Steps in which the learning rate rises from zero."""

    def optimiser(self, options: Any, steps: int, slots: float) -> Optimiser:
        """Return AdamW with clipped gradients, and the mean of its weights.

        Args:
            options: rate, schedule, decay, and ``average``, the share of the mean so far in the
                next one.
            steps: updates in all.
            slots: ignored: no penalty is per sentence.
        """
        from semipunct.models.optimisation import averaged, clipped_adamw

        adamw = clipped_adamw(options, steps, warming=self.warming, b2=_SECOND_MOMENT)
        return averaged(adamw, options.average)


_SECOND_MOMENT = 0.95
"""Decay of the mean of squared gradients; the usual 0.999 is slow for some thousand steps."""
