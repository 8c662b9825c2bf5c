"""Comparison of corrections with references."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from semipunct.corpus.examples import parallel_digest
from semipunct.corpus.parallel import ParallelSentence
from semipunct.corpus.sentences import Sentence, Words
from semipunct.evaluation.results import figures_signature
from semipunct.formats.parallel import read_references
from semipunct.pipelines.assessment import Assessment, assess_corrections
from semipunct.tasks.correction import Corrected
from semipunct.tasks.options import CorrectOptions
from semipunct.tasks.run import Outcome

if TYPE_CHECKING:
    from semipunct.corpus import Entry
    from semipunct.pipelines.task import Request
    from semipunct.pipelines.writing import CorrectTask

Assess = Callable[[Sequence[Outcome[Corrected]]], Assessment]


def prepare_comparison(
    task: CorrectTask,
    entries: Iterator[Entry[Any, Any]],
    request: Request,
    *,
    running: bool,
) -> tuple[Iterator[Entry[Any, Any]], Assess]:
    """Return entries, and the comparison of their corrections with the references of a request.

    Args:
        task: whose corrections are compared.
        entries: of the files; with references all of them are read now.
        request: names the references, if there are any.
        running: whether words are separated from their marks as in running text.

    Raises:
        TreebankError: if references do not match the entries.
    """
    references: list[Any] = []
    if request.references:
        read = [*entries]
        contents = [entry.content for entry in read]
        alignment: Any = request.align
        references = read_references(contents, request.references, alignment, running=running)
        entries = iter(read)

    def assess(outcomes: Sequence[Outcome[Corrected]]) -> Assessment:
        pairs = [
            (corrected, pair)
            for (_, corrected), pair in zip(outcomes, references, strict=True)
            if corrected is not None and pair is not None
        ]
        model: Any = task.model
        line = correction_signature(model.digest, [pair for _, pair in pairs], task.options)
        return assess_corrections(request.system, line, pairs, most=request.listed)

    return entries, assess


def correction_signature(
    digest: str, data: Sequence[ParallelSentence[Sentence | Words]], options: CorrectOptions
) -> str:
    """Return the signature of figures, which are comparable if they differ only in the model.

    Args:
        digest: the digest of the model.
        data: the corrected sentences, with references.
        options: the options of correction.
    """
    return figures_signature(
        "correction",
        digest[:12],
        parallel_digest(data),
        {
            "samples": str(options.samples),
            "seed": str(options.seed),
            "minimise": options.minimise,
            "analyses": str(options.analyses),
            "marks": "all" if options.marks is None else str(len(options.marks)),
            "confidence": f">={options.least:g}",
        },
    )
