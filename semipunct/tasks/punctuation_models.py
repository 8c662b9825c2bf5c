"""Checks that a trained model is one of underlying punctuation.

They are apart from ``tasks.base`` so that tasks of other models import nothing that it needs.
"""

from __future__ import annotations

from typing import Any

from semipunct.errors import ModelError
from semipunct.models.punctuation.corrector import CorrectionModel
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.tasks.base import InPlace, Trained


def punctuation_model(trained: Trained[Any], *, alone: bool = False) -> InPlace[PunctuationModel]:
    """Return a model of underlying punctuation with its weights in place.

    Args:
        trained: the model with its weights.
        alone: whether the input is words and trees only; this excludes correction models, which
            also need the punctuation as written.

    Raises:
        ModelError: if the model is of another kind.
    """
    kind = PunctuationModel.kind
    if not isinstance(trained.model, PunctuationModel) or (alone and trained.model.kind != kind):
        raise ModelError(
            f"the model is of the kind {trained.model.kind}, but one of the kind {kind} is needed; "
            "load or train another one"
        )
    return InPlace.of(trained)


def explaining_model(trained: Trained[Any] | None) -> InPlace[PunctuationModel] | None:
    """Return the model whose underlying trees explain marks; None if there is none.

    A slot tagger or a text model has no such trees. A correction model that reads the underlying
    tree of the written text needs another model to find that tree first, so it is none, either.

    Args:
        trained: the model that chose the marks, if there is one.
    """
    model = None if trained is None else trained.model
    if trained is None or not isinstance(model, PunctuationModel):
        return None
    if isinstance(model, CorrectionModel) and model.analysed:
        return None
    return InPlace.of(trained)
