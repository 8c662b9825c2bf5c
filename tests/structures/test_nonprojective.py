"""Non-projective trees against a list of all heads that are trees, which shares no code."""

from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semipunct.errors import UsageError
from semipunct.structures import Distribution, matrix_tree, tree_walks
from semipunct.structures import nonprojective_trees as structure_of
from semirings import Log

WORDS = 4
WEIGHTS = st.one_of(st.floats(-3, 3, width=32), st.sampled_from([-np.inf, -1e4, 1e4]))
ARCS = st.lists(WEIGHTS, min_size=25, max_size=25)


def nonprojective_trees(*arguments):
    return Distribution(structure_of(*arguments))


def _listed(arcs, length, single_root):
    """Return all trees and their log weights in float64."""
    trees = []
    for heads in product(range(length + 1), repeat=length):
        reached = {0}
        for _ in heads:
            reached |= {m for m, h in enumerate(heads, 1) if h in reached}
        if len(reached) == length + 1 and (not single_root or heads.count(0) <= 1):
            weight = sum(float(arcs[h, m]) for m, h in enumerate(heads, 1))
            if weight > -np.inf:
                trees.append((heads, weight))
    return trees


def _probabilities(trees):
    weights = np.array([w for _, w in trees])
    return np.exp(weights - np.logaddexp.reduce(weights))


@jax.jit
def _answers(trees, other):
    gradient = jax.grad(lambda t: jnp.sum(t.entropy()), allow_int=True)(trees)
    divergence = trees.kl_divergence(other)
    total, marginals = trees.log_partition_and_marginals()
    gradient = gradient.structure.weights.arc
    return total, marginals.arc, trees.entropy(), divergence, gradient, trees.argmax()


@settings(max_examples=40, deadline=None)
@given(ARCS, st.integers(0, WORDS), st.booleans())
def test_equals_list_of_all_trees(weights, length, single_root):
    arcs = np.array(weights, np.float32).reshape(5, 5)
    padded = np.where(np.arange(5) > length, np.nan, arcs)
    padded[length + 1 :] = np.nan
    trees = nonprojective_trees(padded[None], jnp.array([length]), single_root)
    even = nonprojective_trees(np.zeros((1, 5, 5)), jnp.array([length]), single_root)
    total, marginals, entropy, kl, gradient, traced = map(np.asarray, _answers(trees, even))
    best = np.asarray(trees.argmax())
    weight, traced_weight = np.asarray(trees.unnormalized_log_prob(np.stack([best, traced])))
    listed = _listed(arcs, length, single_root)
    assert np.isfinite(gradient).all()
    if not listed:
        assert total[0] == weight[0] == traced_weight[0] == entropy[0] == -np.inf
        assert not marginals.any()
        assert (best == -1).all()
        assert (traced == -1).all()
        return
    # Sums of weights of 1e4 are rounded to 2e-3 in float32.
    loose = 1e-2 if np.abs(arcs[np.isfinite(arcs)]).max(initial=0) > 100 else 1e-5
    p = _probabilities(listed)
    assert total[0] == pytest.approx(np.logaddexp.reduce([w for _, w in listed]), abs=loose)
    expected = np.zeros((5, 5))
    for (heads, _), probability in zip(listed, p, strict=True):
        for m, h in enumerate(heads, 1):
            expected[h, m] += probability
    np.testing.assert_allclose(marginals[0], expected, atol=loose)
    nats = -(p * np.log(np.maximum(p, 1e-300))).sum()
    assert entropy[0] == pytest.approx(nats, abs=20 * loose)
    uniform = np.log(len(_listed(np.zeros((5, 5)), length, single_root)))
    assert kl[0] == pytest.approx(uniform - nats, abs=20 * loose)
    assert weight[0] == pytest.approx(max(w for _, w in listed), rel=1e-6, abs=loose)
    # Contraction adds weights of 1e4 in float32.
    assert traced_weight[0] == pytest.approx(float(weight[0]), rel=1e-6, abs=loose)


def test_best_under_jit_contracts_cycles_within_cycles():
    random = np.random.default_rng(5)
    arcs = random.normal(size=(200, 13, 13)).astype(np.float32)
    arcs[::3] = np.round(arcs[::3])  # ties
    arcs[1::4] = np.where(random.random(arcs[1::4].shape) < 0.7, -np.inf, arcs[1::4])
    # The words of each block prefer each other, and blocks prefer each other to the root.
    arcs[2::3, 1:5, 1:5] += 20
    arcs[2::3, 5:9, 5:9] += 20
    arcs[2::3, 1:9, 1:9] += 5
    lengths = random.integers(0, 13, 200)
    spoilt = arcs[[0, 3]]
    spoilt[0, 1, 2] = spoilt[1, 1, 5] = np.nan
    traced_best = jax.jit(lambda a, lengths: nonprojective_trees(a, lengths).argmax())
    traced = traced_best(np.concatenate([arcs, spoilt]), np.append(lengths, [12, 3]))
    trees = nonprojective_trees(arcs, lengths)
    best = trees.argmax()
    assert (best >= 0).any(1).sum() > 100
    weights, traced_weights = trees.unnormalized_log_prob(np.stack([best, traced[:200]]))
    np.testing.assert_allclose(traced_weights, weights, rtol=1e-5, atol=1e-4)
    assert (traced[200] == -1).all()
    assert (traced[201, :3] >= 0).all()


def test_two_words():
    arcs = jnp.log(jnp.array([[[0, 2.0, 3], [0, 0, 5], [0, 7, 0]]]))
    one, several = nonprojective_trees(arcs), nonprojective_trees(arcs, None, False)
    assert jnp.exp(one.log_partition())[0] == pytest.approx(2 * 5 + 3 * 7)
    assert jnp.exp(several.log_partition())[0] == pytest.approx(37)
    assert one.argmax().tolist() == [[2, 0]]
    assert jnp.exp(one.log_prob(jnp.array([[0, 1]])))[0] == pytest.approx(10 / 31)
    assert one.structure.from_parts(one.argmax_parts()).tolist() == [[2, 0]]


def test_samples_have_probabilities_of_trees():
    # Even weights, since a chi-square test needs several expected draws of every tree.
    arcs = np.random.default_rng(3).normal(size=(3, 4, 4), scale=0.3).astype(np.float32)
    # A cycle that walks would not leave: heads are drawn from marginals.
    arcs[2, 1, 2] = arcs[2, 2, 1] = 40
    lengths, count = [3, 2, 3], 600
    trees = nonprojective_trees(arcs, jnp.array(lengths))
    drawn = trees.sample(jax.random.key(1), count)
    for item, length in enumerate(lengths):
        listed = _listed(arcs[item], length, True)
        assert (drawn[:, item, length:] == -1).all()
        heads = [tuple(h) for h in np.asarray(drawn)[:, item, :length].tolist()]
        expected = count * _probabilities(listed)
        likely = expected > 5
        assert expected[~likely].sum() < 1e-3
        counts = np.array([heads.count(h) for h, _ in listed])[likely]
        assert counts.sum() == count
        # Mean of a chi-square variable: one per degree of freedom; variance: two.
        degrees = likely.sum() - 1
        squares = (counts - expected[likely]) ** 2 / expected[likely]
        assert squares.sum() < degrees + 5 * np.sqrt(2 * degrees)
    # Without the third item nothing is eliminated, and another program draws the same trees.
    walked = nonprojective_trees(arcs[:2], jnp.array(lengths[:2]))
    np.testing.assert_array_equal(walked.sample(jax.random.key(1), count), drawn[:, :2])
    # Samples of an item depend on its key only.
    keys = jax.random.split(jax.random.key(4), 3)
    by_key = walked.sample(keys[:2], count)
    others = nonprojective_trees(arcs[[1, 1]], jnp.array(lengths)[jnp.array([0, 1])])
    np.testing.assert_array_equal(others.sample(keys[2:0:-1], count)[:, 1], by_key[:, 1])
    assert (by_key != drawn[:, :2]).any()
    with pytest.raises(UsageError, match=r"one for each of \(3,\)"):
        trees.sample(keys[:2], 7)


@pytest.mark.parametrize("single_root", [True, False])
def test_inverse_equals_elimination(single_root):
    generator = np.random.default_rng(7)
    scale = np.array([0.1, 1, 3, 6, 10, 30])[:, None, None]
    arcs = (scale * generator.normal(size=(6, 9, 9))).astype(np.float32)
    lengths = jnp.array([8, 8, 8, 8, 5, 3])
    arcs[1, 3, 4] = -np.inf
    given = arcs, lengths, single_root
    exact_sums = jax.jit(matrix_tree.exact_sums, static_argnums=2)
    total, marginals, *_ = exact_sums(*given)
    by_elimination = jax.jit(matrix_tree.by_elimination, static_argnums=2)
    exact, exact_marginals = by_elimination(*given)
    used = matrix_tree.used_arcs(np.arange(9)[None] <= np.asarray(lengths)[:, None])
    np.testing.assert_allclose(total, exact, atol=2e-5, rtol=2e-6)
    np.testing.assert_allclose(marginals, np.where(used, exact_marginals, 0), atol=2e-5)


@pytest.mark.parametrize("single_root", [True, False])
def test_expected_draws_of_walks(single_root):
    weight = np.random.default_rng(8).uniform(0.1, 1, (5, 5))
    arcs = np.where(matrix_tree.used_arcs(np.ones((1, 5), bool)), np.log(weight), -np.inf)
    by_inverse = jax.jit(matrix_tree.by_inverse, static_argnums=2)
    draws = by_inverse(jnp.asarray(arcs), jnp.array([4]), single_root).draws[0]
    between = np.exp(arcs[0, 1:, 1:])
    root = np.exp(arcs[0, 0, 1:])
    laplacian = np.diag(between.sum(0)) - between

    def walked(matrix, ends):
        """The visits of walks to their first word, for all words, until they end."""
        left = [m for m in range(4) if m not in ends]
        return (np.diag(matrix) * 1.0)[left] @ np.diag(np.linalg.inv(matrix[np.ix_(left, left)]))

    if single_root:
        each = [np.linalg.det(np.delete(np.delete(laplacian, r, 0), r, 1)) for r in range(4)]
        chosen = root * each / (root @ each)
        expected = sum(p * (1 + walked(laplacian, [r])) for r, p in enumerate(chosen))
    else:
        expected = walked(laplacian + np.diag(root), [])
    assert draws == pytest.approx(expected, rel=1e-4)


@settings(max_examples=10, deadline=None)
@given(st.lists(st.floats(0, 1, width=32), min_size=5, max_size=5))
def test_alias_tables_hold_probabilities(weights):
    weights = np.array([*weights, 1e-9], np.float32)
    tables = jax.device_get(jax.jit(tree_walks.aliases)((weights / weights.sum())[None]))
    each = np.zeros(8)
    for slot, (own, other) in enumerate(zip(tables.threshold[0], tables.other[0], strict=True)):
        each[slot] += int(own)
        each[int(other)] += 2**28 - int(own)
    assert each.sum() == 2**31
    np.testing.assert_allclose(each[:6] / 2**31, weights / weights.sum(), atol=1e-6)


def test_weights_that_are_no_log_weights():
    totals = jax.jit(lambda x: nonprojective_trees(x).log_partition())
    for wrong in (np.nan, np.inf):
        arcs = np.zeros((2, 3, 3), np.float32)
        arcs[1, 1, 2] = wrong
        with pytest.raises(UsageError, match=r"arcs\[1, 1, 2\]"):
            nonprojective_trees(arcs)
        assert totals(arcs)[0] == pytest.approx(np.log(2))
        assert jnp.isnan(totals(arcs)[1])


def test_heads_that_are_no_tree():
    trees = nonprojective_trees(np.zeros((1, 3, 3), np.float32))
    wrong = {(1, 0): "head of word 1", (2, 1): "cycle", (0, 0): "single_root", (0, 3): "is 3"}
    for heads, message in wrong.items():
        with pytest.raises(UsageError, match=message):
            trees.unnormalized_log_prob([heads])
    scores = jax.jit(lambda h: trees.unnormalized_log_prob(h))(jnp.array([*wrong])[:, None])
    assert (scores == -jnp.inf).all()


@settings(max_examples=40, deadline=None)
@given(ARCS, st.integers(0, WORDS), st.booleans(), st.integers(1, 130))
def test_top_equals_sorted_list_of_all_trees(weights, length, single_root, k):
    arcs = np.array(weights, np.float32).reshape(5, 5)
    trees = nonprojective_trees(arcs[None], jnp.array([length]), single_root)
    best, log_weight = map(np.asarray, trees.top_k(k))
    by_heads = dict(_listed(arcs, length, single_root))
    found = min(k, len(by_heads))
    expected = sorted(by_heads.values(), reverse=True)[:found]
    np.testing.assert_allclose(log_weight[:found, 0], expected, rtol=1e-6, atol=1e-5)
    heads = [tuple(x) for x in best[:found, 0, :length].tolist()]
    assert len(set(heads)) == found
    weights_of_heads = [by_heads[x] for x in heads]
    np.testing.assert_allclose(weights_of_heads, expected, rtol=1e-6, atol=1e-5)
    assert (best[found:] == -1).all()
    assert (log_weight[found:] == -np.inf).all()


def test_questions_without_answer():
    trees = nonprojective_trees(np.zeros((1, 3, 3), np.float32))
    with pytest.raises(UsageError, match="projective_trees has sums"):
        trees.sum_in(Log())
    with pytest.raises(UsageError, match="k is 0"):
        trees.top_k(0)
    with pytest.raises(UsageError, match="outside of jit"):
        jax.jit(lambda t: t.top_k(2)[1])(trees)
