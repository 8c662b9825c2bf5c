"""Learning rates over a run, for the optimisers of all kinds of models."""

from __future__ import annotations

import optax  # pyright: ignore[reportMissingTypeStubs]

from semipunct.models.kind import Schedule

FINAL_RATE = 0.02
"""The fraction of the learning rate at which the cosine schedule ends.

Not zero, so that the last visits still move the weights. The value was chosen, not tuned.
"""


def schedule(kind: Schedule, rate: float, steps: int) -> optax.Schedule:
    """Return the learning rate as a function of the step.

    Args:
        kind: as the setting ``train.schedule``.
        rate: at the first step.
        steps: updates in all.
    """
    if kind == "constant":
        return optax.constant_schedule(rate)
    return optax.cosine_decay_schedule(rate, max(1, steps), FINAL_RATE)
