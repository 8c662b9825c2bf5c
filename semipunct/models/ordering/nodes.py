"""The nodes of a tree that are reordered: nouns and verbs with dependents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from semipunct.trees import DependencyTree

HEADS = ("NOUN", "PROPN", "PRON", "VERB")
"""Universal tags of the nodes whose dependents are reordered."""

MOST_ITEMS = 12
"""Nodes with more items, the head included, are not reordered: the sums would take too long."""


class Node(NamedTuple):
    """A head and its dependents.

    Attributes:
        head: a word, 1 to n.
        items: the head and its dependents, in the order of the words.
    """

    head: int
    items: tuple[int, ...]


class Nodes(NamedTuple):
    """The nodes of a tree.

    Attributes:
        ordered: nodes with 2 to ``MOST_ITEMS`` items.
        long: the number of nodes with more items.
    """

    ordered: tuple[Node, ...]
    long: int


def nodes_of(tree: DependencyTree, upos: Sequence[str]) -> Nodes:
    """Find the nouns and verbs that have dependents, in the order of the words.

    Args:
        tree: a projective tree, so that reordering items means reordering constituents.
        upos: ``[n]`` universal tags.
    """
    items: dict[int, list[int]] = {}
    for word, head in enumerate(tree.heads, start=1):
        if head and upos[head - 1] in HEADS:
            items.setdefault(head, []).append(word)
    ordered: list[Node] = []
    long = 0
    for head, dependents in sorted(items.items()):
        if len(dependents) < MOST_ITEMS:
            ordered.append(Node(head, tuple(sorted([head, *dependents]))))
        else:
            long += 1
    return Nodes(tuple(ordered), long)
