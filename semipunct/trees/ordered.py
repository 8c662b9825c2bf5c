"""Ordered trees: trees over words with nodes in preorder.

The depths determine the tree, so equal trees are equal values, and pruning selects nodes
(docs/decisions/0028-trees-of-other-kinds.md).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from semipunct.trees.tree import Tree
from semipunct.wording import quantity

_SHOWN = 12  # nodes in the repr of a tree


@dataclass(frozen=True, repr=False)
class OrderedTree(Tree):
    """A tree whose leaves are its words: phrase-structure trees and derivations.

    Nodes are numbered in preorder: a node before its children, and all its descendants before its
    next sibling. The depths of the nodes in that order determine the tree, so equal trees are equal
    values. Every node dominates a word.

    Attributes:
        depths: ``[nodes]`` the number of ancestors of each node; 0 only for the root.
        categories: ``[nodes]`` the label of each node; of a leaf, its part of speech or category.

    Raises:
        ValueError: if there are no nodes, a depth is invalid, or the number of labels differs from
            that of nodes.
    """

    depths: tuple[int, ...]
    categories: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.depths or len(self.depths) != len(self.categories):
            raise ValueError(
                f"{quantity(len(self.depths), 'depth')} and "
                f"{quantity(len(self.categories), 'label')}; a tree needs at least one node, and "
                "one label per node"
            )
        before = -1
        for node, depth in enumerate(self.depths):
            if not min(node, 1) <= depth <= before + 1:
                raise ValueError(
                    f"node {node} has depth {depth} after one of depth {before}; a node is at most "
                    "one deeper than the one before it, and only the first has depth 0"
                )
            before = depth

    @property
    def labels(self) -> tuple[str, ...]:
        return self.categories

    @property
    def data(self) -> tuple[tuple[str | int, ...], ...]:
        return self.categories, self.depths

    @property
    def words(self) -> int:
        return len(self.leaves)

    @property
    def parents(self) -> tuple[int, ...]:
        return self._parents

    @cached_property
    def _parents(self) -> tuple[int, ...]:
        path: list[int] = []  # the ancestors and the node itself
        parents: list[int] = []
        for node, depth in enumerate(self.depths):
            del path[depth:]
            parents.append(path[-1] if path else -1)
            path.append(node)
        return tuple(parents)

    @cached_property
    def leaves(self) -> tuple[int, ...]:
        """``[n]`` the node of each word, from left to right."""
        after = (*self.depths[1:], 0)
        pairs = zip(self.depths, after, strict=True)
        return tuple(node for node, (depth, next_one) in enumerate(pairs) if next_one <= depth)

    @property
    def anchors(self) -> tuple[int, ...]:
        return self._anchors

    @cached_property
    def _anchors(self) -> tuple[int, ...]:
        anchors = [0] * len(self.depths)
        for word, node in enumerate(self.leaves, start=1):
            anchors[node] = word
        return tuple(anchors)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """``[nodes]`` the children of each node, from left to right."""
        children: list[list[int]] = [[] for _ in self.depths]
        for node, parent in enumerate(self._parents):
            if parent >= 0:
                children[parent].append(node)
        return tuple(map(tuple, children))

    @property
    def tags(self) -> tuple[str, ...]:
        """``[n]`` the labels of the leaves."""
        return tuple(self.categories[node] for node in self.leaves)

    def __repr__(self) -> str:
        pieces = bracket_pieces(self.depths[:_SHOWN], self.categories[:_SHOWN], ())
        more = " ..." if len(self.depths) > _SHOWN else ""
        return f"<{type(self).__name__} of {quantity(self.words, 'word')}: {''.join(pieces)}{more}>"


def bracket_pieces(depths: Sequence[int], labels: Sequence[str], forms: Iterable[str]) -> list[str]:
    """Write nodes in one line of brackets; return for each node the text up to the next node.

    Args:
        depths: ``[nodes]`` the depths in preorder.
        labels: ``[nodes]``.
        forms: the forms of the leaves, or empty.
    """
    spelt = iter(forms)
    pieces: list[str] = []
    for node, (depth, label) in enumerate(zip(depths, labels, strict=True)):
        last = node + 1 == len(depths)
        ends = depth - (depths[0] if last else depths[node + 1]) + 1
        word = next(spelt, "") if ends > 0 or last else ""
        inside = f"({label} {word}" if word else f"({label}"
        pieces.append(inside + ")" * ends + ("" if last else " "))
    return pieces
