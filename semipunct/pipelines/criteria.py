"""Evaluation of punctuation models on held-out sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from semipunct.corpus import Omitted, Sentence, Treebank
from semipunct.corpus.examples import treebank_digest
from semipunct.corpus.treebank import without_omitted
from semipunct.errors import ModelError, UsageError
from semipunct.evaluation.figures import CRITERION, CriterionFigures
from semipunct.evaluation.perplexity import PerplexityStatistics
from semipunct.evaluation.results import Result, figures_signature
from semipunct.models.contents import digest
from semipunct.models.kind import PUNCTUATION
from semipunct.models.registry import find_kind
from semipunct.models.scoring import Batches, log_likelihoods
from semipunct.pipelines.assessment import NO_COUNTS, Assessment
from semipunct.pipelines.notices import UnseenValues, omissions
from semipunct.pipelines.task import EvaluateRequest
from semipunct.pipelines.trained import Trained


def evaluate(
    model: Trained[Any],
    sentences: Sequence[Sentence | Omitted],
    *,
    system: str = "",
    treebank: str | None = None,
    model_digest: str | None = None,
) -> Result[PerplexityStatistics]:
    """Score the punctuation of sentences, given their words and trees.

    Args:
        system: the name of the model in the result; by default its kind.
        treebank: a SHA-256 digest for the signature; by default ``treebank_digest`` of the
            sentences.

    Returns:
        log p(x | T) and the number of slots of each sentence; ``figures`` has the perplexity.

    Raises:
        ModelError: if the model does not predict punctuation.
    """
    predicts = find_kind(model.model.kind).predicts
    if predicts != PUNCTUATION:
        raise ModelError(
            f"a model of the kind {model.model.kind} predicts {predicts}, so it has no perplexity "
            f"of {PUNCTUATION}; name another one (its own figures are in its model card)"
        )
    fitted, weights = model.model, model.parameters
    usable = without_omitted(sentences)
    scores = log_likelihoods(fitted, weights, Batches(fitted, fitted.encode(usable)))
    slots = np.array([s.choices for s in usable], np.int64)
    line = figures_signature(
        PerplexityStatistics.task,
        (model_digest or digest(fitted, weights))[:12],
        treebank or treebank_digest(usable),
        fitted.signature(),
    )
    return Result(system or fitted.kind, line, PerplexityStatistics(scores, slots))


def assess_on_examples(request: EvaluateRequest) -> Assessment:
    """Compute the figures by which training selects the best weights."""
    if request.stored:
        raise UsageError(NO_COUNTS)
    fitted, usable = request.model.model, without_omitted(request.examples)
    kind = find_kind(fitted.kind)
    batches = Batches(fitted, fitted.encode(usable))
    values = kind.metrics(fitted, request.model.parameters, usable, batches)
    treebank = request.treebank or treebank_digest(usable)
    line = figures_signature(CRITERION, request.digest[:12], treebank, {"kind": kind.name})
    figures = CriterionFigures(
        kind=kind.name, unit=kind.unit, examples=len(usable), figures={**values}
    )
    return Assessment(
        task=CRITERION, figures=figures, rows=figures.rows(), signature=line,
        omitted=omissions(request.examples),
    )  # fmt: skip


def assess_perplexity(request: EvaluateRequest) -> Assessment:
    """Compute the perplexity of punctuation."""
    examples = request.examples
    result = evaluate(
        request.model, examples, system=request.system, treebank=request.treebank,
        model_digest=request.digest,
    )  # fmt: skip
    unseen = UnseenValues(request.model.model)
    unseen.count(without_omitted(examples))
    rows = result.figures.rows()
    extra: dict[str, Any] = {}
    if isinstance(examples, Treebank):
        place = 1 + next(i for i, (name, _) in enumerate(rows) if name == "sentences")
        rows.insert(place, ("  made projective", f"{examples.projectivised:,}"))
        extra = {
            "omitted": examples.omitted_by_reason(), "projectivised": examples.projectivised,
        }  # fmt: skip
    messages = [*unseen.messages()]
    return Assessment.of(
        result, rows=rows, extra=extra, omitted=omissions(examples), messages=messages
    )
