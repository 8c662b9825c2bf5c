"""The structures under test: one registry line each, and the enumeration of their derivations.

`test_conformance` makes every check of every case. A case provides a small batch with items of
every length, and the list of all derivations of an item, computed without the library.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.structures.automata.machine import EPSILON, automaton
from semipunct.structures.automata.paths import PathParts, string_paths
from semipunct.structures.base import Structure
from semipunct.structures.chain import ChainParts, linear_chain
from semipunct.structures.given_tree import Capacity, GivenTrees, Pairs, absorptions, pack, place
from semipunct.structures.grammar import GrammarParts, pcfg
from semipunct.structures.hypergraph import NOTHING, hypergraphs
from semipunct.structures.permutations import OrderingParts, linear_orderings
from semipunct.structures.phrases import PhraseMarkParts, phrase_marks
from semipunct.structures.projective import ArcParts, projective_trees
from semipunct.structures.semi_markov import SemiMarkovParts, semi_markov_chain
from semipunct.structures.spans import SpanParts, span_trees
from semipunct.structures.testing import Event
from tests.oracle import constituent_slots, underlying_slots
from tests.structures.known import LENGTHS, SPARSE, Known, zeros
from tests.structures.lattices import ALIGNMENTS, CTC, TRANSDUCER
from tests.structures.matrices import Dense

STATES = 5


def states_of(item: int) -> list[Iterable[int]]:
    """Return the states at each position; the sparse item has two at even ones, else one."""
    if item != SPARSE:
        return [range(STATES)] * LENGTHS[item]
    return [{p % STATES, (p + 2) % STATES if p % 2 == 0 else p % STATES} for p in range(9)]


def chain_build(method: Any, *, shared: bool) -> Structure:
    batch, longest = len(LENGTHS), max(LENGTHS)
    steps = (1, 1) if shared else (batch, longest - 1)
    emission = np.zeros((batch, longest, STATES))
    for position, states in enumerate(states_of(SPARSE)):
        emission[SPARSE, position, [x for x in range(STATES) if x not in states]] = -np.inf
    return linear_chain(
        jnp.asarray(emission),
        zeros(*steps, STATES, STATES),
        jnp.array(LENGTHS),
        method,
    )


def chain_events(item: int) -> Iterator[Event]:
    """Return all sequences of states."""
    longest = max(LENGTHS)
    for states in itertools.product(*states_of(item)):
        emission = np.zeros((longest, STATES))
        transition = np.zeros((longest - 1, STATES, STATES))
        for position, state in enumerate(states):
            emission[position, state] = 1
        for position, (before, after) in enumerate(itertools.pairwise(states)):
            transition[position, before, after] = 1
        yield Event(ChainParts(emission, transition))


def chain(name: str, method: str, *, shared: bool) -> Known:
    build = partial(chain_build, method, shared=shared)
    return Known(
        name, build, chain_events, lengths=LENGTHS, count=lambda length: STATES**length,
        scans=method == "sequential",
    )  # fmt: skip


TREES = ((), (0,), (2, 0), (3, 3, 0), (0, 1, 2, 6, 6, 1, 6, 9, 7))
"""Heads of each given tree; nodes of the last one, which is sparse, have one or two pairs."""
LABELS = ((), ("a",), ("b",))
PAIRS = ((0, 0), (0, 1), (1, 0), (2, 1), (2, 2))
"""Left and right label of each pair that a node can choose."""
SLOTS = 4
SLOTS_OF_TREE = ((2,), (1, 3), (2, 1, 1), (1, 2, 3, 2), (3, 1, 2, 1, 1, 2, 3, 3, 1, 2))
"""The automaton at each slot of each tree; 0, that of the empty slot, would permit one choice."""


@cache
def slot_automata() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Create log weights of deterministic automata that accept every string with one path."""
    generator = np.random.default_rng(5)
    matrix = np.full((SLOTS, len(LABELS), 2, 2), -np.inf)
    start = np.full((SLOTS, 2), -np.inf)
    end = generator.normal(0, 1, (SLOTS, 2))
    start[:, 0] = generator.normal(0, 1, SLOTS)
    matrix[:, 0] = np.where(np.eye(2), 0.0, -np.inf)
    for slot, label, state in np.ndindex(SLOTS - 1, len(LABELS) - 1, 2):
        target = generator.integers(2)
        matrix[slot + 1, label + 1, state, target] = generator.normal(0, 1)
    start[0, 0] = end[0, 0] = 0.0
    end[0, 1] = -np.inf
    return matrix, start, end


def tree_build() -> Structure:
    words = sum(map(len, TREES))
    capacity = Capacity(len(TREES), words=words, slots=SLOTS, steps=20, lanes=(2,), factors=9)
    programs = []
    for heads in TREES:
        edges = np.array(constituent_slots(heads), np.int32).reshape(-1, 2)
        programs.append(absorptions(heads, edges[:, 0], edges[:, 1], [False] * (len(heads) + 1)))
    placement = place(programs, [np.zeros(len(p.kid), np.int32) for p in programs], capacity.lanes)
    numbers = [np.array(s, np.int32) for s in SLOTS_OF_TREE]
    left, right = np.array(PAIRS).T
    weights = np.full((words, len(PAIRS)), -np.inf)
    for item in range(len(TREES)):
        for row, pairs in zip(weights[tree_rows(item)], pairs_of(item), strict=True):
            row[list(pairs)] = 0
    return GivenTrees(
        jnp.asarray(weights),
        None,
        Pairs.of(left, right, len(LABELS)),
        Dense(*(jnp.asarray(x) for x in slot_automata())),
        pack(programs, numbers, placement, capacity),
        np.zeros(len(TREES), np.float32),
    )


def pairs_of(item: int) -> list[Iterable[int]]:
    """Return the pairs of each node."""
    if item != len(TREES) - 1:
        return [range(len(PAIRS))] * len(TREES[item])
    return [{i % 5, (i + 2) % 5 if i % 2 == 0 else i % 5} for i in range(len(TREES[item]))]


def tree_events(item: int) -> Iterator[Event]:
    """Return all choices of a pair for each node, weighted by the strings that they form."""
    matrix, start, end = slot_automata()
    names = [(LABELS[left], LABELS[right]) for left, right in PAIRS]
    heads = TREES[item]
    for chosen in itertools.product(*pairs_of(item)):
        strings = underlying_slots(heads, [names[p] for p in chosen], False, False)
        aside = 0.0
        for slot, string in zip(SLOTS_OF_TREE[item], strings, strict=True):
            state, aside = 0, aside + start[slot, 0]
            for token in string:
                row = matrix[slot, LABELS.index((token,)), state]
                state, aside = int(row.argmax()), aside + row.max()
            aside += end[slot, state]
        parts = np.zeros((len(heads), len(PAIRS)))
        parts[np.arange(len(heads)), list(chosen)] = 1
        yield Event(parts, aside)


def tree_rows(item: int) -> slice:
    first = sum(map(len, TREES[:item]))
    return slice(first, first + len(TREES[item]))


def heads_of(item: int) -> list[Iterable[int]]:
    """Return the heads that each word may have."""
    words = LENGTHS[item]
    if item != SPARSE:
        return [range(words + 1)] * words
    return [{0, 2}, {1, 3, 5}, {2, 4}, {3, 5}, {0, 9}, {5}, {6, 8}, {5, 7, 9}, {0, 8}]


def trees_build(*, single_root: bool) -> Structure:
    size = max(LENGTHS) + 1
    arc = np.zeros((len(LENGTHS), size, size))
    for word, heads in enumerate(heads_of(SPARSE), start=1):
        arc[SPARSE, [x for x in range(size) if x not in heads], word] = -np.inf
    return projective_trees(jnp.asarray(arc), jnp.array(LENGTHS), single_root)


def trees_events(item: int, *, single_root: bool) -> Iterator[Event]:
    """Return all assignments of heads that are projective trees."""
    words = LENGTHS[item]
    for heads in itertools.product(*heads_of(item)):
        if not is_projective(heads) or (single_root and heads.count(0) > 1):
            continue
        arc = np.zeros((max(LENGTHS) + 1, max(LENGTHS) + 1))
        arc[list(heads), np.arange(1, words + 1)] = 1
        yield Event(ArcParts(arc))


def is_projective(heads: tuple[int, ...]) -> bool:
    """Tell whether heads of words 1, 2, ... form a tree with all words below each arc's head."""
    ancestors = []
    for word in range(1, len(heads) + 1):
        above = [word]
        while above[-1] and len(above) <= len(heads):
            above.append(heads[above[-1] - 1])
        ancestors.append(above)
    return all(above[-1] == 0 for above in ancestors) and all(
        head in ancestors[between - 1]
        for word, head in enumerate(heads, start=1)
        for between in range(min(word, head) + 1, max(word, head))
    )


def trees(name: str, count: Callable[[int], int], *, single_root: bool) -> Known:
    build = partial(trees_build, single_root=single_root)
    events = partial(trees_events, single_root=single_root)
    return Known(name, build, events, saves=False, lengths=LENGTHS, count=count)


WIDTHS = 5
KINDS = 5
SEGMENTS = (
    (0, 1, 0), (0, 1, 4), (1, 2, 1), (0, 3, 3), (3, 5, 2), (3, 1, 4), (4, 4, 0), (8, 1, 4),
    (8, 1, 1),
)  # fmt: skip
"""Start, width and state of each segment of the sparse item."""


def segments_build() -> Structure:
    segment = np.zeros((len(LENGTHS), max(LENGTHS), WIDTHS, KINDS))
    segment[SPARSE] = -np.inf
    for start, width, kind in SEGMENTS:
        segment[SPARSE, start + width - 1, width - 1, kind] = 0
    initial = np.zeros((len(LENGTHS), KINDS))
    initial[SPARSE, [1, 2]] = -np.inf
    return semi_markov_chain(
        jnp.asarray(segment),
        zeros(KINDS, KINDS),
        jnp.asarray(initial),
        jnp.array(LENGTHS),
    )


def segmentations(item: int, start: int = 0) -> Iterator[list[tuple[int, int, int]]]:
    """Return all sequences of segments that cover an item from a position to its end."""
    if start == LENGTHS[item]:
        yield []
    widths = range(1, min(WIDTHS, LENGTHS[item] - start) + 1)
    for width, kind in itertools.product(widths, range(KINDS)):
        if item != SPARSE or (start, width, kind) in SEGMENTS:
            for further in segmentations(item, start + width):
                yield [(start, width, kind), *further]


def segments_events(item: int) -> Iterator[Event]:
    """Return all sequences of segments, by width and state, that cover the item."""
    for chosen in segmentations(item):
        segment = np.zeros((max(LENGTHS), WIDTHS, KINDS))
        transition, initial = np.zeros((KINDS, KINDS)), np.zeros(KINDS)
        for start, width, kind in chosen:
            segment[start + width - 1, width - 1, kind] = 1
        for (_, _, before), (_, _, kind) in itertools.pairwise(chosen):
            transition[before, kind] += 1
        initial[[kind for _, _, kind in chosen[:1]]] = 1
        yield Event(SemiMarkovParts(segment, transition, initial))


def segments_count(length: int) -> int:
    """Each of the boundaries between positions ends a segment, with a choice of states, or not."""
    return KINDS * (KINDS + 1) ** (length - 1) if length else 1


KINDS_OF_SPANS = 5


def kinds_of(item: int, first: int, last: int) -> Iterable[int]:
    """Return the labels that a span of an item may have; those of the sparse item are few."""
    words = LENGTHS[item]
    if words < 3:
        return range(KINDS_OF_SPANS)
    if words == 3:
        return {(first + last) % 5, (first + 2 * last + 1) % 5}
    aside = {(1, 2), (1, 3), (3, 4), (4, 5), (6, 8), (7, 8)}
    if first and first != last and (first, last) not in aside:
        return {}
    return {last % 5, (last + 3) % 5} if last in (4, 8) else {last % 5}


def spans_build() -> Structure:
    longest = max(LENGTHS)
    span = np.zeros((len(LENGTHS), longest, longest, KINDS_OF_SPANS))
    for item, words in enumerate(LENGTHS):
        for first, last in itertools.combinations_with_replacement(range(words), 2):
            kinds = kinds_of(item, first, last)
            span[item, first, last, [x for x in range(5) if x not in kinds]] = -np.inf
    return span_trees(jnp.asarray(span), jnp.array(LENGTHS))


def bracketings(first: int, last: int) -> list[tuple[tuple[int, int], ...]]:
    """Return the spans of each binary tree over words first to last."""
    if first >= last:
        return [((first, last),)] if first == last else [()]
    return [
        ((first, last), *left, *right)
        for split in range(first, last)
        for left in bracketings(first, split)
        for right in bracketings(split + 1, last)
    ]


def spans_events(item: int) -> Iterator[Event]:
    """Return all binary trees with all labels."""
    longest = max(LENGTHS)
    for spans in bracketings(0, LENGTHS[item] - 1):
        for labels in itertools.product(*(kinds_of(item, *span) for span in spans)):
            span = np.zeros((longest, longest, KINDS_OF_SPANS))
            for (first, last), label in zip(spans, labels, strict=True):
                span[first, last, label] = 1
            yield Event(SpanParts(span))


def spans_count(length: int) -> int:
    """Spans of three words have two labels each."""
    if not length:
        return 1
    kinds = KINDS_OF_SPANS if length < 3 else 2
    return math.comb(2 * length - 2, length - 1) // length * kinds ** (2 * length - 1)


PARSED = (2, 3, 2, 3, 9)
EXPANDING = 5
"""Number of nonterminals; there is one preterminal, the last symbol. Rules are counted without
their positions: with up to three words, no two parses use the same rules."""
RULES = ((0, 1, 5), (1, 5, 0), (0, 5, 5), (1, 5, 5), (2, 4, 5), (4, 2, 5), (2, 5, 5), (4, 5, 5))
"""The rules of the last item: four nonterminals, which take turns two by two."""


def grammar_build() -> Structure:
    symbols = EXPANDING + 1
    rules = np.zeros((len(PARSED), EXPANDING, symbols, symbols))
    rules[-1] = -np.inf
    rules[(-1, *np.transpose(RULES))] = 0
    root = np.zeros((len(PARSED), EXPANDING))
    root[-1, 3] = -np.inf
    return pcfg(
        jnp.asarray(root),
        jnp.asarray(rules),
        zeros(len(PARSED), max(PARSED), 1),
        jnp.array(PARSED),
        _span_weights(),
    )


def _span_weights() -> jax.Array:
    """Return weights of zero, but forbid spans that no parse of the sparse item has."""
    weights = np.zeros((len(PARSED), max(PARSED), max(PARSED), EXPANDING))
    weights[-1] = -np.inf
    last = len(PARSED) - 1
    for top in range(EXPANDING):
        for used in parses(last, top, 0, PARSED[last] - 1):
            for first, end, symbol, *_ in used:
                weights[last, first, end, symbol] = 0
    return jnp.asarray(weights)


def parses(item: int, symbol: int, first: int, last: int) -> Iterator[list[tuple[int, ...]]]:
    """Return the rules of each parse of some words as a symbol, with the first and last word."""
    if first == last:
        if symbol == EXPANDING:
            yield []
        return
    symbols = range(EXPANDING + 1)
    for split, left, right in itertools.product(range(first, last), symbols, symbols):
        rule = symbol, left, right
        if symbol == EXPANDING or (PARSED[item] == 9 and rule not in RULES):
            continue
        for below in parses(item, left, first, split):
            for beside in parses(item, right, split + 1, last):
                yield [(first, last, *rule), *below, *beside]


def grammar_events(item: int) -> Iterator[Event]:
    """Return all binary trees, with all nonterminals on their spans of two words or more."""
    words = PARSED[item]
    for top in range(EXPANDING):
        for used in parses(item, top, 0, words - 1):
            root, emission = np.zeros(EXPANDING), np.zeros((max(PARSED), 1))
            rules = np.zeros((EXPANDING, EXPANDING + 1, EXPANDING + 1))
            span = np.zeros((max(PARSED), max(PARSED), EXPANDING))
            root[top] = 1
            emission[:words] = 1
            for first, last, *rule in used:
                rules[tuple(rule)] += 1
                span[first, last, rule[0]] = 1
            yield Event(GrammarParts(root, rules, emission, span))


def grammar_count(length: int) -> int:
    return math.comb(2 * length - 2, length - 1) // length * EXPANDING ** (length - 1)


STRINGS = np.array(
    [[0] * 9, [1] * 9, [2, 1] + [0] * 7, [1, 1, 2] + [0] * 6, [2, 1, 2, 2, 1, 2, 2, 1, 1]]
)
SYMBOLS = 3
NODES = 5


def arcs_of(item: int, symbol: int, state: int) -> Iterable[int]:
    """Return the states after a symbol."""
    if item != SPARSE:
        return range(NODES)
    return {(state + 1) % NODES, (state + 3) % NODES} if symbol == 1 else {(state + 2) % NODES}


def paths_build() -> Structure:
    batch = len(STRINGS)
    arcs = np.full((batch, SYMBOLS, NODES, NODES), -np.inf)
    for item, symbol, state in itertools.product(range(batch), (1, 2), range(NODES)):
        arcs[item, symbol, state, list(arcs_of(item, symbol, state))] = 0
    arcs[:, EPSILON] = -np.inf
    acceptor = automaton(zeros(batch, NODES), jnp.asarray(arcs), zeros(batch, NODES))
    return string_paths(acceptor, jnp.array(STRINGS), jnp.array(LENGTHS))


def paths_events(item: int) -> Iterator[Event]:
    """Return all sequences of states, with one more state than symbols."""
    sequences = [(state,) for state in range(NODES)]
    for symbol in STRINGS[item, : LENGTHS[item]]:
        sequences = [(*x, y) for x in sequences for y in arcs_of(item, symbol, x[-1])]
    for states in sequences:
        initial, final = np.zeros((2, NODES))
        arcs = np.zeros((max(LENGTHS), NODES, NODES))
        initial[states[0]] = final[states[-1]] = 1
        for position, (before, after) in enumerate(itertools.pairwise(states)):
            arcs[position, before, after] = 1
        yield Event(PathParts(initial, arcs, final))


INVERTED = {(1, 0), (3, 2), (5, 4), (8, 7), (8, 6)}
"""Pairs of which the sparse item may have the larger number first."""


def may_precede(item: int, first: int, second: int) -> bool:
    return item != SPARSE or first < second or (first, second) in INVERTED


def orders_build() -> Structure:
    longest = max(LENGTHS)
    precedence = np.zeros((len(LENGTHS), longest, longest))
    for first, second in itertools.permutations(range(longest), 2):
        if not may_precede(SPARSE, first, second):
            precedence[SPARSE, first, second] = -np.inf
    return linear_orderings(jnp.asarray(precedence), jnp.array(LENGTHS))


def orders(item: int, remaining: frozenset[int]) -> Iterator[tuple[int, ...]]:
    """Return all orders of some elements."""
    if not remaining:
        yield ()
    for first in remaining:
        after = remaining - {first}
        if all(may_precede(item, first, x) for x in after):
            yield from ((first, *order) for order in orders(item, after))


def orders_events(item: int) -> Iterator[Event]:
    """Return all permutations of the items, with a part for each ordered pair of items."""
    longest = max(LENGTHS)
    for order in orders(item, frozenset(range(LENGTHS[item]))):
        precedence = np.zeros((longest, longest))
        for before, after in itertools.combinations(order, 2):
            precedence[before, after] = 1
        yield Event(OrderingParts(precedence))


NESTED = ((), (0,), (0, 1), (0, 1, 1), (0, 1, 2, 2, 1, 2, 1, 2, 2))
"""Node depths of trees: none; a word; in a phrase; two words; the sparse one."""
MARKS = 5


def spans_of_nodes(item: int) -> list[tuple[int, int]]:
    """Return the first and the last slot of each node; nodes without others below are words."""
    depths = NESTED[item]
    below = [
        next((y for y in range(x + 1, len(depths)) if depths[y] <= depths[x]), len(depths))
        for x in range(len(depths))
    ]
    is_word = [below[x] == x + 1 for x in range(len(depths))]
    return [(sum(is_word[:x]), sum(is_word[: below[x]])) for x in range(len(depths))]


def labels_of(item: int) -> list[Iterable[tuple[int, int]]]:
    """Return the pairs of labels of each node."""
    nodes = range(len(NESTED[item]))
    every = list(itertools.product(range(MARKS), range(MARKS)))
    if len(nodes) < 3:
        return [every[:: len(nodes)] for _ in nodes]
    return [{(x % 5, 2 * x % 5), (4 - x % 5, 1) if x % 2 else (x % 5, 2 * x % 5)} for x in nodes]


def nested_build() -> Structure:
    """The automaton records the largest label."""
    longest = max(map(len, NESTED))
    slots = 1 + max(last for item in range(len(NESTED)) for _, last in spans_of_nodes(item))
    depths = np.zeros((len(NESTED), longest), int)
    choice = np.zeros((len(NESTED), longest, MARKS, MARKS))
    for item, nodes in enumerate(NESTED):
        depths[item, : len(nodes)] = nodes
        for node, labels in enumerate(labels_of(item)):
            choice[item, node] = -np.inf
            choice[(item, node, *np.transpose([*labels]))] = 0
    label, state = np.indices((MARKS, MARKS))
    matrices = np.full((MARKS, MARKS, MARKS), -np.inf)
    matrices[label, state, np.maximum(label, state)] = 0
    return phrase_marks(
        jnp.asarray(choice),
        zeros(len(NESTED), slots, MARKS),
        jnp.asarray(depths),
        jnp.asarray(matrices),
        jnp.asarray(np.where(np.arange(MARKS), -np.inf, 0.0)),
        jnp.array(list(map(len, NESTED))),
        3,
    )


def nested_events(item: int) -> Iterator[Event]:
    """Return all pairs of labels of all nodes."""
    longest = max(map(len, NESTED))
    slots = 1 + max(last for each in range(len(NESTED)) for _, last in spans_of_nodes(each))
    edges = spans_of_nodes(item)
    for labels in itertools.product(*labels_of(item)):
        choice = np.zeros((longest, MARKS, MARKS))
        final = np.zeros((slots, MARKS))
        largest = [0] * (max((last for _, last in edges), default=0) + 1)
        for node, ((first, last), (left, right)) in enumerate(zip(edges, labels, strict=True)):
            choice[node, left, right] = 1
            largest[first] = max(largest[first], left)
            largest[last] = max(largest[last], right)
        if edges:
            final[range(len(largest)), largest] = 1
        yield Event(PhraseMarkParts(choice, final))


def nested_count(nodes: int) -> int:
    return {0: 1, 1: 25, 2: 13**2, 3: 2}[nodes]


FORESTS = (0, 1, 2, 3, 3)
LEAVES = 2
"""Number of ways to derive each word of a forest."""


def forest_edges(words: int) -> tuple[list[int], list[tuple[int, int]], dict[tuple[int, int], int]]:
    """Return heads and tails of all binary trees over some words, and the node of each span."""
    node = {
        (first, first + width): number
        for number, (width, first) in enumerate(
            ((w, i) for w in range(words) for i in range(words - w)), start=1
        )
    }
    heads = [node[i, i] for i in range(words) for _ in range(LEAVES)]
    tails = [(NOTHING, NOTHING)] * len(heads)
    for (first, last), head in node.items():
        for split in range(first, last):
            heads.append(head)
            tails.append((node[first, split], node[split + 1, last]))
    return heads, tails, node


def forest_build() -> Structure:
    rows = [forest_edges(words) for words in FORESTS]
    most = max(len(heads) for heads, _, _ in rows)
    heads, tails = np.ones((len(rows), most), int), np.zeros((len(rows), most, 2), int)
    for row, (heads_of_item, below, _) in enumerate(rows):
        heads[row, : len(heads_of_item)] = heads_of_item
        tails[row, : len(heads_of_item)] = np.reshape(below, (-1, 2))
    roots = [node.get((0, words - 1), NOTHING) for words, (_, _, node) in zip(FORESTS, rows)]  # noqa: B905
    lengths = [len(heads_of_item) for heads_of_item, _, _ in rows]
    return hypergraphs(zeros(len(rows), most), heads, tails, roots, lengths)


def forest_events(item: int) -> Iterator[Event]:
    """Return all binary trees, with all ways to derive their words."""
    words = FORESTS[item]
    heads, tails, node = forest_edges(words)
    most = len(forest_edges(max(FORESTS))[0])
    for spans in bracketings(0, words - 1):
        inner = np.zeros(most)
        for first, last in spans:
            for split in range(first, last):
                if {(first, split), (split + 1, last)} <= {*spans}:
                    below = node[first, split], node[split + 1, last]
                    inner[[*zip(heads, tails, strict=True)].index((node[first, last], below))] = 1
        for ways in itertools.product(range(LEAVES), repeat=words):
            edges = inner.copy()
            edges[[word * LEAVES + way for word, way in enumerate(ways)]] = 1
            yield Event(edges)


def forest_count(length: int) -> int:
    if not length:
        return 1
    return math.comb(2 * length - 2, length - 1) // length * LEAVES**length


CASES: tuple[Known, ...] = (
    chain("chain", "sequential", shared=False),
    chain("parallel chain", "parallel", shared=True),
    Known(
        "given tree", tree_build, tree_events, tree_rows, scans=False,
        lengths=tuple(map(len, TREES)), count=lambda length: len(PAIRS) ** length,
    ),
    trees(
        "projective trees",
        lambda n: math.comb(3 * n - 2, n - 1) // n if n else 1,
        single_root=True,
    ),
    Known(
        "semi-Markov chain", segments_build, segments_events,
        lengths=LENGTHS, count=segments_count,
    ),
    Known(
        "bracketings", spans_build, spans_events, saves=False,
        lengths=LENGTHS, count=spans_count,
    ),
    # Without weights of spans it is the same as with zeros: test_parse_spans.
    Known(
        "grammar with spans", grammar_build, grammar_events,
        lengths=PARSED, count=grammar_count,
        lacks={"an empty item": "no rule derives nothing"},
    ),
    Known(
        "string paths", paths_build, paths_events,
        lengths=LENGTHS, count=lambda n: NODES ** (n + 1),
        lacks={"an empty item": "the empty string has an initial and a final state"},
    ),
    Known(
        "hypergraphs", forest_build, forest_events,
        lengths=FORESTS, count=forest_count,
    ),
    Known(
        "permutations", orders_build, orders_events, scans=False,
        lengths=LENGTHS, count=math.factorial,
    ),
    Known(
        "phrase marks", nested_build, nested_events,
        lengths=tuple(map(len, NESTED)), count=nested_count,
    ),
    CTC,
    ALIGNMENTS,
    TRANSDUCER,
)  # fmt: skip
