"""Texts in memory that models restore and correct."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from semipunct.corpus import Omitted
from semipunct.corpus.located import Located
from semipunct.render.punctuated_text import PunctuatedText, punctuate_part
from semipunct.tasks.correction import Corrected
from semipunct.tasks.restoration import Restoration


def write_text(
    parts: Sequence[Located], answers: Sequence[Restoration[Any] | Corrected | Omitted]
) -> PunctuatedText:
    """Return a text with other marks.

    Args:
        parts: the parts of the text, with the capitals that they are to have.
        answers: the restored or corrected sentences, one for each part.
    """
    return PunctuatedText.join_parts(
        PunctuatedText(part.text)
        if isinstance(answer, Omitted)
        else punctuate_part(part, _written(answer), answer.slots, answer.posteriors)
        for part, answer in zip(parts, answers, strict=True)
    )


def _written(answer: Restoration[Any] | Corrected) -> Sequence[Any]:
    return answer.written if isinstance(answer, Restoration) else answer.slots
