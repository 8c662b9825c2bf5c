"""Restoration of punctuation from text to text, by a text model or by several models in turn."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

from semipunct.corpus import Omitted, Words
from semipunct.corpus.located import Located, RawText
from semipunct.errors import ModelError, UsageError
from semipunct.formats.running_text import line_of_text
from semipunct.formats.text import in_paragraphs, read_spaced_words
from semipunct.models.commas.restorer import COMMA_MODELS
from semipunct.models.running_text.model import TextModel
from semipunct.tasks.base import Trained
from semipunct.tasks.restoration import Restoration, RestoreOptions, RestoreSettings
from semipunct.tasks.restore_commas import restore_commas_of_words
from semipunct.tasks.restore_running_text import Objective, restore_running_text
from semipunct.tasks.restore_words import restore_words
from semipunct.tasks.running_text_choice import Lines
from semipunct.tasks.segment import segment
from semipunct.tasks.segment_running_text import segment_running_text
from semipunct.tasks.truecase import truecase


def restore_text(
    model: Trained[Any],
    text: str,
    options: RestoreOptions | None = None,
    *,
    parser: Trained[Any] | Sequence[Trained[Any]] | None = None,
    tokeniser: Trained[Any] | None = None,
    text_model: Trained[Any] | None = None,
    case: Trained[Any] | None = None,
    trees: int = 0,
    share: float | None = None,
    ends: Lines = "paragraph",
    objective: Objective | None = None,
    **settings: Unpack[RestoreSettings],
) -> str:
    """Restore the punctuation of a text; everything that is not a changed mark stays as it was.

    This is ``semipunct restore --format text`` for text in memory. A text model needs no other.
    With a punctuation model, words and sentences are found, parsed, punctuated by ``restore_words``
    and written into the text.

    Args:
        model: a text model, a punctuation model or a comma model, with its weights.
        text: a text of any length. With a text model, a line is a paragraph, or what ``ends`` says.
            Otherwise each line is a sentence, whose words and marks are separated by blanks; with a
            tokeniser, empty lines separate paragraphs, and sentences are found in these.
        options: by default ``RestoreOptions()``.
        parser: a parser with its weights, or several, as in ``restore_words``; for a comma model a
            parser of phrases.
        tokeniser: a tokeniser with its weights.
        text_model: a text model with its weights, which finds sentences and capitals, and whose
            marks are averaged with those of ``model``, as in ``restore_words``.
        case: a truecaser with its weights, for capitals; without one they are unchanged.
        trees: the number of trees drawn from each parser, as in ``restore_words``.
        share: the weight of the parsers' own distributions of slots, or of the text model's, as in
            ``restore_words``.
        ends: with a text model, what the end of a line says.
        objective: with a text model, what decisions optimise, as in ``restore_words``.
        **settings: attributes of ``RestoreOptions`` by name, which override those of ``options``.

    Raises:
        UsageError: if an option is invalid, excludes another one, or names marks that the model
            lacks.
        ModelError: if a model is of another kind, or a parser reads what is to be restored.
    """
    options = replace(options or RestoreOptions(), **settings)
    if isinstance(model.model, TextModel):
        others = {"parser": parser, "tokeniser": tokeniser, "text_model": text_model, "case": case,
                  "trees": trees or None, "share": share}  # fmt: skip
        if needless := [name for name, value in others.items() if value is not None]:
            raise UsageError(f"a text model needs no other; leave out {', '.join(needless)}")
        return _restored_by_text_model(model, text, options, ends, objective or "f1")
    if parser is None:
        raise UsageError(
            f"a model of the kind {model.model.kind} restores text with a parser; give parser"
        )
    if text_model is not None and (tokeniser is not None or case is not None):
        raise UsageError(
            "a text model finds sentences and capitals itself; give no tokeniser or truecaser"
        )
    if text_model is None:
        parts = _sentences(text, tokeniser)
    else:
        parts = _sentences_by_text_model(text, text_model, options, ends)
    contents = [part.content for part in parts]
    if isinstance(model.model, COMMA_MODELS):
        if isinstance(parser, Sequence):
            raise ModelError("a comma model uses only one parser; give it alone, not in a list")
        if text_model is not None:
            raise ModelError("a comma model does not use a text model; give none")
        found = restore_commas_of_words(model, parser, contents, options)
    else:
        found = restore_words(
            model, parser, contents, options, trees=trees, share=share, text_model=text_model,
            objective=objective,
        )  # fmt: skip
    return "".join(_written(parts, found, case))


def _restored_by_text_model(
    model: Trained[TextModel],
    text: str,
    options: RestoreOptions,
    ends: Lines,
    objective: Objective,
) -> str:
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


def _sentences(text: str, tokeniser: Trained[Any] | None) -> list[Located]:
    """Return the sentences of a text, whose parts add up to it."""
    lines = io.StringIO(text, newline="\n")
    if tokeniser is None:
        return [
            read_spaced_words(f"#{n}", "text", n, line) for n, line in enumerate(lines, start=1)
        ]
    return [part for parts in segment(tokeniser, list(in_paragraphs(lines))) for part in parts]


def _sentences_by_text_model(
    text: str, text_model: Trained[Any], options: RestoreOptions, ends: Lines
) -> list[Located]:
    """Return the sentences that a text model finds, whose parts add up to the text but capitals."""
    lines = [text] if ends == "none" else list(io.StringIO(text, newline="\n"))
    raw = [RawText(line, line=number) for number, line in enumerate(lines, start=1)]
    found = segment_running_text(text_model, raw, options, ends=ends)
    return [part for parts in found for part in parts]


def _written(
    parts: Sequence[Located], found: Sequence[Restoration[Any] | Omitted], case: Trained[Any] | None
) -> list[str]:
    """Return the parts of a text with restored marks and, given a truecaser, with capitals."""
    if case is not None:
        slots = [() if isinstance(one, Omitted) else one.written for one in found]
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
    return [
        part.text if isinstance(one, Omitted) else part.punctuate(one.written)
        for part, one in zip(parts, found, strict=True)
    ]
