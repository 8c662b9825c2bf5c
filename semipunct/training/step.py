"""One update of the weights, compiled."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from semipunct.arrays.compilation import jit
from semipunct.arrays.rows import Rows, add_rows
from semipunct.models.base import Model, Optimiser
from semipunct.models.kind import SharedTrainOptions

Weights = dict[str, jax.Array]


class Outcome(NamedTuple):
    """The outcome of a step, as scalars on the device.

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


Step = Callable[[Weights, Any, Weights, Any, jax.Array], tuple[Weights, Any, Outcome]]


def make_step(
    model: Model[Any, Any],
    options: SharedTrainOptions,
    optimiser: Optimiser,
) -> Step:
    """Compile one update: weights and optimiser state go in and are overwritten.

    Args:
        model: gives the loss.
        options: of the model's kind.
        optimiser: of the model.

    Returns:
        A function of weights, the optimiser's state, ``model.constants``, a batch and a random
        key.
    """

    @partial(jit, donate_argnums=(0, 1))
    def step(
        parameters: Weights, state: Any, constants: Weights, batch: Any, key: jax.Array
    ) -> tuple[Weights, Any, Outcome]:
        def loss(p: Weights) -> Any:
            return model.loss(p, constants, batch, key, options)

        rows = model.updated(batch, options)
        read = optimiser.current(parameters, state, rows)
        (value, sums), gradient = jax.value_and_grad(loss, has_aux=True)(read)
        finite = jnp.isfinite(value)
        for leaf in gradient.values():
            finite &= jnp.isfinite(leaf).all()
        gradient = {n: Rows(rows[n], g) if n in rows else g for n, g in gradient.items()}
        updates: Any
        updates, state = optimiser.update(gradient, state, parameters)
        updated = {n: _moved(parameters[n], update) for n, update in updates.items()}
        return updated, state, Outcome(value, sums.slots, sums.impossible, finite)

    return step


def _moved(weight: jax.Array, update: jax.Array | Rows) -> jax.Array:
    return add_rows(weight, update) if isinstance(update, Rows) else weight + update
