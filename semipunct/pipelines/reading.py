"""Entries of files: running text that is segmented, words, or trees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from semipunct.errors import UsageError
from semipunct.files import display_name, first_line
from semipunct.formats import FORMATS, Format, format_of
from semipunct.formats.conllu import Conllu
from semipunct.formats.text import (
    Text,
    in_lines,
    join_lines,
    lines_with_text,
    paragraphs,
    text_entry,
)
from semipunct.tasks.run import in_chunks
from semipunct.tasks.segment import segment
from semipunct.tasks.segment_running_text import segment_running_text

if TYPE_CHECKING:
    from semipunct.corpus.treebank import WordsEntry
    from semipunct.pipelines.task import Unit
    from semipunct.tasks.base import Trained
    from semipunct.tasks.options import RestoreOptions

PARAGRAPHS = 64
"""Paragraphs tokenised at a time."""

LINES = 256
"""Lines that a text model reads at a time."""


def unit_of(form: Format[Any], *, tokenised: bool) -> Unit:
    """Return what files of a format may be divided into.

    Args:
        form: the format.
        tokenised: whether a tokeniser finds the sentences.
    """
    if tokenised:
        return "paragraph"
    if form.name == Conllu.name:
        return "sentence"
    return "line" if form.name == Text.name else "file"


def running_text_format(paths: Sequence[str]) -> Format[Any]:
    """Return the format of files of running text.

    Raises:
        UsageError: for a format that is already split into words.
        TreebankError: if a file whose content determines its format cannot be read.
    """
    for path in paths:
        form = format_of(path, words=True, default=Text.name)
        if form.name != Text.name:
            raise UsageError(
                f"{display_name(path)}: --tokeniser is for running text, but this is "
                f"{form.name}, which is already split into words; leave the option out"
            )
    return FORMATS[Text.name]


def read_by_text_model(
    paths: Sequence[str], text_model: Trained[Any], options: RestoreOptions
) -> Iterator[WordsEntry]:
    """Yield the sentences that a text model finds in running text, some lines at a time.

    Args:
        paths: of text, or ``-`` for standard input.
        text_model: with its weights.
        options: of the restoration.

    Raises:
        TreebankError: with file and line, if a file is missing or is not UTF-8 text.
        UsageError: if the treatment of marks is not for a text model.
    """
    for number, path in enumerate(paths, start=1):
        texts = lines_with_text(path, ended=number < len(paths))
        raw_lines = in_lines(texts, display_name(path), first_line(path))
        for chunk in in_chunks(raw_lines, LINES):
            raw = list(join_lines(chunk)) if options.lines == "none" else chunk
            for sentences in segment_running_text(text_model, raw, options):
                yield from map(text_entry, sentences)


def read_by_tokeniser(paths: Sequence[str], tokeniser: Trained[Any]) -> Iterator[WordsEntry]:
    """Yield the sentences that a tokeniser finds in running text, paragraph by paragraph.

    Args:
        paths: of text, or ``-`` for standard input.
        tokeniser: with its weights.

    Raises:
        TreebankError: with file and line, if a file is missing or is not UTF-8 text.
    """
    for number, path in enumerate(paths, start=1):
        for chunk in in_chunks(paragraphs(path, ended=number < len(paths)), PARAGRAPHS):
            for sentences in segment(tokeniser, chunk):
                yield from map(text_entry, sentences)
