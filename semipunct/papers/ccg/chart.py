"""Packed charts: all derivations of a sentence, given the categories of its words.

Categories of spans, with or without their heads, are the nodes of a hypergraph, and applications of
rules its hyperedges (the disjunctive and conjunctive nodes of Tse and Curran 2008). The categories
of a cell are the bits of an integer, so that one operation rejects most pairs of cells. See
docs/decisions/papers.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.papers.ccg.derivations import Derivation
from semipunct.papers.ccg.grammar import NO_RULE, Grammar
from semipunct.structures.hypergraph import Hypergraphs, Layout, Room, arrange_hypergraphs, layout

Ints = npt.NDArray[np.int32]


class Counts(NamedTuple):
    """The size of a chart.

    Attributes:
        conjunctive: applications of unary and binary rules.
        total: these, categories of words, and items of spans.
        binary: applications of binary rules.
    """

    conjunctive: int
    total: int
    binary: int


@dataclass(frozen=True, slots=True)
class Forest:
    """The part of a chart that complete derivations use, as a hypergraph in topological order.

    Attributes:
        heads: ``[edges]`` the derived node, from 1.
        tails: ``[edges, 2]`` its children, 0 for none.
        rules: ``[edges]``; ``NO_RULE`` for words.
        categories: ``[edges]`` category of the derived node; -1 for the root.
        spans: ``[edges, 3]`` slots before, within and after the span; the last two are equal for
            unary rules, the first two for words.
        words: ``[edges, 2]`` head of the derived node and of its other child, from 0, or -1.
        nodes: number of nodes, with the unused node 0; the root is the last.
    """

    heads: Ints
    tails: Ints
    rules: Ints
    categories: Ints
    spans: Ints
    words: Ints
    nodes: int


class Chart(NamedTuple):
    """The chart of a sentence; ``complete`` unless it became too large."""

    forest: Forest | None
    counts: Counts
    complete: bool


class _Edges:
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
"""Right partners of a left child, as bits; its heads and nodes; and its rules by partner."""


def build(
    grammar: Grammar, candidates: Sequence[Sequence[int]], most: int, *, headed: bool = False
) -> Chart:
    """Build the chart of a sentence.

    Args:
        grammar: categories and rules.
        candidates: ``[n]`` categories of each word.
        most: number of hyperedges after which construction stops.
        headed: whether items with different heads are distinct.
    """
    n = len(candidates)
    edges = _Edges()
    rows = edges.rows
    cells: dict[tuple[int, int], Cell] = {}
    masks = [[0] * (n + 1) for _ in range(n + 1)]
    # The cells that can be left children, by start: their end, and a ``Taker`` for each category.
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
    # Cells were added by increasing width, so their ends increase. Loops over integers are faster
    # than arrays here: cells are small and rules sparse.
    rows = edges.rows
    for k, takers in lefts:
        if k >= j:
            break
        mask = masks[k][j]
        if not mask:
            continue
        right = cells[k, j]
        for partners, items, results_of in takers:
            # Categories in the right cell that combine with the left one; mostly there are none.
            # ``x & -x`` is the lowest bit.
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
    # The result of a unary rule has a larger number than its child, so the lowest waiting category
    # has all its derivations.
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
    # Hyperedges follow the hyperedges of their children, so one pass from the end suffices.
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


BUCKETS = 2**17
"""Number of hash buckets for features of head words."""

DISTANCES = (1, 2, 4, 8)
"""Upper bounds of the classes of distances between two heads, in either direction."""

PLACES = ("before", "first", "left", "right", "last", "after")
"""Tags of rule features: outside and inside both edges of the span, and at the split."""


class GoldForest(NamedTuple):
    """A forest with its layout; ``gold`` marks the gold derivation."""

    forest: Forest
    layout: Layout
    gold: npt.NDArray[np.bool_]

    @property
    def size(self) -> tuple[int, ...]:
        return len(self.gold), *self.layout.room

    @classmethod
    def of(cls, forest: Forest, gold: npt.NDArray[np.bool_] | None = None) -> GoldForest:
        laid_out = layout(forest.heads, forest.tails, forest.nodes - 1)
        return cls(forest, laid_out, np.zeros(len(forest.heads), bool) if gold is None else gold)


def padded_codes(codes: Any, lengths: Any, outside: int) -> Any:
    """Surround the codes of each sentence, ``[batch, length + 2]``, with an outside code."""
    xp = jnp if isinstance(codes, jax.Array) else np
    inside = xp.arange(codes.shape[1]) < lengths[:, None]
    return xp.pad(xp.where(inside, codes, outside), ((0, 0), (1, 1)), constant_values=outside)


def outside_tag(weights: Mapping[str, Any]) -> int:
    """Return the tag code outside of a sentence."""
    return weights[f"rule.{PLACES[0]}"].shape[1] - 1


def head_weights(weights: Mapping[str, Any], tags: Any, forms: Any, rules: Any, words: Any) -> Any:
    """Return ``[batch, edges]`` the log weights of head features (Clark and Curran 2007).

    Features with words are hashed. All arrays are JAX or numpy arrays, with ``tags`` and ``forms``
    from ``padded_codes``, ``rules`` and ``words`` as in ``Forests``.
    """
    xp = jnp if isinstance(weights["rule"], jax.Array) else np
    item = xp.arange(len(tags))[:, None]
    head, second = words[..., 0] + 1, words[..., 1] + 1
    away = xp.where(second > 0, second - head, 0)
    # 0 without a second head; 1 to 5 if it is on the right, 6 to 10 on the left.
    steps = 1 + sum((xp.abs(away) > bound) * 1 for bound in DISTANCES)
    distance = xp.where(away == 0, 0, xp.where(away > 0, steps, steps + len(DISTANCES) + 1))
    own_tag, other_tag = tags[item, head], tags[item, second]
    head_form, second_form = forms[item, head], forms[item, second]
    side = away > 0
    score = weights["rule.head"][rules, own_tag]
    score = score + weights["rule.other"][rules, other_tag]
    score = score + weights["rule.distance"][rules, distance]
    for kind, parts in enumerate(
        (
            (rules, own_tag, other_tag),
            (rules, head_form),
            (rules, second_form),
            (side, head_form, other_tag),
            (side, own_tag, second_form),
            (side, head_form, second_form),
        )
    ):
        score = score + weights["rule.words"][_bucket(xp, kind, parts)]
    return xp.where(rules == NO_RULE, 0.0, score)


def _bucket(xp: Any, kind: int, parts: Sequence[Any]) -> Any:
    """Hash numbers with Fowler-Noll-Vo over whole numbers instead of bytes."""
    hash_value = xp.full(parts[0].shape, 2166136261 ^ kind, xp.uint32)
    for part in parts:
        hash_value = (hash_value ^ part.astype(xp.uint32)) * xp.uint32(16777619)
        hash_value = hash_value ^ (hash_value >> xp.uint32(15))
    return (hash_value % xp.uint32(BUCKETS)).astype(xp.int32)


def edge_weights(
    weights: Mapping[str, Any], tags: Any, rules: Any, categories: Any, spans: Any, leaves: Any
) -> Any:
    """Return ``[batch, edges]`` the log weights of hyperedges.

    Arguments are as for ``head_weights``; ``leaves`` are the log probabilities of lexical
    categories.
    """
    xp = jnp if isinstance(leaves, jax.Array) else np
    item = xp.arange(len(tags))[:, None]
    i, k, j = spans[..., 0], spans[..., 1], spans[..., 2]
    at = {"before": i, "first": i + 1, "left": k, "right": k + 1, "last": j, "after": j + 1}
    score = weights["rule"][rules]
    for place in PLACES:
        tag = tags[item, xp.minimum(at[place], tags.shape[1] - 1)]
        score = score + weights[f"rule.{place}"][rules, tag]
    leaf = leaves[item, xp.minimum(i, leaves.shape[1] - 1), xp.maximum(categories, 0)]
    return xp.where(rules == NO_RULE, weights["leaf"] * leaf, score)


class Forests(NamedTuple):
    """Padded forests, ``[batch, edges, ...]``, as in ``Forest``.

    Attributes:
        graph: hypergraphs with zero weights.
        categories: indices among the lexical categories; -1 except for words.
        gold: hyperedges of the gold derivation.
    """

    graph: Hypergraphs
    rules: Any
    categories: Any
    spans: Any
    words: Any
    gold: Any


EMPTY = layout(np.zeros(0, np.int32), np.zeros((0, 2), np.int32), 0)


def leaf_places(forest: Forest, lexical: Sequence[int]) -> npt.NDArray[np.int32]:
    """Return ``[edges]`` the index of a word's category among the lexical ones, or -1."""
    place = np.full(max(lexical) + 1, -1, np.int32)
    place[list(lexical)] = np.arange(len(lexical))
    places = np.full(len(forest.rules), -1, np.int32)
    words = forest.rules == NO_RULE
    places[words] = place[forest.categories[words]]
    return places


def stack_forests(
    forests: Sequence[GoldForest | None],
    lexical: Sequence[int],
    size: int,
    padded: tuple[int, ...] | None = None,
) -> Forests:
    """Pad the forests of a batch, by default to the largest."""
    least_size = np.max(
        [gold_forest.size for gold_forest in forests if gold_forest] or [(1, 1, 1, 1)], 0
    ).tolist()
    width, *levels = least_size if padded is None else padded
    rules = np.zeros((size, width), np.int32)
    categories = np.full((size, width), -1, np.int32)
    spans = np.zeros((size, width, 3), np.int32)
    words = np.full((size, width, 2), -1, np.int32)
    gold = np.zeros((size, width), bool)
    layouts, lengths = [EMPTY] * size, np.zeros(size, np.int32)
    for row, gold_forest in enumerate(forests):
        if gold_forest is None:
            continue
        forest, n = gold_forest.forest, len(gold_forest.gold)
        rules[row, :n], spans[row, :n], gold[row, :n] = forest.rules, forest.spans, gold_forest.gold
        words[row, :n] = forest.words
        categories[row, :n] = leaf_places(forest, lexical)
        layouts[row], lengths[row] = gold_forest.layout, n
    weights = np.zeros((size, width), np.float32)
    graph = arrange_hypergraphs(jnp.asarray(weights), layouts, lengths, Room(*levels))
    return Forests(graph, rules, categories, spans, words, gold)


def gold_edges(grammar: Grammar, forest: Forest, tree: Derivation) -> npt.NDArray[np.bool_] | None:
    """Return ``[edges]`` the hyperedges of a derivation, or None if the forest lacks it."""
    left, right = tree.edges
    number = [grammar.number.get(name, -1) for name in tree.categories]
    headed = bool((forest.words >= 0).any())
    heads = [-1] * len(number)
    gold_rows: set[tuple[int, ...]] = set()
    for node in range(len(number) - 1, -1, -1):  # children come after their parents
        children, i, j = tree.children[node], left[node], right[node]
        if not children:
            heads[node] = i if headed else -1
            gold_rows.add((NO_RULE, number[node], i, i, j, heads[node], -1))
            continue
        first, *further = children
        key = number[node], number[first], number[further[0]] if further else -1
        rule, second_head = grammar.rule_number.get(key, -1), -1
        heads[node] = heads[first]
        if further:
            pair = heads[first], heads[further[0]]
            side = grammar.rules[rule - 1].head if rule > 0 else 0
            heads[node], second_head = pair[side], pair[1 - side]
        gold_rows.add((rule, number[node], i, right[first], j, heads[node], second_head))
    root = grammar.rule_number.get((-1, number[0], -1), -1)
    gold_rows.add((root, -1, 0, tree.words, tree.words, heads[0], -1))
    columns = (*forest.spans.T.tolist(), *forest.words.T.tolist())
    rows = zip(forest.rules.tolist(), forest.categories.tolist(), *columns, strict=True)
    is_gold = np.array([row in gold_rows for row in rows])
    return is_gold if int(is_gold.sum()) == len(gold_rows) else None
