"""Tries of labels, which share computation for common prefixes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class Level(NamedTuple):
    """The trie nodes of one depth.

    Attributes:
        symbol: ``[nodes]`` the last symbol of each.
        parent: ``[nodes]`` the index of its parent in the level above.
    """

    symbol: np.ndarray
    parent: np.ndarray


class Trie(NamedTuple):
    """A trie of labels.

    Nodes are numbered level by level; the root (the empty label) is 0.

    Attributes:
        levels: the levels from depth one on.
        label: ``[labels]`` the node of each label.
    """

    levels: tuple[Level, ...]
    label: np.ndarray

    @property
    def nodes(self) -> int:
        """The number of nodes, the root included."""
        return 1 + sum(len(level.symbol) for level in self.levels)

    @classmethod
    def of(cls, labels: Sequence[tuple[int, ...]]) -> Trie:
        """Build the trie of ``labels`` from their first symbol on."""
        number: dict[tuple[int, ...], int] = {(): 0}
        levels: list[Level] = []
        above = 0
        for depth in range(1, max((len(label) for label in labels), default=0) + 1):
            nodes = sorted({label[:depth] for label in labels if len(label) >= depth})
            parents = [number[node[:-1]] - above for node in nodes]
            above = len(number)
            number.update((node, above + i) for i, node in enumerate(nodes))
            symbols = np.array([node[-1] for node in nodes], np.int32)
            levels.append(Level(symbols, np.array(parents, np.int32)))
        return cls(tuple(levels), np.array([number[label] for label in labels], np.int32))
