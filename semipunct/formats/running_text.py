"""Running text as words and marks, for models that learn from text alone."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from semipunct.corpus import Omitted
from semipunct.corpus.word_streams import TextPassage, WordStream, items, word_stream
from semipunct.errors import TreebankError
from semipunct.files import display_name
from semipunct.formats.lines import text_lines
from semipunct.formats.registry import format_of, read_words
from semipunct.formats.text import Text

PASSAGE = 192
"""The number of words of a passage."""


def read_running_text(paths: Sequence[str | Path]) -> list[TextPassage]:
    """Read files of plain text, or the text of treebanks, as passages.

    Args:
        paths: names of the files; a file in the format of a treebank is read for its words and
            marks.

    Raises:
        TreebankError: with file and line, if a file is missing, damaged or not text, or has no
            marks, from which nothing could be learned.
    """
    return [passage for path in paths for passage in _stream(path).passages(PASSAGE)]


def _stream(path: str | Path) -> WordStream:
    is_text = format_of(path, words=True, default=Text.name).name == Text.name
    name = display_name(path)
    stream = word_stream(name, items(text_lines(path)) if is_text else _of_treebank(path))
    if len(stream) and len(stream.strings) < 2:
        raise TreebankError(
            f"{name}: no marks in {len(stream):,} words, so there is nothing to learn; give text "
            "with its punctuation"
        )
    return stream


def _of_treebank(path: str | Path) -> Iterator[str]:
    for entry in read_words([path]):
        content = entry.content
        if isinstance(content, Omitted):
            continue
        yield from (f"\0{mark}" for mark in content.slots[0])
        for form, slot in zip(content.forms, content.slots[1:], strict=True):
            yield form
            yield from (f"\0{mark}" for mark in slot)
