"""Optional capabilities of models, beyond ``semipunct.models.base``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, Self, TypeVar

import jax

from semipunct.arrays.rows import RowNumbers
from semipunct.errors import ModelError
from semipunct.models.base import Model, Parameters, Weights
from semipunct.models.contents import Array

B = TypeVar("B")


class ReadsRows(ABC, Generic[B]):
    """A model with tables so large that a batch reads or updates only some rows."""

    @abstractmethod
    def place_weights(self, parameters: Weights) -> Weights:
        """Place the weights where batches read them; tables stay on the host."""

    @abstractmethod
    def read(self, parameters: Weights, batch: B) -> Weights:
        """Return the weights that a batch needs, for tables only some rows."""

    @abstractmethod
    def updated_rows(self, batch: B, options: Any) -> Mapping[str, RowNumbers]:
        """Return the rows that a training step updates, by weight name.

        ``loss`` receives these rows in this order, ``optimiser`` their gradients as ``Rows``.
        """


class ScoresExactly(ABC, Generic[B]):
    """A model whose fast ``log_likelihoods`` may be NaN, with a slower exact computation."""

    @abstractmethod
    def exact_log_likelihoods(self, parameters: Parameters, batch: B) -> jax.Array:
        """Compute ``log_likelihoods`` exactly."""


class NeedsConstants(ABC):
    """A model whose ``loss`` needs arrays besides weights and batch."""

    @abstractmethod
    def constants(self, options: Any) -> dict[str, jax.Array]:
        """Return these arrays; in a closure they would be compiled as constants."""


class StaysNear(ABC):
    """A model that can be regularised towards the weights of another model."""

    @abstractmethod
    def near(self, base_model: Model, parameters: Weights) -> Self:
        """Return this model with the given weights as the centre of regularisation.

        Raises:
            ModelError: if the models have no weights in common.
        """


class Calibrates(ABC, Generic[B]):
    """A model with weights that are fitted to development examples."""

    @abstractmethod
    def calibrate(
        self, parameters: Mapping[str, Any], batches: Iterable[tuple[list[int], B]]
    ) -> Mapping[str, Any]:
        """Fit these weights, before each evaluation on the development examples."""


class Prunes(ABC):
    """A model whose weights become fewer or smaller at the end of training."""

    @abstractmethod
    def prune(
        self,
        parameters: Mapping[str, Array],
        options: Any,
        perplexity: Callable[[Mapping[str, Array]], float],
    ) -> Mapping[str, Array]:
        """Return weights in which superfluous ones are zero or rounded.

        Args:
            perplexity: maps weights to development perplexity.
        """

    def without_zeros(self, parameters: Mapping[str, Array]) -> tuple[Self, Mapping[str, Array]]:
        """Return an equivalent model and weights without superfluous zeros."""
        return self, parameters


def on_device(parameters: Weights) -> Weights:
    """Place all weights on the device."""
    return jax.device_put(dict(parameters))  # one transfer, without a program for each shape


def place_weights(model: Model, parameters: Weights) -> Weights:
    """Place the weights of a model where batches read them, once for all batches."""
    reads_rows = isinstance(model, ReadsRows)
    return model.place_weights(parameters) if reads_rows else on_device(parameters)


def read_weights(model: Model, weights: Weights, batch: Any) -> Weights:
    """Return the weights that a batch needs, by default all."""
    return model.read(weights, batch) if isinstance(model, ReadsRows) else weights


def stay_near(model: Model, base_model: Model, parameters: Weights) -> Model:
    """Return a model that is regularised towards ``base_model``."""
    if isinstance(model, StaysNear):
        return model.near(base_model, parameters)
    raise nothing_in_common(model, base_model)


def nothing_in_common(model: Model, base_model: Model) -> ModelError:
    """Return the error for two models without common weights."""
    return ModelError(
        f"a model of the kind {model.kind} has no weights in common with one of the kind "
        f"{base_model.kind}; leave out --near"
    )
