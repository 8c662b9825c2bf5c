"""The optimiser of the punctuation model: separate rates for ATTACH and channel."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import optax  # pyright: ignore[reportMissingTypeStubs]

from semipunct.models.base import Optimiser
from semipunct.models.optimisation import lazy_adam, prompt, schedule, together
from semipunct.models.punctuation.attach import FEATURES
from semipunct.models.punctuation.options import TrainOptions


def optimiser(options: TrainOptions, steps: int, slots: float) -> Optimiser:
    """Return Adam with separate rates for the channel's weights and the rest.

    Args:
        options: rates, schedule and penalties.
        steps: total number of updates.
        slots: mean number of slots in a training sentence.
    """

    def adam(rate: float) -> optax.GradientTransformation:
        return optax.adam(schedule(options.schedule, rate, steps))

    def label(parameters: Mapping[str, Any]) -> dict[str, str]:
        return {n: "channel" if n.startswith("channel") else "attach" for n in parameters}

    rates: dict[Hashable, optax.GradientTransformation] = {
        "attach": adam(options.learning_rate),
        "channel": adam(options.channel_learning_rate),
    }
    dense = prompt(optax.multi_transform(rates, label))
    if not options.lazy:
        return dense
    rate = schedule(options.schedule, options.learning_rate, steps)
    # The gradient of the penalty, per slot; ``objective`` leaves these weights out.
    return together(lazy_adam(rate, decay=2 * options.l2 / slots), FEATURES, dense)
