"""Alignments against plain dynamic programs and lists of all operations, which share no code."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semipunct.errors import UsageError
from semipunct.structures import Distribution, affine_gaps, alignments

LONGEST = 6
WORDS = st.text("abc", max_size=LONGEST)
MATCH, DELETE, INSERT = range(3)
SIZE = 3
NUMBERS = st.one_of(st.floats(-4, 4, width=32), st.just(-np.inf))


def _levenshtein(first, second):
    row = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        before, row = row, [i]
        for j, b in enumerate(second, 1):
            row.append(min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b)))
    return row[-1]


@jax.jit
def _edits(substitution, lengths):
    edits = Distribution(alignments(-substitution, -1.0, -1.0, lengths=lengths))
    best = edits.argmax()
    return edits.unnormalized_log_prob(best), best, edits.top_k(2)[1]


@settings(max_examples=60, deadline=None)
@given(WORDS, WORDS)
def test_edit_distance_equals_that_of_a_plain_program(first, second):
    substitution = np.full((1, LONGEST, LONGEST), np.nan, np.float32)
    for (i, a), (j, b) in itertools.product(enumerate(first), enumerate(second)):
        substitution[0, i, j] = a != b
    log_weight, operations, listed = _edits(substitution, np.array([[len(first), len(second)]]))
    assert -log_weight[0] == _levenshtein(first, second)
    assert listed[0, 0] == log_weight[0]
    # Operations in order transform the first word into the second, at that cost.
    left, right, cost = iter(first), iter(second), 0
    for operation in operations[0].tolist():
        if operation == MATCH:
            cost += next(left) != next(right)
        elif operation != -1:
            next(left if operation == DELETE else right)
            cost += 1
    assert cost == -log_weight[0]
    assert [*left, *right] == []


def _listed(rows, columns):
    """Return all sequences of operations that consume both sequences."""
    if rows == columns == 0:
        return [[]]
    return [
        [*before, operation]
        for operation, (down, right) in enumerate(((1, 1), (1, 0), (0, 1)))
        if rows >= down and columns >= right
        for before in _listed(rows - down, columns - right)
    ]


def _score(operations, match, delete, insert, transition, initial, final):
    i = j = 0
    weight = 0.0
    for operation in operations:
        if operation == MATCH:
            weight += match[i, j]
        weight += delete[i, j] if operation == DELETE else 0.0
        weight += insert[i, j] if operation == INSERT else 0.0
        i, j = i + (operation != INSERT), j + (operation != DELETE)
    if operations:
        weight += initial[operations[0]] + final[operations[-1]]
    return weight + sum(transition[pair] for pair in itertools.pairwise(operations))


@jax.jit
def _pair_hmm(arrays, lengths):
    d = Distribution(alignments(*arrays, lengths=lengths))
    operations = d.argmax()
    best = d.unnormalized_log_prob(operations)
    log_partition, marginals = d.log_partition_and_marginals()
    return log_partition, marginals, best, operations


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**31), st.integers(0, SIZE), st.integers(0, SIZE), st.data())
def test_pair_hmm_equals_list_of_all_alignments(seed, rows, columns, data):
    rng = np.random.default_rng(seed)
    shapes = (SIZE, SIZE), (SIZE, SIZE + 1), (SIZE + 1, SIZE), (3, 3), (3,), (3,)
    arrays = [rng.normal(size=shape).astype(np.float32) for shape in shapes]
    arrays[3].flat[data.draw(st.integers(0, 8))] = data.draw(NUMBERS)
    arrays[4][data.draw(st.integers(0, 2))] = data.draw(NUMBERS)
    listed = _listed(rows, columns)
    weights = np.array([_score(x, *arrays) for x in listed])
    padded = [x[None].copy() for x in arrays]
    for x in padded[:3]:  # the padding may be anything
        x[0, rows + (x.shape[1] - SIZE) :] = np.nan
        x[0, :, columns + (x.shape[2] - SIZE) :] = np.nan
    log_partition, marginals, best, operations = _pair_hmm(padded, np.array([[rows, columns]]))
    if weights.max() == -np.inf:
        assert log_partition[0] == best[0] == -np.inf
        return
    total = np.logaddexp.reduce(weights)
    assert log_partition[0] == pytest.approx(total, abs=2e-5)
    assert best[0] == pytest.approx(weights.max(), abs=1e-5)
    read = [o for o in operations[0].tolist() if o >= 0]
    assert weights[listed.index(read)] == pytest.approx(weights.max(), abs=1e-5)
    expected = np.zeros((SIZE, SIZE))
    for path, weight in zip(listed, weights, strict=True):
        i = j = 0
        for operation in path:
            if operation == MATCH:
                expected[i, j] += np.exp(weight - total)
            i, j = i + (operation != INSERT), j + (operation != DELETE)
    np.testing.assert_allclose(marginals.step[0, 1:, 1:, MATCH], expected, atol=2e-5)


def test_affine_gaps_are_paid_by_length():
    first, second = "GGGAAATTT", "GGGTTT"
    match = jnp.array([[[2.0 if a == b else -3.0 for b in second] for a in first]])
    transition, initial = affine_gaps(-4.0, -0.5)
    d = Distribution(alignments(match, 0.0, 0.0, transition, initial))
    operations = d.argmax()
    assert d.structure.pairs(operations).tolist() == [[0, 1, 2, -1, -1, -1, 3, 4, 5]]
    # Six matches, and one gap of three: 12 - 4 - 2 * 0.5.
    assert d.unnormalized_log_prob(operations)[0] == 7
    # A gap at the beginning is opened, too.
    only_gap = Distribution(alignments(jnp.zeros((1, 2, 0)), 0.0, 0.0, transition, initial))
    assert only_gap.log_partition()[0] == -4.5


def test_operations_written_out():
    # kitten: k/s, itt, e/i, n, +g; a transposed pair of lengths in the second item
    structure = alignments(
        jnp.zeros((2, 6, 7)), 0.0, 0.0, jnp.zeros((3, 3)), lengths=[[6, 7], [1, 0]]
    )
    operations = jnp.array([[0, 0, 0, 0, 0, 0, 2], [1, -1, -1, -1, -1, -1, -1]])
    parts = structure.to_parts(operations)
    assert parts.step[0].sum() == 7
    assert parts.step[0, 6, 7, INSERT] == 1
    assert parts.transition[0].tolist() == [[5, 0, 1], [0, 0, 0], [0, 0, 0]]
    assert parts.step[1].sum() == parts.step[1, 1, 0, DELETE] == 1
    assert structure.from_parts(parts)[:, :7].tolist() == operations.tolist()
    assert structure.cells(operations)[0, -1].tolist() == [6, 7]
    assert structure.pairs(operations).tolist() == [[0, 1, 2, 3, 4, 5], [-1] * 6]


@pytest.mark.parametrize("operations", [[0, 0], [0, 1, 2, 0], [3, 0, 1], [1, 1, 1], []])
def test_operations_that_do_not_fit(operations):
    structure = alignments(jnp.zeros((1, 3, 2)))
    operations = jnp.array([operations], int)
    with pytest.raises(UsageError, match=r"alignment \[0\] consume"):
        structure.to_parts(operations)
    score = jax.jit(lambda x: Distribution(structure).unnormalized_log_prob(structure.to_parts(x)))
    assert jnp.isnan(score(operations))[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"match": np.full((1, 2, 2), np.inf)}, r"match\[0, 0, 0\] is inf"),
        ({"match": np.zeros(2)}, "match has shape"),
        (
            {"delete": np.zeros((1, 2, 2))},
            r"delete has shape \(1, 2, 2\), which does not broadcast",
        ),
        ({"insert": np.nan}, r"insert\[0, 0, 0\] is nan"),
        ({"transition": np.zeros((2, 2))}, "transition has shape"),
        ({"initial": np.array([0, np.nan, 0])}, r"initial\[0, 1\] is nan"),
        ({"final": np.zeros((2, 3))}, "final has shape"),
        ({"lengths": [2, 2, 2]}, r"lengths has shape \(3,\); expected \[batch, 2\]"),
        ({"lengths": [[2, 3]]}, r"lengths\[:, 1\]\[0\] is 3"),
    ],
)
def test_arguments_that_do_not_fit(change, message):
    with pytest.raises(UsageError, match=message):
        alignments(**({"match": np.zeros((1, 2, 2))} | change))


@pytest.mark.parametrize("shape", [(1, 0, 0), (1, 2, 0)])
def test_nothing_to_match(shape):
    d = Distribution(alignments(np.zeros(shape), -1.0, -2.0, np.zeros((3, 3))))
    weight = -shape[1] - 2 * shape[2]
    assert d.log_partition().tolist() == [weight]
    drawn = d.sample(jax.random.key(0), 1)
    assert d.unnormalized_log_prob(drawn).tolist() == [[weight]]
    assert d.argmax().tolist() == [[DELETE] * shape[1] + [INSERT] * shape[2]]
