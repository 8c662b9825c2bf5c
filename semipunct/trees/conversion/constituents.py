"""Constituents of a tree during conversion, with the elements extracted from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from semipunct.marks.penn import MARK_TAGS
from semipunct.trees.labels import EMPTY, label_parts
from semipunct.trees.phrases import PhraseTree

QUOTES = frozenset(("``", "''"))
"""The tags of quotation marks."""

_TRACE = "*T*-"


class Unconverted(Exception):
    """Raised for a construction without a known analysis, which the message names."""


@dataclass(eq=False, slots=True)
class Constituent:
    """A phrase, a word or a mark.

    Attributes:
        label: the label without functions and indices; for a leaf, its part of speech.
        functions: function tags, such as ``SBJ``.
        children: from left to right; empty for a leaf.
        word: the number of a leaf among those that are kept, from 1; 0 for a phrase.
        form: the form of a leaf.
        index: the index shared with empty elements; empty if there is none.
        gap_index: the index of a constituent that, in gapping, has the role of another.
        traces: the elements extracted from the phrase itself, by index: the label and functions of
            the empty child.
        open: the indices of ``traces`` here and below.
        binder: the index of a relative or interrogative phrase among the children, even if it is
            empty.
        coordinated: whether it consists of conjuncts and the elements between them.
        head: the head child, if it was chosen beforehand.
    """

    label: str
    functions: frozenset[str] = frozenset()
    children: list[Constituent] = field(default_factory=list["Constituent"])
    word: int = 0
    form: str = ""
    index: str = ""
    gap_index: str = ""
    traces: dict[str, tuple[str, frozenset[str]]] = field(
        default_factory=dict[str, tuple[str, frozenset[str]]]
    )
    open: set[str] = field(default_factory=set[str])
    binder: str = ""
    coordinated: bool = False
    head: Constituent | None = None

    @property
    def is_leaf(self) -> bool:
        """Return whether it is a word or a mark."""
        return self.word > 0

    @property
    def is_mark(self) -> bool:
        """Return whether it is a mark."""
        return self.is_leaf and self.label in MARK_TAGS

    @property
    def is_comma(self) -> bool:
        """Return whether it is a comma."""
        return self.is_leaf and self.label == ","

    def regroup(self, children: list[Constituent], head: Constituent | None) -> Constituent:
        """Return a constituent of the same label around others.

        Args:
            children: the children of the new constituent.
            head: the head child, or None.
        """
        group = Constituent(self.label, self.functions, children, head=head)
        group.open = set[str]().union(*(child.open for child in children))
        return group


def constituents(
    tree: PhraseTree, forms: Sequence[str], *, quotes: bool
) -> tuple[Constituent, tuple[int, ...]]:
    """Build the constituents of a tree, without its empty elements.

    Args:
        tree: a tree with all its leaves.
        forms: ``[n]``.
        quotes: whether quotation marks are kept.

    Returns:
        The root, and the leaves of the tree, 1 to n, that remain.

    Raises:
        Unconverted: if no word remains.
    """
    nodes: list[Constituent] = []
    words_of_leaves: list[int] = []
    for label, anchor in zip(tree.categories, tree.anchors, strict=True):
        if anchor:
            form = forms[anchor - 1]
            silent = label == EMPTY or (label in QUOTES and not quotes)
            if not silent:
                words_of_leaves.append(anchor)
            nodes.append(Constituent(label, word=0 if silent else len(words_of_leaves), form=form))
            continue
        parts = label_parts(label)
        name = parts.category.partition("|")[0]
        nodes.append(
            Constituent(
                name,
                frozenset(parts.functions),
                index=parts.coindex,
                gap_index=parts.gap_index,
            )
        )
    for node in range(len(nodes) - 1, 0, -1):  # children come after their parents
        child, parent = nodes[node], nodes[tree.parents[node]]
        child.children.reverse()
        _join(child, parent, is_leaf=bool(tree.anchors[node]))
    root = nodes[0]
    root.children.reverse()
    if not root.children and not root.is_leaf:
        raise Unconverted("no words")
    while not root.label and len(root.children) == 1:
        root = root.children[0]
    return root, tuple(words_of_leaves)


def _join(child: Constituent, parent: Constituent, *, is_leaf: bool) -> None:
    """Add a child to its parent, from right to left, unless it is empty."""
    if child.label.startswith("WH") and child.index:
        parent.binder = child.index
    parent.open |= child.open
    if child.is_leaf or child.children:
        parent.children.append(child)
    elif is_leaf and child.label == EMPTY and child.form.startswith(_TRACE):
        index = child.form[len(_TRACE) :]
        parent.traces[index] = parent.label, parent.functions
        parent.open.add(index)
    elif not is_leaf:  # a phrase that contained only a trace becomes a trace
        for index in child.traces:
            parent.traces[index] = child.label, child.functions


def preorder(root: Constituent) -> Iterator[Constituent]:
    """Yield a constituent and all below it, each before its children."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.children)
