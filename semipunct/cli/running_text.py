"""Running text for commands that take words: a tokeniser's sentences."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from semipunct.cli.treebanks import in_chunks
from semipunct.errors import UsageError
from semipunct.files import display_name

if TYPE_CHECKING:
    from semipunct.corpus.treebank import WordsEntry
    from semipunct.formats import Format
    from semipunct.tasks.base import Trained

PARAGRAPHS = 64
"""Paragraphs that are cut at a time."""


def running_text_format(paths: Sequence[str]) -> "Format[Any]":
    """Return the format of files of running text.

    Raises:
        UsageError: for one whose words are known already.
        TreebankError: if a file that must be looked at cannot be read.
    """
    from semipunct.formats import FORMATS, format_of
    from semipunct.formats.text import Text

    for path in paths:
        form = format_of(path, words=True, default=Text.name)
        if form.name != Text.name:
            raise UsageError(
                f"{display_name(path)}: --tokeniser finds the words of running text, but this is "
                f"{form.name}, whose words are known; leave the option out"
            )
    return FORMATS[Text.name]


def read_running_text(paths: Sequence[str], tokeniser: "Trained[Any]") -> "Iterator[WordsEntry]":
    """Yield the sentences of running text as a tokeniser cuts it, one paragraph after another.

    Args:
        paths: of text, or ``-`` for standard input.
        tokeniser: with its weights.

    Raises:
        TreebankError: with file and line, if a file is missing or no text in UTF-8.
    """
    from semipunct.formats.text import paragraphs, text_entry
    from semipunct.tasks.segment import segment

    for number, path in enumerate(paths, start=1):
        for chunk in in_chunks(paragraphs(path, ended=number < len(paths)), PARAGRAPHS):
            for sentences in segment(tokeniser, chunk):
                yield from map(text_entry, sentences)
