"""Labels of phrases in the Penn Treebank, such as ``NP-SBJ-1``: category, functions, indices."""

import re
from functools import lru_cache
from typing import NamedTuple

EMPTY = "-NONE-"
"""The part of speech of empty elements, such as traces."""


class LabelParts(NamedTuple):
    """The parts of a label (Bies et al. 1995, Bracketing Guidelines, sections 1 and 2).

    Attributes:
        category: such as ``NP``; ``PRT|ADVP`` stays whole.
        functions: function tags, such as ``SBJ``.
        coindex: the index of the constituent, shared with empty elements; empty if there is none.
        gap_index: the index after ``=`` of a constituent that, in gapping, has the role of another.
    """

    category: str
    functions: tuple[str, ...] = ()
    coindex: str = ""
    gap_index: str = ""


@lru_cache(maxsize=65536)
def label_parts(label: str) -> LabelParts:
    """Split a label into its parts.

    Args:
        label: the label of a phrase. A label that starts with a hyphen, such as ``-NONE-``, is a
            category.
    """
    category, suffix = _WHOLE.fullmatch(label).groups()  # type: ignore[union-attr] - anything fits
    functions: list[str] = []
    coindex = gap_index = ""
    for sign, part in _PART.findall(suffix):
        if sign == "=":
            gap_index = part
        elif part.isdecimal():
            coindex = part
        else:
            functions.append(part)
    return LabelParts(category, tuple(functions), coindex, gap_index)


def category(label: str) -> str:
    """Return a label without functions and indices.

    Args:
        label: the label of a phrase.
    """
    return label_parts(label).category


_WHOLE = re.compile(r"(-.*|[^-=]*)(.*)", re.DOTALL)
_PART = re.compile(r"([-=])([^-=]*)")
