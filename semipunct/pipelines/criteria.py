"""Evaluation of punctuation models on held-out sentences."""

from __future__ import annotations

from typing import Any

import numpy as np

from semipunct.corpus import Treebank
from semipunct.corpus.examples import treebank_digest
from semipunct.corpus.treebank import without_omitted
from semipunct.errors import UsageError
from semipunct.evaluation.figures import CRITERION, CriterionFigures
from semipunct.evaluation.perplexity import PerplexityStatistics
from semipunct.evaluation.results import Result, figures_signature
from semipunct.models.registry import find_kind
from semipunct.models.scoring import Batches, log_likelihoods
from semipunct.pipelines.assessment import NO_COUNTS, Assessment
from semipunct.pipelines.notices import UnseenValues, omissions
from semipunct.pipelines.task import EvaluateRequest


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
    """Score the punctuation of sentences, given their words and trees."""
    examples, fitted, weights = request.examples, request.model.model, request.model.parameters
    usable = without_omitted(examples)
    scores = log_likelihoods(fitted, weights, Batches(fitted, fitted.encode(usable)))
    line = figures_signature(
        PerplexityStatistics.task,
        request.digest[:12],
        request.treebank or treebank_digest(usable),
        fitted.signature(),
    )
    slots = np.array([sentence.choices for sentence in usable], np.int64)
    result = Result(request.system, line, PerplexityStatistics(scores, slots))
    unseen = UnseenValues(fitted)
    unseen.count(usable)
    rows = result.figures.rows()
    extra: dict[str, Any] = {}
    if isinstance(examples, Treebank):
        place = 1 + next(i for i, (name, _) in enumerate(rows) if name == "sentences")
        rows.insert(place, ("  made projective", f"{examples.projectivised:,}"))
        extra = {
            "omitted": examples.omitted_by_reason(), "projectivised": examples.projectivised,
        }  # fmt: skip
    return Assessment.of(
        result, rows=rows, extra=extra, omitted=omissions(examples), messages=[*unseen.messages()]
    )
