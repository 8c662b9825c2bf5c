"""Trained models with their weights in place, checked for their kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from semipunct.errors import ModelError
from semipunct.marks import Puncteme
from semipunct.models.base import Model, Weights, cache_latest
from semipunct.store.checkpoint import SavedModel, check_kind

if TYPE_CHECKING:
    from semipunct.models.punctuation.model import PunctuationModel

Slots = tuple[Puncteme, ...]

M = TypeVar("M", bound=Model)
M_co = TypeVar("M_co", bound=Model, covariant=True)


class Trained(Protocol[M_co]):
    """A model with its weights, loaded from a folder or trained."""

    @property
    def model(self) -> M_co: ...

    @property
    def parameters(self) -> Weights: ...


@dataclass(frozen=True, slots=True)
class InPlace(Generic[M]):
    """A model with its weights on the device of its batches."""

    model: M
    parameters: Weights

    @classmethod
    def of(cls, trained: Trained[M]) -> InPlace[M]:
        """Transfer the weights once rather than once per batch."""
        return cls(trained.model, _placed(trained.model, trained.parameters))


@cache_latest
def _placed(model: Model, parameters: Weights) -> Weights:
    return model.place_weights(parameters)


def model_of_kind(trained: Trained[Any], kind: type[M]) -> M:
    """Return the model without its weights, after checking its kind."""
    if isinstance(trained, SavedModel):
        check_kind(trained.path, trained.model, kind)
    elif not isinstance(trained.model, kind):
        raise ModelError(
            f"the model is of the kind {trained.model.kind}, but a {kind.kind} is needed; load "
            f"one, or train it with --kind {kind.kind}"
        )
    return trained.model


def punctuation_model(trained: Trained[Any], *, alone: bool = False) -> InPlace[PunctuationModel]:
    """Return a model of underlying punctuation with its weights in place."""
    from semipunct.models.punctuation.model import PunctuationModel

    kind = PunctuationModel.kind
    if not isinstance(trained.model, PunctuationModel) or (alone and trained.model.kind != kind):
        raise ModelError(
            f"the model is of the kind {trained.model.kind}, but one of the kind {kind} is needed; "
            "load or train another one"
        )
    return InPlace.of(trained)


def explaining_model(trained: Trained[Any] | None) -> InPlace[PunctuationModel] | None:
    """Return the model whose underlying trees explain marks, or None.

    Slot taggers and text models have no such trees. A correction model that reads the underlying
    tree of the original text does not qualify either: finding that tree takes another model.
    """
    from semipunct.models.punctuation.corrector import CorrectionModel
    from semipunct.models.punctuation.model import PunctuationModel

    model = None if trained is None else trained.model
    if trained is None or not isinstance(model, PunctuationModel):
        return None
    if isinstance(model, CorrectionModel) and model.analysed:
        return None
    return InPlace.of(trained)
