"""One update of the weights, compiled as two programs: the gradient, and the optimiser's step."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from semipunct.arrays.programs import jit
from semipunct.arrays.rows import Rows, add_rows
from semipunct.models.base import Model, Optimiser, Sums
from semipunct.models.kind import SharedTrainOptions
from semipunct.models.optimisation import prompt

Weights = dict[str, jax.Array]


class Outcome(NamedTuple):
    """The outcome of a step, as scalars on the device.

    Attributes:
        loss: the mean over slots of the sentences that the model can score.
        impossible: the number of sentences that the model cannot score.
        finite: whether the loss and all gradients are finite.
    """

    loss: jax.Array
    slots: jax.Array
    impossible: jax.Array
    finite: jax.Array


@dataclass(frozen=True, eq=False)
class Recipe:
    """The static arguments of a step.

    Attributes:
        slots: the mean number of slots of a training sentence.
    """

    model: Model
    options: SharedTrainOptions
    steps: int
    slots: float

    def optimiser(self) -> Optimiser:
        chosen = self.model.optimiser(self.options, self.steps, self.slots)
        return chosen if isinstance(chosen, Optimiser) else prompt(chosen)


def step(
    recipe: Recipe, parameters: Weights, state: Any, constants: Weights, batch: Any, key: jax.Array
) -> tuple[Weights, Any, Outcome]:
    """Update the weights once; the buffers of the given weights and state are overwritten.

    The function is compiled once for each recipe and shape.
    """
    gradient, loss, sums = _gradient(recipe, parameters, state, constants, batch, key)
    # If all weights are updated as a whole, this program is the same for batches of all shapes.
    parameters, state, finite = _update(recipe, parameters, state, gradient, loss)
    return parameters, state, Outcome(loss, sums.slots, sums.impossible, finite)


@partial(jit, static=1)
def _gradient(
    recipe: Recipe, parameters: Weights, state: Any, constants: Weights, batch: Any, key: jax.Array
) -> tuple[dict[str, jax.Array | Rows], jax.Array, Sums]:
    """Return the gradient of each weight, or of the rows that the batch reads."""

    def loss(p: Weights) -> Any:
        return model.loss(p, constants, batch, key, recipe.options)

    model = recipe.model
    rows = model.updated_rows(batch, recipe.options)
    read = recipe.optimiser().current(parameters, state, rows)
    (value, sums), gradient = jax.value_and_grad(loss, has_aux=True)(read)
    return {n: Rows(rows[n], g) if n in rows else g for n, g in gradient.items()}, value, sums


@partial(jit, static=1, donated=(1, 2))
def _update(
    recipe: Recipe,
    parameters: Weights,
    state: Any,
    gradient: dict[str, jax.Array | Rows],
    loss: jax.Array,
) -> tuple[Weights, Any, jax.Array]:
    """Take one step of the optimiser; also return whether loss and gradient are finite."""
    finite = jnp.isfinite(loss)
    for of_weight in gradient.values():
        slope = of_weight.value if isinstance(of_weight, Rows) else of_weight
        finite &= jnp.isfinite(slope).all()
    updates: Any
    updates, state = recipe.optimiser().update(gradient, state, parameters)
    moved = {n: _moved(parameters[n], update) for n, update in updates.items()}
    return moved, state, finite


def _moved(weight: jax.Array, update: jax.Array | Rows) -> jax.Array:
    return add_rows(weight, update) if isinstance(update, Rows) else weight + update
