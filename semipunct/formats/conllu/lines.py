"""The lines of a CoNLL-U file, grouped into sentences."""

from collections.abc import Iterable, Iterator

BYTE_ORDER_MARK = "\ufeff"
"""A character that some editors write at the start of a file; kept, but not part of a column."""


def is_blank(line: str) -> bool:
    """Return whether a raw line separates sentences."""
    return not line.lstrip(BYTE_ORDER_MARK).strip()


def is_comment(line: str) -> bool:
    """Return whether a raw line is a comment."""
    return line.lstrip(BYTE_ORDER_MARK).startswith("#")


def blocks(lines: Iterable[str], first_line: int = 1) -> Iterator[tuple[int, list[str]]]:
    """Group lines into sentences; yield the number of the first line and all lines.

    Comments that are separated from any sentence belong to the next sentence or, at the end of the
    file, to the last one, so nothing is lost.

    Args:
        lines: the raw lines.
        first_line: the number of the first of them.
    """
    block: list[str] = []
    following: list[str] = []  # the lines since the blank line after the words of the block
    has_words = ended = False
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
