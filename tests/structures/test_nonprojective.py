"""Non-projective trees against a list of all heads that are trees, which shares no code."""

from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semipunct.errors import UsageError
from semipunct.structures import nonprojective_trees

WORDS = 4
WEIGHTS = st.one_of(st.floats(-3, 3, width=32), st.sampled_from([-np.inf, -1e4, 1e4]))
ARCS = st.lists(WEIGHTS, min_size=25, max_size=25)


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
    gradient = jax.grad(lambda t: jnp.sum(t.entropy()), allow_int=True)(trees).arcs
    return trees.log_partition_and_marginals(), trees.entropy(), trees.kl(other), gradient


@settings(max_examples=40, deadline=None)
@given(ARCS, st.integers(0, WORDS), st.booleans())
def test_equals_list_of_all_trees(weights, length, single_root):
    arcs = np.array(weights, np.float32).reshape(5, 5)
    padded = np.where(np.arange(5) > length, np.nan, arcs)
    padded[length + 1 :] = np.nan
    trees = nonprojective_trees(padded[None], jnp.array([length]), single_root)
    even = nonprojective_trees(np.zeros((1, 5, 5)), jnp.array([length]), single_root)
    (total, marginals), entropy, kl, gradient = _answers(trees, even)
    best = trees.best()
    listed = _listed(arcs, length, single_root)
    assert np.isfinite(gradient).all()
    if not listed:
        assert total[0] == best.log_weight[0] == entropy[0] == -np.inf
        assert not marginals.any()
        assert (best.heads == -1).all()
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
    assert best.log_weight[0] == pytest.approx(max(w for _, w in listed), rel=1e-6)
    assert trees.score(best.heads)[0] == pytest.approx(best.log_weight[0], rel=1e-6, abs=1e-3)


def test_two_words():
    arcs = jnp.log(jnp.array([[[0, 2.0, 3], [0, 0, 5], [0, 7, 0]]]))
    one = nonprojective_trees(arcs)
    assert jnp.exp(one.log_partition())[0] == pytest.approx(2 * 5 + 3 * 7)
    assert jnp.exp(nonprojective_trees(arcs, None, False).log_partition())[0] == pytest.approx(37)
    assert one.best().heads.tolist() == [[2, 0]]
    assert jnp.exp(one.log_prob(jnp.array([[0, 1]])))[0] == pytest.approx(10 / 31)
    assert one.marginals()[0, 0, 1] == pytest.approx(10 / 31)
    assert one.expectation(jnp.eye(3)[0][:, None] * 2.0)[0] == pytest.approx(2)
    assert one.from_parts(one.to_parts(jnp.array([[2, 0]]))).tolist() == [[2, 0]]


@pytest.mark.parametrize("single_root", [True, False])
def test_samples_have_probabilities_of_trees(single_root):
    # Even weights, since a chi-square test needs several expected draws of every tree.
    arcs = np.random.default_rng(3).normal(size=(4, 4), scale=0.3).astype(np.float32)
    trees = nonprojective_trees(arcs[None], None, single_root)
    drawn = trees.sample(jax.random.key(1), 600)
    listed = _listed(arcs, 3, single_root)
    heads = [tuple(h) for h in np.asarray(drawn.heads)[:, 0].tolist()]
    expected = 600 * _probabilities(listed)
    assert expected.min() > 5
    counts = np.array([heads.count(h) for h, _ in listed])
    assert counts.sum() == 600
    # Mean of a chi-square variable: one per degree of freedom; variance: two.
    degrees = len(listed) - 1
    assert ((counts - expected) ** 2 / expected).sum() < degrees + 5 * np.sqrt(2 * degrees)
    by_heads = dict(listed)
    np.testing.assert_allclose(drawn.log_weight[:, 0], [by_heads[h] for h in heads], rtol=1e-4)


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_weights_that_are_no_log_weights(wrong):
    arcs = np.zeros((2, 3, 3), np.float32)
    arcs[1, 1, 2] = wrong
    with pytest.raises(UsageError, match=r"arcs\[1, 1, 2\]"):
        nonprojective_trees(arcs)
    totals = jax.jit(lambda x: nonprojective_trees(x).log_partition())(arcs)
    assert totals[0] == pytest.approx(np.log(2))
    assert jnp.isnan(totals[1])


@pytest.mark.parametrize(
    ("heads", "message"),
    [([1, 0], "head of word 1"), ([2, 1], "cycle"), ([0, 0], "single_root"), ([0, 3], "is 3")],
)
def test_heads_that_are_no_tree(heads, message):
    trees = nonprojective_trees(np.zeros((1, 3, 3), np.float32))
    with pytest.raises(UsageError, match=message):
        trees.log_prob(jnp.array([heads]))
    assert jax.jit(lambda h: trees.score(h))(jnp.array([heads]))[0] == -jnp.inf


def test_questions_without_answer():
    trees = nonprojective_trees(np.zeros((1, 3, 3), np.float32))
    with pytest.raises(UsageError, match="projective_trees answers all"):
        trees.top(3)
    with pytest.raises(UsageError, match="outside of jit"):
        jax.jit(lambda t: t.best().log_weight)(trees)
