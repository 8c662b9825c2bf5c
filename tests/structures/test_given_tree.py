"""`inside` over automata with plain matrices, compared with the sum over all choices."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semipunct.structures.given_tree import (
    Capacity,
    GivenTrees,
    Pairs,
    absorptions,
    inside,
    log_totals,
    pack,
    place,
)
from semirings import Expectation, Groups, Log, Real, Semiring, Viterbi
from tests.oracle import underlying_slots
from tests.structures.matrices import Dense
from tests.structures.trees import edges, projective_trees

LABELS = ((), ("a",), ("b",))
PAIRS = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (0, 2), (1, 2)]
STATES = 3
SLOTS = 6
"""Number of automata: 0 is that of the empty slot, 1 to 5 are arbitrary matrices."""
CAPACITY = Capacity(sentences=3, words=16, slots=SLOTS, steps=16, lanes=(2,), factors=16)
IN_ALL = pytest.mark.parametrize(
    "semiring",
    [Real(), Viterbi(), Expectation()],  # the conformance suite asks others
    ids=lambda s: s.name,
)


def automata(seed: int) -> Dense:
    generator = np.random.default_rng(seed)
    matrix = generator.normal(-1, 1, (SLOTS, len(LABELS), STATES, STATES))
    matrix[generator.random(matrix.shape) < 0.2] = -np.inf
    start, end = generator.normal(-1, 1, (2, SLOTS, STATES))
    # The empty label changes nothing; the empty slot's automaton has one state, no other label.
    matrix[:, 0] = np.where(np.eye(STATES), 0.0, -np.inf)
    matrix[0] = -np.inf
    matrix[0, 0, 0, 0] = start[0, 0] = end[0, 0] = 0.0
    start[0, 1:] = end[0, 1:] = -np.inf
    return Dense(*(x.astype(np.float32) for x in (matrix, start, end)))


class Question(NamedTuple):
    """Trees, the automaton at each slot, and the weights of choices by word."""

    heads: list[tuple[int, ...]]
    slots: list[list[int]]
    choice: np.ndarray
    feature: np.ndarray
    automata: Dense


@st.composite
def questions(draw: st.DrawFn) -> Question:
    heads = draw(st.lists(projective_trees(largest=4), min_size=1, max_size=2))
    number = st.one_of(st.just(0), st.integers(0, SLOTS - 1))
    slots = [draw(st.lists(number, min_size=len(h) + 1, max_size=len(h) + 1)) for h in heads]
    seed = draw(st.integers(0, 10_000))
    generator = np.random.default_rng(seed)
    choice = generator.normal(-1, 1, (CAPACITY.words, len(PAIRS))).astype(np.float32)
    choice[generator.random(choice.shape) < 0.1] = -np.inf
    feature = generator.integers(0, 3, choice.shape).astype(np.float32)
    return Question(heads, slots, choice, feature, automata(seed))


def given_trees(question: Question, capacity: Capacity = CAPACITY) -> GivenTrees:
    programs = []
    for heads, slots in zip(question.heads, question.slots, strict=True):
        left, right = (np.asarray(x, np.int32) for x in edges(heads))
        programs.append(absorptions(heads, left, right, [not s for s in slots]))
    placement = place(programs, [np.zeros(len(p.kid), np.int32) for p in programs], capacity.lanes)
    numbers = [np.array(s, np.int32) for s in question.slots]
    left, right = np.array(PAIRS).T
    missing = capacity.words - len(question.choice)
    return GivenTrees(
        jnp.pad(question.choice, ((0, missing), (0, 0))),
        jnp.pad(question.feature, ((0, missing), (0, 0))),
        Pairs(Groups.of(left, len(LABELS)), Groups.of(right, len(LABELS)), 0),
        question.automata,
        pack(programs, numbers, placement, capacity),
        np.zeros(capacity.sentences, np.float32),
    )


def derivations(
    question: Question, sentence: int, *, best: bool
) -> list[tuple[float, float, tuple[int, ...]]]:
    """Return weight, count and choice of pairs of each derivation.

    With `best`, the weight is that of the best path through the slots, not that of all paths.
    """
    heads = question.heads[sentence]
    base = sum(map(len, question.heads[:sentence]))
    matrix, start, end = (np.exp(np.asarray(x, np.float64)) for x in question.automata)

    def join(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        products = a[..., None] * b
        return products.max(-2) if best else products.sum(-2)

    names = [(LABELS[left], LABELS[right]) for left, right in PAIRS]
    listed = []
    for chosen in itertools.product(range(len(PAIRS)), repeat=len(heads)):
        strings = underlying_slots(heads, [names[p] for p in chosen], False, False)
        weight = np.prod([np.exp(float(question.choice[base + w, p]))
                          for w, p in enumerate(chosen)])  # fmt: skip
        for slot, string in zip(question.slots[sentence], strings, strict=True):
            vector = start[slot]
            for token in string:
                vector = join(vector, matrix[slot, LABELS.index((token,))])
            weight *= join(vector, end[slot][:, None])[0]
            if not weight:
                break
        if weight:
            count = sum(float(question.feature[base + w, p]) for w, p in enumerate(chosen))
            listed.append((float(weight), count, chosen))
    return listed


@cache
def ask(semiring: Semiring):
    """Compute log weights, expected counts if any, and the gradient for choices."""

    def log_weights(choice: jax.Array, p: GivenTrees):
        total = inside(p._replace(choice=choice), semiring)
        log_weight = semiring.log_weight(total.value) + total.log_scale
        counts = isinstance(semiring, Expectation)
        expected = semiring.expected_value(total.value) if counts else log_weight
        finite = jnp.where(log_weight == -jnp.inf, 0.0, log_weight)
        return jnp.sum(finite), (log_weight, expected)

    grad = jax.grad(log_weights, has_aux=True)
    return jax.jit(lambda p: grad(p.choice, p))


@IN_ALL
@settings(max_examples=12)
@given(questions())
def test_inside_is_the_sum_over_all_choices(semiring: Semiring, question: Question):
    gradient, (log_weight, expected) = ask(semiring)(given_trees(question))
    selective = semiring.laws.selective
    assert not np.isnan(gradient).any()
    base = 0
    for b, heads in enumerate(question.heads):
        listed = derivations(question, b, best=selective)
        weights = [w for w, _, _ in listed] or [0.0]
        total = max(weights) if selective else sum(weights)
        with np.errstate(divide="ignore"):
            np.testing.assert_allclose(log_weight[b], np.log(total), rtol=2e-5, atol=2e-5)
        words = slice(base, base + len(heads))
        base += len(heads)
        if not listed:
            continue
        marginal = np.zeros((len(heads), len(PAIRS)))
        for weight, _, chosen in listed:
            share = float(weight == total) if selective else weight / total
            marginal[np.arange(len(heads)), chosen] += share
        np.testing.assert_allclose(gradient[words], marginal, atol=5e-5)
        if isinstance(semiring, Expectation):
            mean = sum(w * n for w, n, _ in listed) / total
            assert expected[b] == pytest.approx(mean, rel=1e-4, abs=1e-4)
    np.testing.assert_array_equal(log_weight[len(question.heads) :], 0.0)


@settings(max_examples=5)
@given(questions())
def test_padding_changes_nothing(question: Question):
    larger = Capacity(sentences=5, words=24, slots=SLOTS, steps=20, lanes=(5,), factors=20)
    n = len(question.heads)
    for semiring in (Real(),):
        _, (expected, _) = ask(semiring)(given_trees(question))
        _, (totals, _) = ask(semiring)(given_trees(question, larger))
        np.testing.assert_allclose(totals[:n], expected[:n], rtol=1e-5, atol=1e-5)


def first_of(question: Question) -> Question:
    return question._replace(heads=question.heads[:1], slots=question.slots[:1])


@settings(max_examples=5)
@given(questions())
def test_other_sentences_of_the_batch_change_nothing(question: Question):
    for semiring in (Real(),):
        _, (expected, _) = ask(semiring)(given_trees(question))
        _, (alone, _) = ask(semiring)(given_trees(first_of(question)))
        np.testing.assert_allclose(alone[0], expected[0], rtol=1e-5, atol=1e-5)


@IN_ALL
def test_a_sentence_without_derivation_has_weight_zero_and_gradient_zero(semiring: Semiring):
    nothing = automata(0)._replace(end=np.full((SLOTS, STATES), -np.inf, np.float32))
    choice = np.zeros((CAPACITY.words, len(PAIRS)), np.float32)
    question = Question([(0, 1)], [[1, 0, 2]], choice, choice, nothing)
    gradient, (log_weight, _) = ask(semiring)(given_trees(question))
    assert log_weight[0] == -np.inf
    assert np.isfinite(gradient).all()


def total_of_chain(heads: Sequence[int]) -> float:
    words = len(heads)
    capacity = Capacity(1, words, SLOTS, words, (1,), words)
    choice = np.full((words, len(PAIRS)), np.log(1 / len(PAIRS)), np.float32)
    slots = [1, *([2] * (words - 1)), 3]
    question = Question([tuple(heads)], [slots], choice, choice, automata(1))
    return float(ask(Real())(given_trees(question, capacity))[1][0][0])


@pytest.mark.parametrize("heads", [range(2000), [0, *[1] * 1999]], ids=["a chain", "a flat tree"])
def test_long_and_deep_trees_stay_finite(heads: Sequence[int]):
    assert np.isfinite(total_of_chain(list(heads)))


def test_totals_are_right_for_weights_of_any_size():
    """Weights range from 1e-30 to 1e30 within a sentence: ``Real`` alone loses relevant terms."""
    in_reals, checked = ask(Real()), jax.jit(log_totals)
    wrong = unknown = 0
    for seed in (0, 1, 2, 22, 24, 28, 162, 206):
        question = extreme(seed)
        trees = given_trees(question)
        weights = [w for w, _, _ in derivations(question, 0, best=False)]
        with np.errstate(divide="ignore"):
            expected = np.log(sum(weights))
        close = pytest.approx(expected, rel=1e-5, abs=1e-4)
        assert ask(Log())(trees)[1][0][0] == close
        if np.isnan(total := checked(trees)[0]):
            unknown += 1
        else:
            assert total == close
        fast = in_reals(trees)[1][0][0]
        wrong += fast != pytest.approx(expected, rel=1e-5, abs=1e-4)
    assert 0 < wrong == unknown


def extreme(seed: int) -> Question:
    """One sentence with weights that differ by 60 orders of magnitude."""
    generator = np.random.default_rng(seed)
    choice = generator.uniform(-69, 69, (CAPACITY.words, len(PAIRS))).astype(np.float32)
    choice[generator.random(choice.shape) < 0.3] = -np.inf
    heads = [(0, 1, 2, 2), (2, 3, 0, 3), (2, 0, 2, 3), (4, 1, 2, 0)][seed % 4]
    slots = generator.integers(1, SLOTS, len(heads) + 1).tolist()
    dense = automata(seed)
    forbidden = generator.random(dense.matrix[:, 1:].shape) < 0.5
    dense.matrix[:, 1:][forbidden] = -np.inf
    dense.start[:] = np.where(np.arange(STATES) == seed % STATES, 0.0, -np.inf)
    dense.end[:] = np.where(np.arange(STATES) == seed // STATES % STATES, 0.0, -np.inf)
    return Question([heads], [slots], choice, np.zeros_like(choice), dense)
