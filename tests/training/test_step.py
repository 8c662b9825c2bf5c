"""One update: what it reports about gradients that are not finite."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax  # pyright: ignore[reportMissingTypeStubs]
import pytest

from semipunct.models.base import Sums
from semipunct.models.kind import SharedTrainOptions
from semipunct.models.optimisation import lazy_adam, prompt, together
from semipunct.training.step import Outcome, Recipe, step


class Roots:
    """The loss is a sum of square roots: at zero it is finite, and its gradient is not."""

    def loss(
        self, parameters: Any, constants: Any, batch: Any, key: Any, options: Any
    ) -> tuple[jax.Array, Sums]:
        total = jnp.sqrt(parameters["dense"]).sum() + jnp.sqrt(parameters["table"]).sum()
        return total, Sums.of(total, jnp.asarray(3))

    def updated_rows(self, batch: Any, options: Any) -> dict[str, Any]:
        return {"table": batch}

    def optimiser(self, options: Any, steps: int, slots: float) -> Any:
        rate = optax.constant_schedule(0.1)
        return together(lazy_adam(rate), ["table"], prompt(optax.sgd(rate)))


@pytest.mark.parametrize(
    "dense, table, finite",
    [
        ([1.0, 4.0], [4.0, 1.0, 1.0], True),
        ([1.0, 0.0], [4.0, 1.0, 1.0], False),
        ([1.0, 4.0], [4.0, 0.0, 1.0], False),
        ([1.0, 4.0], [4.0, 1.0, 0.0], True),  # a row that the batch does not read
    ],
    ids=["finite", "weight", "row", "another row"],
)
def test_an_infinite_gradient_of_a_finite_loss_is_reported(
    dense: list[float], table: list[float], finite: bool
):
    model: Any = Roots()
    recipe = Recipe(model, SharedTrainOptions(), 3, 1.0)
    weights = {"dense": jnp.array(dense), "table": jnp.array(table)[:, None]}
    state = recipe.optimiser().init(weights)
    rows = np.array([0, 1], np.int32)
    outcome: Outcome
    _, _, outcome = step(recipe, weights, state, {}, rows, jax.random.key(0))
    assert np.isfinite(float(outcome.loss))
    assert bool(outcome.finite) == finite


def test_a_loss_that_is_not_finite_is_reported():
    model: Any = Roots()
    recipe = Recipe(model, SharedTrainOptions(), 3, 1.0)
    weights = {"dense": jnp.array([jnp.inf]), "table": jnp.ones((3, 1))}
    state = recipe.optimiser().init(weights)
    outcome = step(recipe, weights, state, {}, np.array([0], np.int32), jax.random.key(0))[2]
    assert not bool(outcome.finite)
