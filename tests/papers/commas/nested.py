"""Trees as nested lists, read from brackets: an independent oracle for trees in arrays.

A phrase is ``[label, child, ...]``, a leaf ``[tag, form]``.
"""

import re
from typing import Any

from hypothesis import strategies as st

Nested = list[Any]


def nested(text: str) -> Nested:
    """Return the only tree of a text."""
    top: Nested = []
    stack: list[Nested] = [top]
    before = ""
    for piece in re.findall(r"[()]|[^() \n]+", text):
        if piece == "(":
            if before == "(":  # a bracket without a label
                stack[-1].append("")
            stack[-1].append([])
            stack.append(stack[-1][-1])
        elif piece == ")":
            stack.pop()
        else:
            stack[-1].append(piece)
        before = piece
    return top[0]


def brackets(tree: Nested) -> str:
    """Format a tree in one line of brackets."""
    parts = (part if isinstance(part, str) else brackets(part) for part in tree[1:])
    return f"({' '.join((tree[0], *parts))})"


def leaves(tree: Nested) -> list[tuple[str, str]]:
    """Return tags and forms."""
    if isinstance(tree[1], str):
        return [(tree[0], tree[1])]
    return [leaf for child in tree[1:] for leaf in leaves(child)]


def without(tree: Nested, tags: set[str]) -> Nested | None:
    """Return the tree without some leaves, and without nodes that become empty."""
    if isinstance(tree[1], str):
        return None if tree[0] in tags else tree
    remaining = [child for child in (without(c, tags) for c in tree[1:]) if child]
    return [tree[0], *remaining] if remaining else None


def constituents(tree: Nested, start: int = 0) -> list[tuple[str, int, int]]:
    """Return label, start and end of every node, including leaves, outer ones first."""
    nodes: list[tuple[str, int, int]] = []
    end = start
    for child in tree[1:]:
        if isinstance(child, str):
            end += 1
        else:
            nodes += constituents(child, end)
            end = nodes and max(e for _, _, e in nodes)
    return [(tree[0], start, end), *nodes]


LABELS = st.sampled_from(["S", "NP", "NP-SBJ-1", "VP", "PRT|ADVP", "X=2"])
TAGS = st.sampled_from(["NN", "VBD", ",", ".", "-NONE-", "CC", "POS", "-LRB-"])
FORMS = st.sampled_from(["a", "b", "*T*-1", "-LRB-", "é", "\u00a0", "x:y", "1\\/2"])

nested_trees: st.SearchStrategy[Nested] = st.recursive(
    st.tuples(TAGS, FORMS).map(list),
    lambda inner: st.tuples(LABELS, st.lists(inner, min_size=1, max_size=4)).map(
        lambda pair: [pair[0], *pair[1]]
    ),
    max_leaves=10,
)
"""Trees, including single leaves."""
