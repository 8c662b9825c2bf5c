"""Capabilities that some kinds of models have beside what all have (``semipunct.models.base``).

A model class derives from the capabilities that it has. Training and scoring ask for them by
``isinstance`` in the functions below, which say what is done with models that lack one.
"""

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
    """A model with tables so large that a batch reads, and perhaps updates, only some rows."""

    @abstractmethod
    def place_weights(self, parameters: Weights) -> Weights:
        """Place the weights where batches read them, once for all batches; tables stay on the host.

        Args:
            parameters: weights by name.
        """

    @abstractmethod
    def read(self, parameters: Weights, batch: B) -> Weights:
        """Return the weights that a batch needs, of tables only some rows.

        Args:
            parameters: from ``place_weights``.
            batch: from ``Model.batch``.
        """

    @abstractmethod
    def updated_rows(self, batch: B, options: Any) -> Mapping[str, RowNumbers]:
        """Return the rows updated in a training step, for weights that are only updated in part.

        For these weights, ``loss`` receives the rows, in this order, and ``optimiser`` their
        gradients as ``Rows``.

        Args:
            batch: from ``Model.batch``.
            options: an instance of the kind's ``train_options``.
        """


class ScoresExactly(ABC, Generic[B]):
    """A model whose fast ``log_likelihoods`` may be NaN, where a slower computation is exact."""

    @abstractmethod
    def exact_log_likelihoods(self, parameters: Parameters, batch: B) -> jax.Array:
        """Return the values of ``log_likelihoods`` by the slower computation.

        Args:
            parameters: the weights that the batch reads.
            batch: from ``Model.batch``.
        """


class NeedsConstants(ABC):
    """A model whose ``loss`` needs arrays in addition to weights and batch."""

    @abstractmethod
    def constants(self, options: Any) -> dict[str, jax.Array]:
        """Return these arrays.

        They are passed as an argument, because arrays that a compiled function closes over are
        compiled into it as constants.

        Args:
            options: an instance of the kind's ``train_options``.
        """


class StaysNear(ABC):
    """A model that can be trained to keep some weights close to those of another model."""

    @abstractmethod
    def near(self, base_model: Model, parameters: Weights) -> Self:
        """Return the same model with these weights as the centre of regularisation.

        Args:
            base_model: a trained model.
            parameters: its weights.

        Raises:
            ModelError: if the models have no such weights in common.
        """


class Calibrates(ABC, Generic[B]):
    """A model with weights that depend on development examples."""

    @abstractmethod
    def calibrate(
        self, parameters: Mapping[str, Any], batches: Iterable[tuple[list[int], B]]
    ) -> Mapping[str, Any]:
        """Fit these weights, before the development examples are evaluated.

        Args:
            parameters: weights by name.
            batches: development examples with their numbers.
        """


class Prunes(ABC):
    """A model whose weights become fewer or smaller at the end of training."""

    @abstractmethod
    def prune(
        self,
        parameters: Mapping[str, Array],
        options: Any,
        perplexity: Callable[[Mapping[str, Array]], float],
    ) -> Mapping[str, Array]:
        """Return weights in which those that a trained model does not need are zero, or rounded.

        Args:
            parameters: weights by name.
            options: an instance of the kind's ``train_options``.
            perplexity: maps weights to the perplexity of the development sentences.
        """

    def without_zeros(self, parameters: Mapping[str, Array]) -> tuple[Self, Mapping[str, Array]]:
        """Return an equivalent model with fewer weights: some of those that are zero are removed.

        Args:
            parameters: weights by name.
        """
        return self, parameters


def on_device(parameters: Weights) -> Weights:
    """Place all weights on the device.

    Args:
        parameters: weights by name.
    """
    return jax.device_put(dict(parameters))  # one transfer, without a program for each shape


def place_weights(model: Model, parameters: Weights) -> Weights:
    """Place the weights of a model where batches read them, once for all batches.

    Args:
        model: without tables of which only rows are read, all weights are placed on the device.
        parameters: its weights.
    """
    reads_rows = isinstance(model, ReadsRows)
    return model.place_weights(parameters) if reads_rows else on_device(parameters)


def read_weights(model: Model, weights: Weights, batch: Any) -> Weights:
    """Return the weights that a batch needs, by default all.

    Args:
        model: the model.
        weights: from ``place_weights``.
        batch: from ``Model.batch``.
    """
    return model.read(weights, batch) if isinstance(model, ReadsRows) else weights


def stay_near(model: Model, base_model: Model, parameters: Weights) -> Model:
    """Return a model whose weights are regularised towards those of another one.

    Args:
        model: the model to be trained.
        base_model: a trained model.
        parameters: its weights.

    Raises:
        ModelError: if the models have no weights in common.
    """
    if isinstance(model, StaysNear):
        return model.near(base_model, parameters)
    raise nothing_in_common(model, base_model)


def nothing_in_common(model: Model, base_model: Model) -> ModelError:
    """Return the error that two models have no weights in common.

    Args:
        model: the model to be trained.
        base_model: the trained one.
    """
    return ModelError(
        f"a model of the kind {model.kind} has no weights in common with one of the kind "
        f"{base_model.kind}; leave out --near"
    )
