"""Blocks of code in running text, as Markdown has them: lines between fences of backquotes."""

import re
from collections.abc import Iterable, Iterator

_OPENING = re.compile(r" {0,3}(`{3,})[^`]*$")
_CLOSING = re.compile(r" {0,3}(`{3,})\s*$")

_LONGEST = 2**12
"""Lines after which a fence that is not closed is no fence, so that memory is bounded."""


def lines_judged_together(lines: Iterable[str]) -> Iterator[tuple[list[str], bool]]:
    """Yield lines in groups between which a file may be divided, with whether they are text.

    The lines of a block of code, which are not, form one group. A fence that nothing closes opens
    no block: its lines are text. Fences of tildes are not known, since a line of tildes usually
    parts sections.

    Args:
        lines: of a file, with their ends.
    """
    block: list[str] = []
    fence = ""
    for line in lines:
        if not block:
            opening = _OPENING.match(line)
            if opening is None:
                yield [line], True
                continue
            fence = opening[1]
            block.append(line)
            continue
        block.append(line)
        closing = _CLOSING.match(line)
        is_closed = closing is not None and len(closing[1]) >= len(fence)
        if is_closed or len(block) == _LONGEST:
            yield block, not is_closed
            block = []
    if block:
        yield block, True
