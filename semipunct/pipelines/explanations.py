"""Explanations of what models of all kinds restore and correct."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from semipunct.corpus import Omitted
from semipunct.render.explanations import Explanation, explained_outcomes, explained_sentence
from semipunct.tasks.base import Trained
from semipunct.tasks.explain import Answer, analyse_answers
from semipunct.tasks.limits import LEFT_OUT
from semipunct.tasks.run import Outcome, in_chunks

if TYPE_CHECKING:
    from semipunct.formats import Writer

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
