"""Texts as sequences of sentences, and texts with restored punctuation."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from semipunct.corpus import Omitted, Words
from semipunct.corpus.located import Located, RawText
from semipunct.formats.running_text import line_of_text
from semipunct.formats.text import in_paragraphs, read_spaced_words
from semipunct.models.running_text.model import TextModel
from semipunct.tasks.base import Trained
from semipunct.tasks.restoration import Restoration, RestoreOptions
from semipunct.tasks.restore_running_text import Objective, restore_running_text
from semipunct.tasks.running_text_choice import Lines
from semipunct.tasks.segment import segment
from semipunct.tasks.segment_running_text import segment_running_text
from semipunct.tasks.truecase import truecase


def restore_by_text_model(
    model: Trained[TextModel],
    text: str,
    options: RestoreOptions,
    ends: Lines,
    objective: Objective,
) -> str:
    """Return a text with the marks and capitals that a text model restores.

    Args:
        model: a text model with its weights.
        text: a text of any length.
        options: of the restoration.
        ends: what the end of a line says.
        objective: what decisions optimise.
    """
    lines = enumerate(io.StringIO(text, newline="\n"), start=1)
    parts = [line_of_text(f"#{number}", "text", number, line) for number, line in lines]
    contents = [part.content for part in parts]
    found = restore_running_text(model, contents, options, ends=ends, objective=objective)
    return "".join(
        part.text
        if isinstance(one, Omitted)
        else part.recase(one.sentence.forms).punctuate(one.written)
        for part, one in zip(parts, found, strict=True)
    )


def sentences_of_text(text: str, tokeniser: Trained[Any] | None) -> list[Located]:
    """Return the sentences of a text, whose parts add up to it.

    Args:
        text: a text of any length.
        tokeniser: with its weights; without one, each line is a sentence.
    """
    lines = io.StringIO(text, newline="\n")
    if tokeniser is None:
        return [
            read_spaced_words(f"#{n}", "text", n, line) for n, line in enumerate(lines, start=1)
        ]
    return [part for parts in segment(tokeniser, list(in_paragraphs(lines))) for part in parts]


def sentences_by_text_model(
    text: str, text_model: Trained[Any], options: RestoreOptions, ends: Lines
) -> list[Located]:
    """Return the sentences that a text model finds, whose parts add up to the text but capitals.

    Args:
        text: a text of any length.
        text_model: with its weights.
        options: of the restoration.
        ends: what the end of a line says.
    """
    lines = [text] if ends == "none" else list(io.StringIO(text, newline="\n"))
    raw = [RawText(line, line=number) for number, line in enumerate(lines, start=1)]
    found = segment_running_text(text_model, raw, options, ends=ends)
    return [part for parts in found for part in parts]


def write_text(
    parts: Sequence[Located],
    restored: Sequence[Restoration[Any] | Omitted],
    case: Trained[Any] | None,
) -> str:
    """Return a text with restored marks and, given a truecaser, with capitals.

    Args:
        parts: the parts of the text.
        restored: the restored sentences, one for each part.
        case: a truecaser with its weights.
    """
    if case is not None:
        slots = [() if isinstance(one, Omitted) else one.written for one in restored]
        words: list[Words | Omitted] = [
            part.content
            if isinstance(part.content, Omitted)
            else replace(part.content, slots=written)
            for part, written in zip(parts, slots, strict=True)
        ]
        forms = truecase(case, words)
        parts = [
            part if isinstance(own, Omitted) else part.recase(own)
            for part, own in zip(parts, forms, strict=True)
        ]
    return "".join(
        part.text if isinstance(one, Omitted) else part.punctuate(one.written)
        for part, one in zip(parts, restored, strict=True)
    )
