"""Explanations of what models of all kinds restore and correct."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from semipunct.corpus import Omitted
from semipunct.errors import UsageError
from semipunct.kinds.answers import CorrectWork, RestoreWork, answer_of, answers_of
from semipunct.kinds.requests import CorrectRequest, RestoreRequest
from semipunct.render.explanations import Explanation, explained_outcomes, explained_sentence
from semipunct.tasks.base import Trained
from semipunct.tasks.explain import Answer, analyse_answers
from semipunct.tasks.limits import LEFT_OUT
from semipunct.tasks.options import ExplainOptions, Lines
from semipunct.tasks.run import Outcome, in_chunks

if TYPE_CHECKING:
    from semipunct.formats import Writer
    from semipunct.store.checkpoint import SavedModel

Task = Literal["restore", "correct"]
"""What is done with the marks before they are explained."""

Explain = Callable[[Iterable[Outcome[Any]], "Writer[Any]"], Iterator[Explanation]]

_TOGETHER = 64
"""Sentences analysed at a time."""


def explain(
    model: Trained[Any],
    answers: Sequence[Answer | Omitted],
    *,
    left_out: float = LEFT_OUT,
) -> list[Explanation | Omitted]:
    """Explain the marks of restored or corrected sentences.

    Args:
        model: the model that restored or corrected them, with its weights.
        answers: results of ``restore``, ``restore_words`` or ``correct``. Omitted sentences pass
            through.
        left_out: the probability from which a mark that was left out is listed.

    Returns:
        For each sentence its text, whose ``marks`` have reasons, and its underlying tree if the
        model has one.
    """
    analyses = analyse_answers(model, answers)
    return [
        answer if isinstance(answer, Omitted) else explained_sentence(answer, analysis, left_out)
        for answer, analysis in zip(answers, analyses, strict=True)
    ]


def prepare_explanation(
    model: SavedModel[Any],
    inputs: Sequence[str],
    *,
    task: Task | None,
    options: ExplainOptions,
    parser: SavedModel[Any] | None,
    tokeniser: SavedModel[Any] | None,
    text_model: SavedModel[Any] | None,
    lines: Lines | None,
    least: float,
    where: str,
) -> tuple[RestoreWork | CorrectWork, Explain]:
    """Prepare the restoration or correction of files, and the explanation of the results.

    Args:
        model: a model of any kind that restores or corrects.
        inputs: the files.
        task: by default to restore, if the kind can.
        options: of the task.
        parser: that makes the trees, if the input has none.
        tokeniser: of running text.
        text_model: that finds the sentences of running text, and whose marks are averaged.
        lines: what the end of a line says; None for the default.
        least: the probability from which a mark that was left out is listed.
        where: the folder of the model, for messages.

    Returns:
        The work, and a function that explains its outcomes.

    Raises:
        ModelError, UsageError, TreebankError: as restoration and correction do.
    """
    if not 0 <= least <= 1:
        raise UsageError(f"the least probability is {least}; give 0 to 1")
    task = task or ("correct" if answers_of(model.model.kind).restore is None else "restore")
    prepare = answer_of(model.model, task, where)
    if task == "restore":
        request: Any = RestoreRequest(
            system=where,
            inputs=inputs,
            options=options.for_restoration(),
            parsers=() if parser is None else (parser,),
            tokeniser=tokeniser,
            text_model=text_model,
            lines=lines,
        )
    else:
        for option, value in (("--text", text_model), ("--lines", lines)):
            if value is not None:
                raise UsageError(f"{option} is an option of restoration; leave it out to correct")
        request = CorrectRequest(
            system=where,
            inputs=inputs,
            options=options.for_correction(),
            parser=parser,
            tokeniser=tokeniser,
        )

    def explained(outcomes: Iterable[Outcome[Any]], writer: Writer[Any]) -> Iterator[Explanation]:
        return explain_outcomes(model, outcomes, writer, least)

    return prepare(model, request), explained


def explain_outcomes(
    model: Trained[Any],
    outcomes: Iterable[Outcome[Any]],
    writer: Writer[Any],
    least: float = LEFT_OUT,
) -> Iterator[Explanation]:
    """Yield explanations of the sentences of files, some of which are analysed together.

    Args:
        model: the model that restored or corrected them, with its weights.
        outcomes: entries and what was restored or corrected, None for those left unchanged.
        writer: of the entries.
        least: the probability from which a mark that was left out is listed.
    """
    for chunk in in_chunks(outcomes, _TOGETHER):
        answered = [answer for _, answer in chunk if answer is not None]
        analyses = iter(analyse_answers(model, answered))
        of_each = [None if answer is None else next(analyses) for _, answer in chunk]
        yield from explained_outcomes(chunk, of_each, writer, least)
