"""Texts as sequences of sentences, whose parts add up to the text."""

from __future__ import annotations

import io
from typing import Any

from semipunct.corpus.located import Located
from semipunct.formats.text import (
    in_lines,
    in_paragraphs,
    join_lines,
    read_line,
    read_spaced_words,
)
from semipunct.tasks.base import Trained
from semipunct.tasks.options import RestoreOptions
from semipunct.tasks.segment import segment
from semipunct.tasks.segment_running_text import segment_running_text


def sentences_of_text(text: str, tokeniser: Trained[Any] | None) -> list[Located]:
    """Return the sentences of a text, whose parts add up to it.

    Args:
        text: a text of any length.
        tokeniser: with its weights; without one, each line is a sentence.
    """
    lines = io.StringIO(text, newline="\n")
    if tokeniser is None:
        return [read_line(line, read_spaced_words) for line in in_lines(lines)]
    return [part for parts in segment(tokeniser, list(in_paragraphs(lines))) for part in parts]


def sentences_by_text_model(
    text: str, text_model: Trained[Any], options: RestoreOptions
) -> list[Located]:
    """Return the sentences that a text model finds, whose parts add up to the text but capitals.

    Args:
        text: a text of any length.
        text_model: with its weights.
        options: of the restoration.
    """
    lines = in_lines(io.StringIO(text, newline="\n"))
    raw = list(join_lines(lines) if options.lines == "none" else lines)
    sentences_of_lines = segment_running_text(text_model, raw, options)
    return [part for parts in sentences_of_lines for part in parts]
