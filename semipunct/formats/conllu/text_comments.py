"""The comment ``# text =`` of a record."""

import re
from itertools import takewhile

from semipunct.formats.conllu.lines import BYTE_ORDER_MARK, is_blank, is_comment
from semipunct.formats.conllu.records import Record

_TEXT = re.compile(r"(\ufeff?#\s*text\s*=\s*)(.*)", re.DOTALL)


def stated_text(record: Record) -> str | None:
    """Return the text of the comment ``# text =``, None without such a comment."""
    header = takewhile(is_outside, record.lines)
    matches = (_TEXT.fullmatch(line.lstrip(BYTE_ORDER_MARK)) for line in header)
    return next((match.group(2) for match in matches if match), None)


def with_text(line: str, new_text: str) -> str:
    """Replace the text of a comment ``# text =``; any other line is unchanged.

    Args:
        line: a line of a record; a byte order mark in front of it is kept.
        new_text: the new text of the sentence.
    """
    match = _TEXT.fullmatch(line)
    return match.group(1) + new_text if match else line


def is_outside(line: str) -> bool:
    """Return whether a line is a comment or blank."""
    return is_blank(line) or is_comment(line)
