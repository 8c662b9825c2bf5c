"""Derivations in the usual arrays, against all derivations of small structures."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semipunct.errors import UsageError
from semipunct.structures import (
    Distribution,
    automata,
    hypergraphs,
    linear_chain,
    linear_orderings,
    nonprojective_trees,
    pcfg,
    projective_trees,
    semi_markov_chain,
    span_trees,
)
from semipunct.structures.automata import string_paths
from tests.structures.cases import CASES

BY_NAME = {case.name: case for case in CASES}
MOST = 40
"""Derivations of an item that are converted."""


def _batches(name) -> tuple[Any, Any, np.ndarray]:
    """Return a structure, parts ``[MOST, batch, ...]`` of its derivations, and their numbers."""
    case = BY_NAME[name]
    structure = case.build()
    generator = np.random.default_rng(0)
    chosen, numbers = [], []
    for item in range(len(case.lengths)):
        events = [event.parts for event in case.derivations(item)]
        number = generator.permutation(np.resize(np.arange(min(len(events), 500)), 500))[:MOST]
        chosen.append(jax.tree.map(lambda *xs: np.stack(xs), *(events[i] for i in number)))
        numbers.append(number)
    return structure, jax.tree.map(lambda *xs: np.stack(xs, 1), *chosen), np.stack(numbers, 1)


@pytest.mark.parametrize(
    "name",
    [
        "chain",
        "projective trees",
        "semi-Markov chain",
        "bracketings",
        "string paths",
        "permutations",
        "alignments",
        "transducer",
        "grammar with spans",
        "CTC",
    ],
)
def test_all_derivations_have_different_forms(name):
    structure, parts, numbers = _batches(name)
    forms = np.asarray(jax.jit(structure.from_parts)(parts))
    for item in range(numbers.shape[1]):
        by_form = {}
        for form, number in zip(forms[:, item], numbers[:, item], strict=True):
            assert by_form.setdefault(form.tobytes(), number) == number
        assert len(by_form) == len({*numbers[:, item].tolist()})
    jax.tree.map(np.testing.assert_array_equal, structure.to_parts(forms), parts)
    traced = jax.jit(lambda s, x: s.to_parts(x))(structure, forms)
    jax.tree.map(np.testing.assert_array_equal, traced, parts)
    weighed = structure.with_log_weights(
        jax.tree.map(
            lambda x: jnp.where(x > -jnp.inf, jnp.cos(jnp.arange(x.size)).reshape(x.shape), x),
            structure.log_weights,
        )
    )
    scores = Distribution(weighed).unnormalized_log_prob(forms)
    expected = Distribution(weighed).unnormalized_log_prob(parts)
    np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-5)


def test_states_of_a_chain_written_out():
    emission = jnp.log(jnp.array([[[1.0, 2], [3, 1], [1, 4]], [[2, 1], [1, 1], [1, 1]]]))
    gold = jnp.array([[1, 0, 1], [0, 0, 0]])

    @jax.jit
    def answers(emission):
        def log_prob(emission):
            d = Distribution(linear_chain(emission, jnp.zeros((2, 2)), jnp.array([3, 1])))
            return jnp.sum(d.log_prob(gold)), d

        (total, d), gradient = jax.value_and_grad(log_prob, has_aux=True)(emission)
        states, parts = (f(jax.random.key(0), 5) for f in (d.sample, d.sample_parts))
        weigh = d.unnormalized_log_prob
        return total, gradient, d.argmax(), states, weigh(states), weigh(parts)

    log_prob, gradient, best, states, scores, log_weight = answers(emission)
    assert best.tolist() == [[1, 0, 1], [0, -1, -1]]
    assert jnp.exp(log_prob) == pytest.approx(2 / 3 * 3 / 4 * 4 / 5 * 2 / 3)
    # What is used less what is expected.
    assert gradient[0, 0].tolist() == pytest.approx([-1 / 3, 1 / 3])
    assert states.shape == (5, 2, 3)
    np.testing.assert_allclose(scores, log_weight, rtol=1e-6)


def test_segments_written_out():
    segment = jnp.full((2, 4, 2, 3), -jnp.inf).at[0, 1, 1, 2].set(0).at[0, 2, 0, 1].set(0)
    segment = segment.at[0, 3, 0, 0].set(0).at[1, 0, 0, 1].set(0)
    d = Distribution(semi_markov_chain(segment, jnp.zeros((3, 3)), lengths=jnp.array([4, 1])))
    segments = d.argmax()
    none = [-1] * 3
    expected = [[[0, 1, 2], [2, 2, 1], [3, 3, 0], none], [[0, 0, 1], none, none, none]]
    assert segments.tolist() == expected
    assert d.log_prob(segments[:, :3]).tolist() == [0, 0]


def test_trees_written_out():
    spans = [[[0, 2, 1], [0, 0, 0], [1, 2, 0], [1, 1, 1], [2, 2, 0]]]
    trees = span_trees(jnp.zeros((1, 3, 3, 2)))
    assert trees.from_parts(trees.to_parts(spans)).tolist() == spans
    assert trees.from_parts(trees.to_parts([spans[0][::-1]])).tolist() == spans
    used = jnp.argwhere(trees.to_parts(spans).span[0]).tolist()
    assert sorted(used) == sorted(spans[0])
    # Symbols 0 and 1 are phrases, 2 and 3 words.
    parse = [[[0, 2, 1], [0, 0, 2], [1, 2, 0], [1, 1, 3], [2, 2, 2]]]
    grammar = pcfg(jnp.zeros(2), jnp.zeros((2, 4, 4)), jnp.zeros((1, 3, 2)))
    parts = grammar.to_parts(parse)
    assert parts.span is None
    assert jnp.argwhere(parts.rules[0]).tolist() == [[0, 3, 2], [1, 2, 0]]
    assert jnp.argwhere(parts.emission[0]).tolist() == [[0, 0], [1, 1], [2, 0]]
    assert parts.root.tolist() == [[0, 1]]
    with pytest.raises(UsageError, match=r"spans=0\.0"):
        grammar.from_parts(parts)


HEADS = st.lists(st.integers(0, 4), min_size=8, max_size=8)
TWO = np.array([4, 2])


@settings(max_examples=60, deadline=None)
@given(HEADS, st.booleans(), st.booleans())
def test_heads_come_back_or_are_refused(heads, single_root, projective):
    heads = np.array(heads).reshape(2, 4)
    make = projective_trees if projective else nonprojective_trees
    trees = make(np.zeros((2, 5, 5), np.float32), TWO, single_root)
    is_tree = True
    for row, length in zip(heads, TWO, strict=True):
        row = [0, *row[:length]]
        reached = {0}
        for _ in row:
            reached |= {m for m, h in enumerate(row) if h in reached and h <= length}
        is_tree &= len(reached) == length + 1 and (not single_root or row[1:].count(0) == 1)
        arcs = [sorted((h, m)) for m, h in enumerate(row) if m]
        is_tree &= not projective or not any(a[0] < b[0] < a[1] < b[1] for a in arcs for b in arcs)
    if is_tree:
        padded = np.where(np.arange(4) < TWO[:, None], heads, -1)
        assert trees.from_parts(trees.to_parts(heads)).tolist() == padded.tolist()
    else:
        with pytest.raises(UsageError, match="item"):
            trees.to_parts(heads)


ARCS = jnp.zeros((2, 4, 4))
WRONG = [
    (linear_chain(jnp.zeros((2, 3, 2)), jnp.zeros((2, 2))), [[0, 1, 0], [0, 2, 0]],
     r"states\[1, 1\] is 2; there are states 0 to 1"),
    (linear_chain(jnp.zeros((2, 3, 2)), jnp.zeros((2, 2))), [[0, 1], [0, 0]],
     r"states have shape \(2, 2\); expected \[..., 2, 3\]"),
    (linear_chain(jnp.zeros((2, 3, 2)), jnp.zeros((2, 2))), np.zeros((2, 3)), "integers"),
    (projective_trees(ARCS), [[0, 1, 1], [2, 0, 3]], "item 1: the head of word 3 is 3"),
    (projective_trees(ARCS), [[0, 1, 1], [0, 0, 1]], "item 1.*words .1, 2. are children"),
    (projective_trees(ARCS), [[0, 1, 1], [2, 1, 0]], "item 1.*cycle"),
    (projective_trees(jnp.zeros((1, 5, 5))), [[0, 4, 1, 1]], "arcs to words 3 and 2 cross"),
    (nonprojective_trees(ARCS), [[0, 1, 1], [2, 1, 0]], "item 1.*cycle"),
    (semi_markov_chain(jnp.zeros((1, 4, 2, 2)), jnp.zeros((2, 2))), [[[0, 1, 0], [3, 3, 1]]],
     r"item 0.*include \[3, 3, 1\]; they must cover positions 0 to 3"),
    (semi_markov_chain(jnp.zeros((1, 4, 2, 2)), jnp.zeros((2, 2))), [[[0, 1, 0], [2, 2, 1]]],
     "do not cover"),
    (semi_markov_chain(jnp.zeros((1, 4, 2, 2)), jnp.zeros((2, 2))), [[[0, 2, 0], [3, 3, 1]]],
     "at most 2 positions"),
    (span_trees(jnp.zeros((1, 3, 3, 1))), [[[0, 2, 0], [0, 1, 0], [1, 2, 0], [0, 0, 0], [1, 1, 0]]],
     r"item 0: spans \[0, 1, 0\] and \[1, 2, 0\] cross"),
    (span_trees(jnp.zeros((1, 3, 3, 1))), [[[0, 2, 0], [0, 1, 0]]], "2 spans; a binary tree of 3"),
    (span_trees(jnp.zeros((1, 1, 1, 1))), [[[0, 1, 0]]], "not within its words 0 to 0"),
    (span_trees(jnp.zeros((1, 1, 1, 1))), [[[0, 0, 1]]], "there are labels 0 to 0"),
    (pcfg(jnp.zeros(1), jnp.zeros((1, 2, 2)), jnp.zeros((1, 2, 1))),
     [[[0, 1, 0], [0, 0, 0], [1, 1, 1]]], r"span \[0, 0, 0\]: a word has one of .* 1 to 1"),
    (pcfg(jnp.zeros(1), jnp.zeros((1, 2, 2)), jnp.zeros((1, 2, 1)), np.array([1])),
     [[[0, 0, 1]]], "the shortest tree has 2"),
    (linear_orderings(jnp.zeros((1, 3, 3))), [[0, 2, 2]], r"\[0, 2, 2\] is not an order"),
    (linear_orderings(jnp.zeros((1, 3, 3)), np.array([2])), [[0, 2, 1]], r"\[0, 2\] is not"),
]  # fmt: skip


@pytest.mark.parametrize(("structure", "derivation", "message"), WRONG)
def test_what_is_no_derivation_is_refused(structure, derivation, message):
    with pytest.raises(UsageError, match=message):
        structure.to_parts(derivation)


def test_what_is_no_derivation_has_no_probability_when_traced():
    d = Distribution(projective_trees(ARCS))
    scores = jax.jit(lambda h: d.log_prob(h))(jnp.array([[0, 1, 1], [2, 1, 0]]))
    assert scores[0] == pytest.approx(-np.log(7))
    assert scores[1] == -jnp.inf


def test_parts_without_another_form():
    marks = Distribution(BY_NAME["phrase marks"].build())
    assert type(marks.argmax()) is type(marks.structure.log_weights)
    edges = Distribution(hypergraphs(jnp.zeros((1, 1)), [[1]], [[[0, 0]]], [1]))
    assert edges.log_prob([[0]]).tolist() == [0]


def test_paths_of_strings_written_out():
    arcs = jnp.full((2, 2, 2), -jnp.inf).at[1, 0, 1].set(0.0).at[1, 1, 0].set(0.0)
    machine = automata.automaton(jnp.array([0.0, -jnp.inf]), arcs, jnp.zeros(2))
    d = Distribution(string_paths(machine, jnp.ones((2, 3), int), jnp.array([3, 0])))
    assert d.argmax().tolist() == [[0, 1, 0, 1], [0, -1, -1, -1]]
    assert d.unnormalized_log_prob([[0, 1, 0, 1], [0, 0, 0, 0]]).tolist() == [0, 0]
