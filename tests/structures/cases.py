"""The structures under test: one registry line each, and the enumeration of their derivations.

`test_conformance` makes every check of every case. A case provides a small batch with items of
every length, and the list of all derivations of an item, computed without the library.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

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
from semipunct.structures.testing import Case, Event
from tests.oracle import constituent_slots, underlying_slots
from tests.structures.matrices import Dense

LENGTHS = (0, 1, 2, 3, 4)


@dataclass(frozen=True, kw_only=True)
class Known(Case):
    """A case with additional information, beyond what the suite requires.

    Attributes:
        lengths: length of each item of the batch; all lengths from `shortest` to the padded one.
        count: returns the number of derivations of an item of a given length.
        shortest: minimum length that has a derivation.
        variant: whether another case has the same structure; by default, only sums and the best
            derivation are checked then.
        costly: whether its recursion takes long to compile; by default, only the most informative
            checks are made then.
    """

    lengths: tuple[int, ...]
    count: Callable[[int], int]
    shortest: int = 0
    variant: bool = False
    costly: bool = False


def zeros(*shape: int) -> Any:
    """Create zero log weights, in the precision of the test."""
    return jnp.asarray(np.zeros(shape))


STATES = 3


def chain_build(method: Any, *, shared: bool) -> Structure:
    batch, longest = len(LENGTHS), max(LENGTHS)
    steps = (1, 1) if shared else (batch, longest - 1)
    return linear_chain(
        zeros(batch, longest, STATES),
        zeros(*steps, STATES, STATES),
        jnp.array(LENGTHS),
        method,
    )


def chain_events(item: int) -> Iterator[Event]:
    """Return all sequences of states."""
    longest = max(LENGTHS)
    for states in itertools.product(range(STATES), repeat=LENGTHS[item]):
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
        scans=method == "sequential", variant=method != "sequential",
    )  # fmt: skip


TREES = ((), (0,), (2, 0), (0, 1, 2), (3, 3, 0))
"""Heads of each given tree."""
LABELS = ((), ("a",), ("b",))
PAIRS = ((0, 0), (0, 1), (1, 0), (2, 1))
"""Left and right label of each pair that a node can choose."""
SLOTS = 4
SLOTS_OF_TREE = ((2,), (1, 3), (2, 1, 1), (3, 1, 2, 1), (1, 2, 3, 2))
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
    capacity = Capacity(len(TREES), words=11, slots=SLOTS, steps=6, lanes=(2,), factors=4)
    programs = []
    for heads in TREES:
        edges = np.array(constituent_slots(heads), np.int32).reshape(-1, 2)
        programs.append(absorptions(heads, edges[:, 0], edges[:, 1], [False] * (len(heads) + 1)))
    placement = place(programs, [np.zeros(len(p.kid), np.int32) for p in programs], capacity.lanes)
    numbers = [np.array(s, np.int32) for s in SLOTS_OF_TREE]
    left, right = np.array(PAIRS).T
    return GivenTrees(
        zeros(capacity.words, len(PAIRS)),
        None,
        Pairs.of(left, right, len(LABELS)),
        Dense(*(jnp.asarray(x) for x in slot_automata())),
        pack(programs, numbers, placement, capacity),
        np.zeros(len(TREES), np.float32),
    )


def tree_events(item: int) -> Iterator[Event]:
    """Return all choices of a pair for each node, weighted by the strings that they form."""
    matrix, start, end = slot_automata()
    names = [(LABELS[left], LABELS[right]) for left, right in PAIRS]
    heads = TREES[item]
    for chosen in itertools.product(range(len(PAIRS)), repeat=len(heads)):
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


def trees_build(*, single_root: bool) -> Structure:
    size = max(LENGTHS) + 1
    return projective_trees(zeros(len(LENGTHS), size, size), jnp.array(LENGTHS), single_root)


def trees_events(item: int, *, single_root: bool) -> Iterator[Event]:
    """Return all assignments of heads that are projective trees."""
    words = LENGTHS[item]
    for heads in itertools.product(range(words + 1), repeat=words):
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


WIDTHS = 2
KINDS = 2


def segments_build() -> Structure:
    return semi_markov_chain(
        zeros(len(LENGTHS), max(LENGTHS), WIDTHS, KINDS),
        zeros(KINDS, KINDS),
        zeros(len(LENGTHS), KINDS),
        jnp.array(LENGTHS),
    )


def segments_events(item: int) -> Iterator[Event]:
    """Return all sequences of segments, by width and state, that cover the item."""
    for number in range(LENGTHS[item] + 1):
        kinds = itertools.product(range(WIDTHS), range(KINDS))
        for chosen in itertools.product(list(kinds), repeat=number):
            if sum(width + 1 for width, _ in chosen) != LENGTHS[item]:
                continue
            segment = np.zeros((max(LENGTHS), WIDTHS, KINDS))
            transition, initial = np.zeros((KINDS, KINDS)), np.zeros(KINDS)
            end = -1
            for i, (width, kind) in enumerate(chosen):
                end += width + 1
                segment[end, width, kind] += 1
                if i:
                    transition[chosen[i - 1][1], kind] += 1
                else:
                    initial[kind] += 1
            yield Event(SemiMarkovParts(segment, transition, initial))


def segments_count(length: int) -> int:
    """The number of segments of width 2 determines the number of segments, and of their orders."""
    fewest = -(-length // 2)
    return sum(math.comb(n, length - n) * KINDS**n for n in range(fewest, length + 1))


BRACKETED = (0, 1, 2, 3)
KINDS_OF_SPANS = 2


def spans_build() -> Structure:
    longest = max(BRACKETED)
    return span_trees(zeros(len(BRACKETED), longest, longest, KINDS_OF_SPANS), jnp.array(BRACKETED))


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
    longest = max(BRACKETED)
    for spans in bracketings(0, BRACKETED[item] - 1):
        for labels in itertools.product(range(KINDS_OF_SPANS), repeat=len(spans)):
            span = np.zeros((longest, longest, KINDS_OF_SPANS))
            for (first, last), label in zip(spans, labels, strict=True):
                span[first, last, label] = 1
            yield Event(SpanParts(span))


def spans_count(length: int) -> int:
    if not length:
        return 1
    return math.comb(2 * length - 2, length - 1) // length * KINDS_OF_SPANS ** (2 * length - 1)


PARSED = (2, 3)
EXPANDING = 2
"""Number of nonterminals; there is one preterminal, the last symbol. Rules are counted without
their positions: with up to three words, no two parses use the same rules."""


def grammar_build() -> Structure:
    symbols = EXPANDING + 1
    return pcfg(
        zeros(len(PARSED), EXPANDING),
        zeros(len(PARSED), EXPANDING, symbols, symbols),
        zeros(len(PARSED), max(PARSED), 1),
        jnp.array(PARSED),
    )


def grammar_events(item: int) -> Iterator[Event]:
    """Return all binary trees, with all nonterminals on their spans of two words or more."""
    words = PARSED[item]
    for spans in bracketings(0, words - 1):
        inner = [(first, last) for first, last in spans if first < last]
        for chosen in itertools.product(range(EXPANDING), repeat=len(inner)):
            symbol = dict.fromkeys(spans, EXPANDING) | dict(zip(inner, chosen, strict=True))
            root, emission = np.zeros(EXPANDING), np.zeros((max(PARSED), 1))
            rules = np.zeros((EXPANDING, EXPANDING + 1, EXPANDING + 1))
            root[symbol[0, words - 1]] = 1
            emission[:words] = 1
            for first, last in inner:
                split = next(
                    m for m in range(first, last) if {(first, m), (m + 1, last)} <= {*spans}
                )
                parts = symbol[first, split], symbol[split + 1, last]
                rules[(symbol[first, last], *parts)] += 1
            yield Event(GrammarParts(root, rules, emission))


def grammar_count(length: int) -> int:
    return math.comb(2 * length - 2, length - 1) // length * EXPANDING ** (length - 1)


STRINGS = ((0, 0, 0, 0), (1, 0, 0, 0), (2, 1, 0, 0), (1, 1, 2, 0), (2, 1, 2, 2))
SYMBOLS = 3
NODES = 2


def paths_build() -> Structure:
    batch = len(STRINGS)
    arcs = np.zeros((batch, SYMBOLS, NODES, NODES))
    arcs[:, EPSILON] = -np.inf
    acceptor = automaton(zeros(batch, NODES), jnp.asarray(arcs), zeros(batch, NODES))
    return string_paths(acceptor, jnp.array(STRINGS), jnp.array(LENGTHS))


def paths_events(item: int) -> Iterator[Event]:
    """Return all sequences of states, with one more state than symbols."""
    for states in itertools.product(range(NODES), repeat=LENGTHS[item] + 1):
        initial, final = np.zeros((2, NODES))
        arcs = np.zeros((max(LENGTHS), NODES, NODES))
        initial[states[0]] = final[states[-1]] = 1
        for position, (before, after) in enumerate(itertools.pairwise(states)):
            arcs[position, before, after] = 1
        yield Event(PathParts(initial, arcs, final))


def orders_build() -> Structure:
    longest = max(LENGTHS)
    return linear_orderings(zeros(len(LENGTHS), longest, longest), jnp.array(LENGTHS))


def orders_events(item: int) -> Iterator[Event]:
    """Return all permutations of the items, with a part for each ordered pair of items."""
    longest = max(LENGTHS)
    for order in itertools.permutations(range(LENGTHS[item])):
        precedence = np.zeros((longest, longest))
        for before, after in itertools.combinations(order, 2):
            precedence[before, after] = 1
        yield Event(OrderingParts(precedence))


NESTED = ((), (0,), (0, 1), (0, 1, 1), (0, 1, 2, 1))
"""Node depths of trees: none; a word; in a phrase; two words; one of them in a phrase."""

WORDS = (0, 1, 1, 2, 2)
STATES_OF_SLOTS = 2
EDGES_OF_NODES = (
    [], [(0, 1)], [(0, 1)] * 2, [(0, 2), (0, 1), (1, 2)], [(0, 2), (0, 1), (0, 1), (1, 2)],
)  # fmt: skip


def nested_build() -> Structure:
    """The automaton only records whether any label differs from the first."""
    longest, slots = max(map(len, NESTED)), max(WORDS) + 1
    depths = np.zeros((len(NESTED), longest), int)
    for row, own in enumerate(NESTED):
        depths[row, : len(own)] = own
    return phrase_marks(
        zeros(len(NESTED), longest, 2, 2),
        zeros(len(NESTED), slots, STATES_OF_SLOTS),
        jnp.asarray(depths),
        jnp.log(jnp.array([[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 1.0]]])),
        jnp.log(jnp.array([1.0, 0.0])),
        jnp.array(list(map(len, NESTED))),
        3,
    )


def nested_events(item: int) -> Iterator[Event]:
    """Return all pairs of labels of all nodes."""
    edges = EDGES_OF_NODES[item]
    longest, slots = max(map(len, NESTED)), max(WORDS) + 1
    for labels in itertools.product(itertools.product(range(2), repeat=2), repeat=len(edges)):
        choice = np.zeros((longest, 2, 2))
        final = np.zeros((slots, STATES_OF_SLOTS))
        marked = [0] * (WORDS[item] + 1)
        for node, ((first, last), (left, right)) in enumerate(zip(edges, labels, strict=True)):
            choice[node, left, right] = 1
            marked[first] |= left
            marked[last] |= right
        if edges:
            final[range(len(marked)), marked] = 1
        yield Event(PhraseMarkParts(choice, final))


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
    rows = [forest_edges(words) for words in BRACKETED]
    most = max(len(heads) for heads, _, _ in rows)
    heads, tails = np.ones((len(rows), most), int), np.zeros((len(rows), most, 2), int)
    for row, (mine, below, _) in enumerate(rows):
        heads[row, : len(mine)] = mine
        tails[row, : len(mine)] = np.reshape(below, (-1, 2))
    roots = [node.get((0, words - 1), NOTHING) for words, (_, _, node) in zip(BRACKETED, rows)]  # noqa: B905
    lengths = [len(mine) for mine, _, _ in rows]
    return hypergraphs(zeros(len(rows), most), heads, tails, roots, lengths)


def forest_events(item: int) -> Iterator[Event]:
    """Return all binary trees, with all ways to derive their words."""
    words = BRACKETED[item]
    heads, tails, node = forest_edges(words)
    most = len(forest_edges(max(BRACKETED))[0])
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
        "given tree", tree_build, tree_events, tree_rows, scans=False, costly=True,
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
        "bracketings", spans_build, spans_events, saves=False, costly=True,
        lengths=BRACKETED, count=spans_count,
    ),
    Known(
        "grammar", grammar_build, grammar_events, costly=True,
        lengths=PARSED, count=grammar_count, shortest=2,
    ),
    Known(
        "string paths", paths_build, paths_events, costly=True,
        lengths=LENGTHS, count=lambda n: NODES ** (n + 1),
    ),
    Known(
        "hypergraphs", forest_build, forest_events, costly=True,
        lengths=BRACKETED, count=forest_count,
    ),
    Known(
        "permutations", orders_build, orders_events, scans=False, costly=True,
        lengths=LENGTHS, count=math.factorial,
    ),
    Known(
        "phrase marks", nested_build, nested_events, costly=True,
        lengths=tuple(map(len, NESTED)), count=lambda nodes: 4**nodes,
    ),
)  # fmt: skip
