"""Assessment of models by what they were trained for, on examples of the same type."""

from __future__ import annotations

from typing import Any

from semipunct.corpus import Treebank
from semipunct.corpus.examples import treebank_digest
from semipunct.corpus.treebank import without_omitted
from semipunct.errors import UsageError
from semipunct.evaluation.figures import CRITERION, CriterionFigures
from semipunct.evaluation.results import figures_signature
from semipunct.models.registry import find_kind
from semipunct.models.scoring import Batches
from semipunct.pipelines.assessment import NO_COUNTS, Assessment
from semipunct.pipelines.task import EvaluateRequest
from semipunct.tasks.evaluate import evaluate
from semipunct.tasks.notices import UnseenValues
from semipunct.tasks.reading import omissions


def assess_on_examples(request: EvaluateRequest) -> Assessment:
    """Compute the figures by which training chooses the best weights.

    Raises:
        UsageError: if counts by sentence are to be stored; said before the model is run.
    """
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
