"""Trees over the words of a sentence: parents, order, edges of constituents, junctions at slots.

A sentence of n words has slots 0 to n; slot i is right of word i. Nodes are numbered from 0.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeVar

from semipunct.wording import quantity

T = TypeVar("T")

_SHOWN = 12  # arcs in the repr of a tree


class Junction(NamedTuple):
    """The nodes whose constituents meet at a slot, in the order of their punctemes.

    Attributes:
        ending: those whose constituents end there, innermost first.
        starting: those whose constituents start there, outermost first.
    """

    ending: tuple[int, ...]
    starting: tuple[int, ...]


class Tree(ABC):
    """A tree whose nodes dominate words; a node may have no word of its own."""

    @property
    @abstractmethod
    def words(self) -> int:
        """The number of words."""

    @property
    @abstractmethod
    def parents(self) -> Sequence[int]:
        """``[nodes]`` the parent of each node, -1 for the root."""

    @property
    @abstractmethod
    def anchors(self) -> Sequence[int]:
        """``[nodes]`` the word (1 to n) of each node, 0 for none."""

    @property
    @abstractmethod
    def labels(self) -> Sequence[str]:
        """``[nodes]`` the relation or category of each node."""

    @property
    def data(self) -> tuple[tuple[str | int, ...], ...]:
        """Plain values that identify the tree."""
        return tuple(self.labels), tuple(self.parents), tuple(self.anchors)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """All nodes, parents before children."""
        children: list[list[int]] = [[] for _ in range(len(self.parents) + 1)]
        parents = self.parents
        for node, parent in enumerate(parents):
            children[parent].append(node)
        order = list(children[-1])
        for node in order:  # grows while it is read: breadth first without recursion
            order.extend(children[node])
        return tuple(order)

    @cached_property
    def edges(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """``[nodes]`` each: the slots left and right of each constituent."""
        left = [anchor - 1 if anchor else self.words for anchor in self.anchors]
        right = list(self.anchors)
        parents = self.parents
        for node in reversed(self.order):
            parent = parents[node]
            if parent >= 0:
                left[parent] = min(left[parent], left[node])
                right[parent] = max(right[parent], right[node])
        return tuple(left), tuple(right)

    @property
    def left(self) -> tuple[int, ...]:
        """``[nodes]`` the slot before each constituent."""
        return self.edges[0]

    @property
    def right(self) -> tuple[int, ...]:
        """``[nodes]`` the slot after each constituent."""
        return self.edges[1]

    @cached_property
    def junctions(self) -> tuple[Junction, ...]:
        """``[n + 1]`` the nodes that meet at each slot of a projective tree."""
        ending: list[list[int]] = [[] for _ in range(self.words + 1)]
        starting: list[list[int]] = [[] for _ in range(self.words + 1)]
        # Constituents that share an edge are nested, so they follow the order of the tree.
        left, right = self.edges
        for node in self.order:
            starting[left[node]].append(node)
        for node in reversed(self.order):
            ending[right[node]].append(node)
        pairs = zip(ending, starting, strict=True)
        return tuple(Junction(tuple(ends), tuple(starts)) for ends, starts in pairs)

    def gather(self, sides: Sequence[tuple[Sequence[T], Sequence[T]]]) -> list[list[T]]:
        """Concatenate strings at the edges of constituents, such as punctemes, by slot.

        Args:
            sides: ``[nodes]`` the strings of each node at its left and at its right edge.

        Returns:
            ``[n + 1]`` strings, in the order of a ``Junction``.
        """
        strings: list[list[T]] = [[] for _ in range(self.words + 1)]
        left, right = self.edges
        for node in reversed(self.order):
            strings[right[node]].extend(sides[node][1])
        for node in self.order:
            strings[left[node]].extend(sides[node][0])
        return strings


@dataclass(frozen=True, repr=False)
class DependencyTree(Tree):
    """A dependency tree: node i is word i + 1.

    Attributes:
        heads: ``[n]``, 1 to n, or 0 for the root.
        relations: ``[n]`` labels of arcs.
    """

    heads: tuple[int, ...]
    relations: tuple[str, ...]

    @property
    def words(self) -> int:
        return len(self.heads)

    @property
    def parents(self) -> tuple[int, ...]:
        return self._parents

    @cached_property
    def _parents(self) -> tuple[int, ...]:
        return tuple(head - 1 for head in self.heads)

    @property
    def anchors(self) -> Sequence[int]:
        return range(1, len(self.heads) + 1)

    @property
    def labels(self) -> tuple[str, ...]:
        return self.relations

    @property
    def data(self) -> tuple[tuple[str, ...], tuple[int, ...]]:
        return self.relations, self.heads

    @property
    def root(self) -> int:
        """The word (1 to n) without a head."""
        return self.heads.index(0) + 1

    def __repr__(self) -> str:
        arcs = [f"{head} {name}" for head, name in zip(self.heads, self.relations, strict=True)]
        shown = arcs if len(arcs) <= _SHOWN else [*arcs[:_SHOWN], "..."]
        return f"<DependencyTree of {quantity(len(arcs), 'word')}: {', '.join(shown)}>"


def tree_fault(heads: Sequence[int]) -> tuple[int, str] | None:
    """Return an invalid word (1 to n) and its fault if heads do not form a tree, or None."""
    n = len(heads)
    root = 0
    for word, head in enumerate(heads, start=1):
        if head < 0 or head > n:
            return word, f"its HEAD {head} is not a word of the sentence (0 to {n})"
        if head == word:
            return word, f"its HEAD is itself ({head})"
        if head == 0:
            if root:
                return word, f"it is a second root (HEAD 0) beside word {root}"
            root = word
    # 0 if unvisited, otherwise the start of the walk that visited the word.
    seen = [0] * (n + 1)
    seen[0] = -1
    for word in range(1, n + 1):
        node = word
        while not seen[node]:
            seen[node] = word
            node = heads[node - 1]
        if seen[node] == word:
            return node, f"it is on a cycle of HEADs ({_cycle(heads, node)})"
    return None if root else (1, "no word of the sentence is the root (HEAD 0)")


def _cycle(heads: Sequence[int], start: int) -> str:
    words = [start]
    while heads[words[-1] - 1] != start:
        words.append(heads[words[-1] - 1])
    shown = words if len(words) <= 8 else words[:7]
    return " to ".join([*map(str, shown), *(["..."] if shown is not words else []), str(start)])
