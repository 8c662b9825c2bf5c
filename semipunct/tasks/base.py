"""Trained models, as tasks take them, and the interface of punctuators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from semipunct.corpus import Sentence
from semipunct.errors import ModelError
from semipunct.marks import Puncteme
from semipunct.models.base import Model, Weights, cache_latest
from semipunct.models.capabilities import place_weights

Slots = tuple[Puncteme, ...]
"""The string of each slot of a sentence."""

M = TypeVar("M", bound=Model)
M_co = TypeVar("M_co", bound=Model, covariant=True)


class Trained(Protocol[M_co]):
    """A model with its weights: loaded from a folder, or the result of a training run."""

    @property
    def model(self) -> M_co:
        """The model without its weights."""
        ...

    @property
    def parameters(self) -> Weights:
        """The weights by name."""
        ...


@dataclass(frozen=True, slots=True)
class InPlace(Generic[M]):
    """A model with its weights, placed where its batches read them.

    Attributes:
        model: the model without its weights.
        parameters: the weights by name.
    """

    model: M
    parameters: Weights

    @classmethod
    def of(cls, trained: Trained[M]) -> InPlace[M]:
        """Place the weights once rather than once per batch."""
        return cls(trained.model, _placed(trained.model, trained.parameters))


@cache_latest
def _placed(model: Model, parameters: Weights) -> Weights:
    return place_weights(model, parameters)


def model_of_kind(trained: Trained[Any], kind: type[M]) -> M:
    """Return the model without its weights, after checking its kind.

    Args:
        trained: a model with its weights.
        kind: the required class.

    Raises:
        ModelError: if the model is of another kind.
    """
    if not isinstance(trained.model, kind):
        raise ModelError(
            f"the model is of the kind {trained.model.kind}, but a {kind.kind} is needed; load "
            f"one, or train it with --kind {kind.kind}"
        )
    return trained.model


class Punctuator(Protocol):
    """A trained model of the punctuation of sentences, given their words and trees."""

    def log_likelihoods(self, sentences: Sequence[Sentence]) -> npt.NDArray[np.float64]:
        """Return the natural log-probability of the punctuation of each sentence, ``[sentences]``.

        Every string over the token vocabulary is possible, so that perplexities are comparable.
        """
        ...

    def restore(self, sentences: Sequence[Sentence]) -> list[Slots]:
        """Return the punctuation of least expected edit distance, ignoring existing marks."""
        ...
