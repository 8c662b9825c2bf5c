"""Texts in memory that models restore and correct."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from semipunct.corpus import Omitted, Words
from semipunct.corpus.located import Located
from semipunct.render.punctuated_text import PunctuatedText, punctuate_part
from semipunct.tasks.correction import Corrected
from semipunct.tasks.restoration import Restoration
from semipunct.tasks.truecase import truecase

if TYPE_CHECKING:
    from semipunct.tasks.base import Trained


def write_text(
    parts: Sequence[Located],
    answers: Sequence[Restoration[Any] | Corrected | Omitted],
    case: Trained[Any] | None = None,
) -> PunctuatedText:
    """Return a text with other marks and, given a truecaser, with capitals.

    Args:
        parts: the parts of the text, with the capitals that they are to have.
        answers: the restored or corrected sentences, one for each part.
        case: a truecaser with its weights.
    """
    if case is not None:
        parts = _capitalise(parts, answers, case)
    return PunctuatedText.join_parts(
        PunctuatedText(part.text)
        if isinstance(answer, Omitted)
        else punctuate_part(part, _written(answer), answer.slots, answer.posteriors)
        for part, answer in zip(parts, answers, strict=True)
    )


def _written(answer: Restoration[Any] | Corrected) -> Sequence[Any]:
    return answer.written if isinstance(answer, Restoration) else answer.slots


def _capitalise(
    parts: Sequence[Located], answers: Sequence[Any], truecaser: Trained[Any]
) -> list[Located]:
    words: list[Words | Omitted] = [
        part.content
        if isinstance(part.content, Omitted)
        else replace(part.content, slots=() if isinstance(answer, Omitted) else _written(answer))
        for part, answer in zip(parts, answers, strict=True)
    ]
    forms = truecase(truecaser, words)
    return [
        part if isinstance(capitals, Omitted) else part.recase(capitals)
        for part, capitals in zip(parts, forms, strict=True)
    ]
