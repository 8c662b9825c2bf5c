"""The optimiser of the punctuation model: separate rates for ATTACH, channel and network."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import optax  # pyright: ignore[reportMissingTypeStubs]

from semipunct.models.base import Optimiser
from semipunct.models.optimisation import lazy_adam, prompt, schedule, together
from semipunct.models.punctuation.attach import FEATURES
from semipunct.models.punctuation.network import PREFIX
from semipunct.models.punctuation.options import TrainOptions

NORM = 1.0
"""The gradients of the network are clipped to this norm.

This is the usual value. Only the network needs clipping: the rest of the model is log-linear, and
its gradients, averaged per slot, are bounded.
"""


def optimiser(options: TrainOptions, steps: int, slots: float) -> Optimiser:
    """Return Adam with separate rates for the channel's weights, the network's and the rest.

    Args:
        options: rates, schedule, warm-up, decay and penalties.
        steps: total number of updates.
        slots: mean number of slots in a training sentence.
    """

    def adam(rate: float) -> optax.GradientTransformation:
        return optax.adam(schedule(options.schedule, rate, steps))

    def label(parameters: Mapping[str, Any]) -> dict[str, str]:
        return {name: _group(name) for name in parameters}

    warmup = min(options.warmup, steps // 4)
    rising = optax.linear_schedule(0.0, options.network_learning_rate, warmup)
    falling = schedule(options.schedule, options.network_learning_rate, steps - warmup)
    network = optax.chain(
        optax.clip_by_global_norm(NORM),
        optax.adamw(
            optax.join_schedules([rising, falling], [warmup]), weight_decay=options.network_decay
        ),
    )
    rates: dict[Hashable, optax.GradientTransformation] = {
        "attach": adam(options.learning_rate),
        "channel": adam(options.channel_learning_rate),
        "network": network,
    }
    dense = prompt(optax.multi_transform(rates, label))
    if not options.lazy:
        return dense
    rate = schedule(options.schedule, options.learning_rate, steps)
    # The gradient of the penalty, per slot; ``objective`` leaves these weights out.
    return together(lazy_adam(rate, decay=2 * options.l2 / slots), FEATURES, dense)


def _group(name: str) -> str:
    if name.startswith(PREFIX):
        return "network"
    return "channel" if name.startswith("channel") else "attach"
