"""What a training run does at each step: which sentences, which rate, which update."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax  # pyright: ignore[reportMissingTypeStubs]

from semipunct.arrays.compilation import jit
from semipunct.arrays.padding import shuffled
from semipunct.models.punctuation.batches import Batch
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.punctuation.network import PREFIX, Dropout
from semipunct.models.punctuation.objective import Regularisation, objective
from semipunct.training.config import TrainOptions

FINAL_RATE = 0.02
"""The fraction of the learning rate at which the cosine schedule ends."""

NORM = 1.0
"""Gradients of the network are scaled down to this norm where theirs is larger."""

VISITS = 268
"""Sentence visits for the square root of the number of training sentences."""

EVALUATIONS = 6
"""How often a run is evaluated, if nothing else is said."""

Weights = dict[str, jax.Array]


class Plan(NamedTuple):
    """How visits and steps relate.

    Attributes:
        sentences: sentences of the training treebank; an epoch visits each once.
        batch_size: sentences in a batch; the last of an epoch may hold fewer.
        visits: sentence visits in all.
        evaluate_every: sentence visits between evaluations.
    """

    sentences: int
    batch_size: int
    visits: int
    evaluate_every: int

    @classmethod
    def of(cls, sentences: int, options: TrainOptions) -> Plan:
        """What the settings ask for or, where they leave it open, what suits the treebank.

        A larger treebank needs more visits in all, and fewer of each sentence: `VISITS` times the
        square root of its size, in thousands. That is 30,000 for 12,543 sentences (English-EWT)
        and 5,000 for 289.
        """
        thousands = max(1, round(VISITS * math.sqrt(sentences) / 1000))
        visits = options.visits or 1000 * thousands
        every = options.evaluate_every or -(-visits // EVALUATIONS)
        return cls(sentences, options.batch_size, visits, every)

    @property
    def steps_per_epoch(self) -> int:
        """Batches that an epoch takes."""
        return -(-self.sentences // self.batch_size)

    @property
    def steps(self) -> int:
        """Batches in all; the last may go beyond ``visits`` by less than a batch."""
        epochs, rest = divmod(self.visits, self.sentences)
        return epochs * self.steps_per_epoch + -(-rest // self.batch_size)

    def batches(self, seed: int, first: int) -> Iterator[list[int]]:
        """The batches from step ``first`` on: a function of the seed and the epoch alone."""
        epoch, skip = divmod(first, self.steps_per_epoch)
        left = self.steps - first
        while left > 0:
            order = shuffled(self.sentences, self.batch_size, np.random.default_rng([seed, epoch]))
            for members in list(order)[skip:]:
                if left <= 0:
                    return
                yield members
                left -= 1
            epoch, skip = epoch + 1, 0


class Outcome(NamedTuple):
    """What a step tells, as scalars on the device.

    Attributes:
        loss: the objective, per slot of the sentences that can be scored.
        slots: the number of these slots.
        impossible: sentences that the model cannot score.
        finite: whether the loss and all gradients are finite.
    """

    loss: jax.Array
    slots: jax.Array
    impossible: jax.Array
    finite: jax.Array


def regularisation(options: TrainOptions) -> Regularisation:
    """The penalties that the settings ask for."""
    return Regularisation(
        l2=options.l2,
        channel_l2=options.channel_l2,
        tied_l2=options.tied_l2,
        centre=options.centre,
        xi=options.xi,
        squared=options.squared,
        printed=options.printed_regulariser,
    )


def centre(model: PunctuationModel) -> Weights:
    """What L2 pulls towards under ``centre = "counts"``: zero but for the log-counts.

    Tables of zeros are given as one zero, which broadcasts.
    """
    start = model.initial_parameters(0, 0.0)
    return {n: jnp.asarray(v) if v.any() else jnp.zeros((), v.dtype) for n, v in start.items()}


def optimiser(options: TrainOptions, steps: int) -> optax.GradientTransformation:
    """Adam, with a rate each for the channel's weights, the network's and the rest."""

    def schedule(rate: float, steps: int) -> optax.Schedule:
        if options.schedule == "constant":
            return optax.constant_schedule(rate)
        return optax.cosine_decay_schedule(rate, max(1, steps), FINAL_RATE)

    def adam(rate: float) -> optax.GradientTransformation:
        return optax.adam(schedule(rate, steps))

    def label(parameters: Mapping[str, Any]) -> dict[str, str]:
        return {n: _group(n) for n in parameters}

    warmup = min(options.warmup, steps // 4)
    rising = optax.linear_schedule(0.0, options.network_learning_rate, warmup)
    falling = schedule(options.network_learning_rate, steps - warmup)
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
    return optax.multi_transform(rates, label)


def _group(name: str) -> str:
    if name.startswith(PREFIX):
        return "network"
    return "channel" if name.startswith("channel") else "attach"


Step = Callable[[Weights, Any, Weights, Batch, jax.Array], tuple[Weights, Any, Outcome]]


def make_step(
    model: PunctuationModel, options: TrainOptions, transformation: optax.GradientTransformation
) -> Step:
    """Compile one update: weights and optimiser state go in and are overwritten.

    The last argument of the update is its source of chance, for dropout.
    """
    penalties = regularisation(options)

    @partial(jit, donate_argnums=(0, 1))
    def step(
        parameters: Weights, state: Any, start: Weights, batch: Batch, key: jax.Array
    ) -> tuple[Weights, Any, Outcome]:
        dropout = Dropout(key, options.dropout, options.word_dropout)

        def loss(p: Weights) -> Any:
            return objective(model, p, start, batch, penalties, dropout)

        (value, terms), gradient = jax.value_and_grad(loss, has_aux=True)(parameters)
        finite = jnp.isfinite(value)
        for leaf in gradient.values():
            finite &= jnp.isfinite(leaf).all()
        updates, state = transformation.update(gradient, state, parameters)
        updated: Any = optax.apply_updates(parameters, updates)
        return updated, state, Outcome(value, terms.slots, terms.impossible, finite)

    return step
