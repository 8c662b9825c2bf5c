"""Packed charts: all derivations of a sentence under a grammar, given the categories of its words.

The items of a span are its categories, or its categories with their heads: derivations of the same
category (and the same head) over the same words share an item. Items are the nodes of a hypergraph,
and each way to derive an item is a hyperedge (the disjunctive and conjunctive nodes of Tse and
Curran). The categories of a cell are the bits of an integer, so that most pairs of incompatible
cells are rejected with a single operation.

docs/decisions/0035-parsing-derivations.md describes the parser, and 0036-commas-in-charts.md how
its counts of nodes compare with those of Tse and Curran (2008).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from semipunct.models.ccg.grammar import NO_RULE, Grammar

Ints = npt.NDArray[np.int32]


class Counts(NamedTuple):
    """The size of a chart.

    Attributes:
        conjunctive: number of applications of unary and binary rules.
        total: these, plus the categories of words and the items of all spans.
        binary: number of applications of binary rules alone.
    """

    conjunctive: int
    total: int
    binary: int


@dataclass(frozen=True, slots=True)
class Forest:
    """The part of a chart that complete derivations use, as a hypergraph in topological order.

    Attributes:
        heads: ``[edges]`` the node that each hyperedge derives, from 1.
        tails: ``[edges, 2]`` its child nodes, 0 for none.
        rules: ``[edges]`` numbers of rules; ``NO_RULE`` of words.
        categories: ``[edges]`` the category of the derived node; -1 for the root.
        spans: ``[edges, 3]`` the slots before, within and after the span; the last two are the same
            for unary rules, the first two for words.
        words: ``[edges, 2]`` positions of words, from 0: the head of the derived node, and the head
            of its other child; -1 for none, and throughout if items have no heads.
        nodes: number of nodes, including node 0, which stands for none; the root is the last one.
    """

    heads: Ints
    tails: Ints
    rules: Ints
    categories: Ints
    spans: Ints
    words: Ints
    nodes: int


class Chart(NamedTuple):
    """The result of building the chart of a sentence.

    Attributes:
        forest: the forest of its derivations; None if there is none, or if the chart was too large.
        counts: the size of everything that was built.
        complete: whether the chart was completed.
    """

    forest: Forest | None
    counts: Counts
    complete: bool


class _Edges:
    """Hyperedges collected while a chart is built."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, ...]] = []
        self.nodes = 0
        self.unary = 0

    def node(self) -> int:
        self.nodes += 1
        return self.nodes


Cell = dict[int, dict[int, int]]
"""The nodes of a span by category and head."""

Taker = tuple[int, list[tuple[int, int]], dict[int, list[tuple[int, int, int]]]]
"""The right partners of a left child, as bits; its heads and nodes; and its rules by partner."""


def build(
    grammar: Grammar, candidates: Sequence[Sequence[int]], most: int, *, headed: bool = False
) -> Chart:
    """Build the chart of a sentence.

    Args:
        grammar: the grammar with the rules.
        candidates: ``[n]`` the possible categories of each word.
        most: number of hyperedges after which construction stops.
        headed: whether items with different heads are distinct.
    """
    n = len(candidates)
    edges = _Edges()
    rows = edges.rows
    cells: dict[tuple[int, int], Cell] = {}
    masks = [[0] * (n + 1) for _ in range(n + 1)]
    # By start slot, the cells that can be left children: their end, and a ``Taker`` per category.
    lefts: list[list[tuple[int, list[Taker]]]] = [[] for _ in range(n + 1)]
    words = 0
    for width in range(1, n + 1):
        for i in range(n - width + 1):
            j = i + width
            cell: Cell = {}
            if width == 1:
                head = i if headed else -1
                for category in candidates[i]:
                    node = edges.node()
                    cell[category] = {head: node}
                    rows.append((node, 0, 0, NO_RULE, category, i, i, j, head, -1))
                words += len(cell)
            else:
                _combine(edges, cell, lefts[i], masks, cells, i, j)
            if not cell:
                continue
            masks[i][j] = _unary(edges, grammar, cell, i, j)
            cells[i, j] = cell
            takers = [
                (grammar.partners[category], list(nodes.items()), grammar.binary[category])
                for category, nodes in cell.items()
                if category in grammar.partners
            ]
            if takers:
                lefts[i].append((j, takers))
        if len(rows) > most:
            return Chart(None, _counts(edges, words), complete=False)
    counts = _counts(edges, words)
    top = cells.get((0, n), {})
    finals = [(category, rule) for category, rule in grammar.roots.items() if category in top]
    if not finals:
        return Chart(None, counts, complete=True)
    root = edges.node()
    rows += (
        (root, node, 0, rule, -1, 0, n, n, head, -1)
        for category, rule in finals
        for head, node in top[category].items()
    )
    return Chart(_forest(rows, root), counts, complete=True)


def _counts(edges: _Edges, words: int) -> Counts:
    uses = len(edges.rows) - words
    return Counts(uses, len(edges.rows) + edges.nodes, uses - edges.unary)


def _combine(
    edges: _Edges,
    cell: Cell,
    lefts: list[tuple[int, list[Taker]]],
    masks: list[list[int]],
    cells: dict[tuple[int, int], Cell],
    i: int,
    j: int,
) -> None:
    # Cells were added by increasing width, so their ends increase. Plain loops over integers: cells
    # are too small, and rules too sparse, for arrays to pay.
    rows = edges.rows
    for k, takers in lefts:
        if k >= j:
            break
        mask = masks[k][j]
        if not mask:
            continue
        right = cells[k, j]
        for partners, items, results_of in takers:
            # The categories that both combine with the left one and are in the right cell; mostly
            # there are none. ``x & -x`` is the lowest of them.
            fits = partners & mask
            while fits:
                low = fits & -fits
                fits ^= low
                category = low.bit_length() - 1
                right_items = right[category].items()
                for result, rule, side in results_of[category]:
                    by_head = cell.get(result)
                    if by_head is None:
                        by_head = cell[result] = {}
                    for first, left in items:
                        for last, right_item in right_items:
                            head, filler = (last, first) if side else (first, last)
                            node = by_head.get(head)
                            if node is None:
                                node = by_head[head] = edges.node()
                            rows.append(
                                (node, left, right_item, rule, result, i, k, j, head, filler)
                            )


def _unary(edges: _Edges, grammar: Grammar, cell: Cell, i: int, j: int) -> int:
    """Apply unary rules, children before their results; return the categories as bits."""
    mask = 0
    for category in cell:
        mask |= 1 << category
    # Categories are numbered such that the results of unary rules come after their children, so the
    # lowest one waiting has all its derivations: no later rule adds to it.
    waiting = mask & grammar.unary_mask
    while waiting:
        low = waiting & -waiting
        waiting ^= low
        child = low.bit_length() - 1
        for result, rule in grammar.unary[child]:
            by_head = cell.get(result)
            if by_head is None:
                by_head = cell[result] = {}
                mask |= 1 << result
                waiting |= (1 << result) & grammar.unary_mask
            for head, below in cell[child].items():
                node = by_head.get(head)
                if node is None:
                    node = by_head[head] = edges.node()
                edges.unary += 1
                edges.rows.append((node, below, 0, rule, result, i, j, j, head, -1))
    return mask


def _forest(rows: list[tuple[int, ...]], root: int) -> Forest:
    """Keep the part reachable from the root, and renumber nodes."""
    # Hyperedges were added after those of their children, so one pass from the end suffices.
    used = {root}
    reachable: list[tuple[int, ...]] = []
    for row in reversed(rows):
        if row[0] in used:
            reachable.append(row)
            used.add(row[1])
            used.add(row[2])
    reachable.reverse()
    used.discard(0)
    number = np.zeros(root + 1, np.int32)
    number[sorted(used)] = np.arange(1, len(used) + 1)
    table = np.array(reachable, np.int32)
    return Forest(
        number[table[:, 0]],
        number[table[:, 1:3]],
        table[:, 3],
        table[:, 4],
        table[:, 5:8],
        table[:, 8:],
        len(used) + 1,
    )
