"""Evaluation of models of every kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from semipunct.models.contents import digest
from semipunct.pipelines.task import EvaluateRequest, task_of

if TYPE_CHECKING:
    from semipunct.pipelines.assessment import Assessment
    from semipunct.pipelines.trained import Trained


def evaluate(
    model: Trained[Any],
    examples: Sequence[Any],
    *,
    system: str = "",
    treebank: str | None = None,
    model_digest: str | None = None,
) -> Any:
    """Evaluate a model of any kind on examples of its training type.

    Args:
        system: the name of the model in the result; by default its kind.
        treebank: a SHA-256 digest for the signature; by default ``treebank_digest`` of the
            examples.

    Returns:
        A ``Result`` with the counts of each sentence, or an ``Assessment`` for kinds without such
        counts; both have ``figures``.

    Raises:
        ModelError: if the kind needs other examples.
    """
    assessment = assess(model, examples, system=system, treebank=treebank, digest=model_digest)
    return assessment if assessment.result is None else assessment.result


def assess(model: Trained[Any], examples: Sequence[Any], **request: Any) -> Assessment:
    """Assess a model of any kind on examples.

    Args:
        **request: attributes of ``EvaluateRequest``.
    """
    request["system"] = request.get("system") or model.model.kind
    request["digest"] = request.get("digest") or digest(model.model, model.parameters)
    return task_of(model.model, "evaluate")(
        EvaluateRequest(model=model, examples=examples, **request)
    )
