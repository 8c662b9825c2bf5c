"""Parsing of text in memory, whose sentences and words another model finds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Unpack

from semipunct.corpus import Omitted
from semipunct.errors import UsageError
from semipunct.tasks.base import Trained
from semipunct.tasks.options import Lines, ParseOptions, ParseSettings, RestoreOptions
from semipunct.tasks.parse import Parse, parse
from semipunct.tasks.sentences_of_text import sentences_by_text_model, sentences_of_text


def parse_text(
    model: Trained[Any],
    text: str,
    options: ParseOptions | None = None,
    *,
    tokeniser: Trained[Any] | None = None,
    text_model: Trained[Any] | None = None,
    lines: Lines = "paragraph",
    **settings: Unpack[ParseSettings],
) -> list[Parse | Omitted]:
    """Parse a text.

    Args:
        model: a parser with its weights.
        text: a text of any length. Without another model each line is a sentence, whose words and
            marks are separated by blanks.
        options: by default ``ParseOptions()``.
        tokeniser: a tokeniser with its weights, for text with punctuation.
        text_model: a text model with its weights, which finds sentences without punctuation, too.
        lines: with a text model, what the end of a line says.
        **settings: attributes of ``ParseOptions`` by name, which override those of ``options``.

    Returns:
        The parse of each sentence in the order of the text; a line without words is omitted.

    Raises:
        UsageError: if both a tokeniser and a text model are given.
        ModelError: if a model is of another kind.
    """
    if tokeniser is not None and text_model is not None:
        raise UsageError("a tokeniser and a text model both find sentences; give one of the two")
    if text_model is None:
        parts = sentences_of_text(text, tokeniser)
    else:
        parts = sentences_by_text_model(text, text_model, RestoreOptions(lines=lines))
    options = replace(options or ParseOptions(), **settings)
    return parse(model, [part.content for part in parts], options)
