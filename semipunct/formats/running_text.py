"""Running text as words and marks, for models that learn from text alone and restore it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from semipunct.corpus import Entry, Omitted, Words
from semipunct.corpus.located import Located, Piece, located
from semipunct.corpus.whole_tokens import whole_tokens
from semipunct.corpus.word_streams import TextPassage, WordStream, items, tokens, word_stream
from semipunct.errors import TreebankError
from semipunct.files import display_name
from semipunct.formats.lines import text_lines
from semipunct.formats.registry import format_of, read_words
from semipunct.formats.text import Text, lines_with_text, text_entry

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


def read_lines(paths: Sequence[str | Path]) -> Iterator[Entry[Located, Words | Omitted]]:
    """Yield the lines of text files with their words and marks, for restoration.

    Args:
        paths: names of the files, or ``-`` for standard input.

    Raises:
        TreebankError: with file and line, if a file is missing or is not UTF-8 text.
    """
    for number, path in enumerate(paths, start=1):
        name = display_name(path)
        for line, text in enumerate(lines_with_text(path, ended=number < len(paths)), start=1):
            yield text_entry(line_of_text(f"#{line}", name, line, text))


def line_of_text(name: str, path: str, line: int, text: str) -> Located:
    """Find the words and marks of a line of text.

    Args:
        name: the name of the line.
        path: the file.
        line: its number there.
        text: the line with its end.
    """
    pieces = [Piece((token.start, token.end), bool(token.mark)) for token in tokens(text)]
    found = located(name, path, line, text, pieces)
    if isinstance(found.content, Omitted):
        return found
    # Nothing is put into an address or a tag of markup, which may contain blanks.
    whole = [(a, b) for a, b in whole_tokens(text) if any(map(str.isspace, text[a:b]))]
    inside = {
        slot
        for slot in range(1, len(found.spans))
        for a, b in whole
        if a <= found.spans[slot - 1][0] and found.spans[slot][1] <= b
    }
    content = replace(found.content, closed=found.content.closed | inside)
    return replace(found, content=content)
