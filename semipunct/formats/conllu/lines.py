"""The lines of a CoNLL-U file: decoding them, and grouping them into sentences."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from semipunct.errors import TreebankError
from semipunct.files import FileKind, byte_lines, display_name

KIND = FileKind(
    TreebankError, "name the .conllu files in it instead", "fetch or compress the file again"
)

BYTE_ORDER_MARK = "\ufeff"
"""What some editors put at the start of a file; it is kept but never part of a column."""


def text_lines(path: str | Path) -> Iterator[str]:
    """Yield the lines of a UTF-8 file, each with its line end if it has one.

    Raises `TreebankError` if the file cannot be read (see `files.byte_lines`), is not UTF-8 or
    holds a NUL byte.
    """
    name = display_name(path)
    offset = 0
    for number, content in enumerate(byte_lines(path, KIND), start=1):
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise TreebankError(
                f"{name}:{number}: byte {content[error.start]:#04x} at offset "
                f"{offset + error.start} of the file is not UTF-8; convert the file to UTF-8"
            ) from error
        if "\0" in text:
            raise TreebankError(
                f"{name}:{number}: a NUL byte at offset {offset + content.index(0)} of the file; "
                "this is not a text file in UTF-8, convert or repair it"
            )
        offset += len(content)
        yield text


def is_blank(line: str) -> bool:
    """Tell whether a raw line separates sentences."""
    return not line.lstrip(BYTE_ORDER_MARK).strip()


def is_comment(line: str) -> bool:
    """Tell whether a raw line is a comment."""
    return line.lstrip(BYTE_ORDER_MARK).startswith("#")


def blocks(lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Group lines into sentences: (1-based number of the first line, lines with their ends).

    Comments that stand apart from any sentence go to the next one, at the end of the file to
    the last one, so nothing is lost.
    """
    block: list[str] = []
    following: list[str] = []  # what came since the blank line after the block's words
    has_words = ended = False
    first_line = 1
    for line in lines:
        if is_blank(line):
            ended = has_words
            (following if following else block).append(line)
        elif not ended:
            block.append(line)
            has_words = has_words or not is_comment(line)
        elif is_comment(line):
            following.append(line)
        else:
            yield first_line, block
            first_line += len(block)
            block, following, ended = [*following, line], [], False
    if has_words:
        yield first_line, block + following
