"""Models with their weights, which tasks are asked of, and the promise of every punctuator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from semipunct.corpus import Sentence
from semipunct.errors import ModelError
from semipunct.marks import Puncteme
from semipunct.models.base import Model, Weights
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.remembered import remembered

Slots = tuple[Puncteme, ...]
"""A string for each slot of a sentence."""

M = TypeVar("M", bound=Model[Any, Any, Any])
M_co = TypeVar("M_co", bound=Model[Any, Any, Any], covariant=True)


class Trained(Protocol[M_co]):
    """A model with its weights: a folder that was loaded, or the result of a training run."""

    @property
    def model(self) -> M_co:
        """Everything but the weights."""
        ...

    @property
    def parameters(self) -> Weights:
        """The weights by name."""
        ...


@dataclass(frozen=True, slots=True)
class InPlace(Generic[M]):
    """A model with its weights where its batches read them from.

    Attributes:
        model: everything but the weights.
        parameters: the weights by name.
    """

    model: M
    parameters: Weights

    @classmethod
    def of(cls, trained: Trained[M]) -> InPlace[M]:
        """Place the weights once, not once a batch."""
        return cls(trained.model, _placed(trained.model, trained.parameters))


@remembered
def _placed(model: Model[Any, Any, Any], parameters: Weights) -> Weights:
    return model.placed(parameters)


def model_of_kind(trained: Trained[Any], kind: type[M]) -> M:
    """Return the model of what was trained, which must be of a kind.

    Args:
        trained: a model with its weights.
        kind: the class that is needed.

    Raises:
        ModelError: if it is of another kind.
    """
    if not isinstance(trained.model, kind):
        raise ModelError(
            f"the model is of the kind {trained.model.kind}, but a {kind.kind} is needed; load "
            f"one, or train it with --kind {kind.kind}"
        )
    return trained.model


def punctuation_model(trained: Trained[Any], *, alone: bool = False) -> InPlace[PunctuationModel]:
    """Return a model that is asked for underlying punctuation, with its weights in place.

    Args:
        trained: the model.
        alone: whether it gets nothing but words and trees, where models of correction want what
            was written as well.

    Raises:
        ModelError: if it is of another kind.
    """
    kind = PunctuationModel.kind
    if not isinstance(trained.model, PunctuationModel) or (alone and trained.model.kind != kind):
        raise ModelError(
            f"the model is of the kind {trained.model.kind}, but one of the kind {kind} is needed; "
            "load or train another one"
        )
    return InPlace.of(trained)


class Punctuator(Protocol):
    """A fitted model of the punctuation of sentences, given their words and trees."""

    def log_likelihoods(self, sentences: Sequence[Sentence]) -> npt.NDArray[np.float64]:
        """Return the natural log-probability of the punctuation of each sentence, ``[sentences]``.

        Every string over the token vocabulary is possible, so that perplexities compare.
        """
        ...

    def restore(self, sentences: Sequence[Sentence]) -> list[Slots]:
        """Return the punctuation of least expected edit distance, ignoring what stands there."""
        ...
