"""The underlying tree of each punctuated sentence, which explains its marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from semipunct.corpus import Omitted, Sentence
from semipunct.corpus.parallel import as_written
from semipunct.models.punctuation import decode
from semipunct.models.punctuation.corrector import CorrectionModel
from semipunct.models.punctuation.decode import Analysis
from semipunct.models.punctuation.feature_weights import FeatureWeight, NodeFeatures
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.tasks.base import InPlace, Trained
from semipunct.tasks.correct import reason
from semipunct.tasks.correction import Attached, Corrected, Reason
from semipunct.tasks.punctuation_models import explaining_model
from semipunct.tasks.restoration import Restoration
from semipunct.trees import DependencyTree

Answer = Restoration[Any] | Corrected
"""A sentence with restored or corrected marks."""


@dataclass(frozen=True, slots=True)
class Analysed:
    """The best underlying tree of a punctuated sentence.

    Attributes:
        analysis: punctemes and edits.
        reasons: ``[n + 1]`` the punctemes that meet at each slot, and their rewriting.
        features: of the model and its weights.
    """

    analysis: Analysis
    reasons: tuple[Reason, ...]
    features: NodeFeatures

    @property
    def sentence(self) -> Sentence:
        """Words and tree."""
        return self.analysis.sentence

    def weights(self, attached: Attached) -> list[FeatureWeight]:
        """Return the features that weigh most for, or against, a puncteme.

        Args:
            attached: the puncteme.
        """
        pair = self.analysis.pairs[attached.word - 1]
        return self.features.weights(attached.word, attached.side, pair)


def analyse_answers(
    model: Trained[Any], answers: Sequence[Answer | Omitted]
) -> list[Analysed | None]:
    """Return the underlying tree of each restored or corrected sentence.

    Args:
        model: the model that restored or corrected them, with its weights.
        answers: the sentences; omitted ones are passed over.

    Returns:
        One for each answer; None if it is omitted, the model has no underlying trees, or the marks
        have none.
    """
    fitted = explaining_model(model)
    if fitted is None:
        return [None] * len(answers)
    punctuated = [
        None if isinstance(answer, Omitted) else _punctuated(fitted.model, answer)
        for answer in answers
    ]
    sentences = [sentence for sentence in punctuated if sentence is not None]
    analyses = iter(decode.best(fitted.model, fitted.parameters, sentences) if sentences else ())
    return [
        None if sentence is None else _analysed(fitted, next(analyses)) for sentence in punctuated
    ]


def _punctuated(model: PunctuationModel, answer: Answer) -> Sentence | None:
    """Return the tree of an answer with its marks; None if it has no dependency tree."""
    sentence = answer.sentence
    if not isinstance(sentence, Sentence) or not isinstance(sentence.tree, DependencyTree):
        return None
    if isinstance(model, CorrectionModel):
        sentence = as_written(sentence)
    return replace(sentence, slots=tuple(answer.slots))


def _analysed(fitted: InPlace[PunctuationModel], analysis: Analysis | None) -> Analysed | None:
    if analysis is None:
        return None
    size = len(analysis.slots)
    reasons = [reason(analysis, slot) for slot in range(size)]
    return Analysed(
        analysis,
        tuple(one for one in reasons if one is not None),
        NodeFeatures(fitted.model, fitted.parameters, analysis.sentence),
    )
