"""What the suites of other libraries assert and no other test here does; docs/peers.md lists all.

Torch-Struct, SynJax and LAST: the statements are theirs, the tests are not.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.structures import (
    Distribution,
    alignments,
    linear_chain,
    nonprojective_trees,
    pcfg,
    projective_trees,
    semi_markov_chain,
)
from semirings import Viterbi
from tests.selection import selected

RNG = np.random.default_rng(0)


def _drawn(*shape: int) -> jax.Array:
    return jnp.asarray(RNG.normal(size=shape), jnp.float32)


@pytest.mark.parametrize("single_root", [True, False])
def test_trees_of_any_shape_are_counted_by_cayley(single_root: bool):
    """There are n**(n - 1) with one root and (n + 1)**(n - 1) with any number."""
    lengths = np.array([1, 2, 5, 9])
    counts = jax.jit(lambda n: nonprojective_trees(jnp.zeros((4, 10, 10)), n, single_root))
    found = counts(jnp.asarray(lengths)).log_partition()
    base = lengths if single_root else lengths + 1
    np.testing.assert_allclose(found, (lengths - 1) * np.log(base), rtol=1e-5, atol=1e-5)


@pytest.mark.exhaustive
def test_equal_weights_have_marginals_as_symmetric_as_the_structure():
    @jax.jit
    def marginals() -> Any:
        zeros = jnp.zeros
        chain = Distribution(linear_chain(zeros((1, 5, 3)), zeros((3, 3)))).marginals()
        tree = Distribution(projective_trees(zeros((1, 6, 6)))).marginals().arc[0]
        free = nonprojective_trees(zeros((1, 6, 6))).marginals()[0]
        rules = zeros((2, 4, 4))
        parse = Distribution(pcfg(zeros(2), rules, zeros((1, 5, 2)), spans=0.0)).marginals()
        return chain.transition[0], tree, free, parse.span[0]

    steps, tree, free, span = marginals()
    np.testing.assert_allclose(steps, np.full(steps.shape, 1 / 9), atol=1e-6)
    np.testing.assert_allclose(tree[1:, 1:], tree[:0:-1, :0:-1], atol=1e-6)
    np.testing.assert_allclose(tree[0, 1:], tree[0, :0:-1], atol=1e-6)
    np.testing.assert_allclose(free[1:, 1:], free[1:, 1:].T, atol=1e-6)
    np.testing.assert_allclose(free[0, 1:], 0.2, atol=1e-6)
    np.testing.assert_allclose(span, np.swapaxes(span[::-1, ::-1], 0, 1), atol=1e-6)
    assert span[0, 4].sum() == pytest.approx(1)


def _pairs() -> dict[str, Callable[[], tuple[Any, Any]]]:
    def chains() -> Any:
        return Distribution(linear_chain(_drawn(2, 4, 3), _drawn(3, 3)))

    def segments() -> Any:
        return Distribution(semi_markov_chain(_drawn(2, 4, 2, 2), _drawn(2, 2)))

    def projective() -> Any:
        return Distribution(projective_trees(_drawn(2, 5, 5)))

    def crossing() -> Any:
        return nonprojective_trees(_drawn(2, 5, 5))

    makers = (chains, segments, projective, crossing)
    return {make.__name__: lambda make=make: (make(), make()) for make in makers}


@pytest.mark.parametrize("name", selected(_pairs(), lambda name: name == "chains"))
def test_divergence_from_itself_is_zero_and_from_another_positive(name: str):
    d, other = _pairs()[name]()

    @jax.jit
    def answers(d: Any, other: Any) -> Any:
        return d.entropy(), d.cross_entropy(d), d.kl(d), d.kl(other)

    entropy, cross_entropy, itself, another = answers(d, other)
    np.testing.assert_allclose(entropy, cross_entropy, rtol=1e-5)
    assert (entropy > 0).all()
    np.testing.assert_allclose(itself, 0, atol=1e-5)
    assert (another > 1e-3).all()


def test_labelled_arcs_are_sums_or_maxima_over_labels():
    """A tree with labels chooses one for each arc: labels are summed over, or the best one wins."""
    arcs = _drawn(2, 4, 4, 3)

    @jax.jit
    def answers(arcs: jax.Array) -> Any:
        d = Distribution(projective_trees(jax.nn.logsumexp(arcs, -1)))
        best = Distribution(projective_trees(jnp.max(arcs, -1))).best()
        slope = jax.grad(
            lambda x: Distribution(projective_trees(jax.nn.logsumexp(x, -1))).log_partition().sum()
        )(arcs)
        return d.log_partition(), slope, best

    total, of_labels, best = answers(arcs)
    trees = [heads for heads in product(range(4), repeat=3) if _is_projective(heads)]
    assert len(trees) == 7
    for item in range(2):
        scores = []
        expected = np.zeros((4, 4, 3))
        for heads, labels in product(trees, product(range(3), repeat=3)):
            places = [(h, m, x) for m, (h, x) in enumerate(zip(heads, labels, strict=True), 1)]
            scores.append(sum(float(arcs[(item, *place)]) for place in places))
            for place in places:
                expected[place] += np.exp(scores[-1])
        log_total = np.logaddexp.reduce(scores)
        assert total[item] == pytest.approx(log_total, rel=1e-5)
        np.testing.assert_allclose(of_labels[item], expected / np.exp(log_total), atol=1e-5)
        assert best.log_weight[item] == pytest.approx(max(scores), rel=1e-5)


def _is_projective(heads: tuple[int, ...]) -> bool:
    reached = {0}
    for _ in heads:
        reached |= {m for m, h in enumerate(heads, 1) if h in reached}
    spans = [(min(h, m), max(h, m)) for m, h in enumerate(heads, 1)]
    crossing = any(a < c < b < d for a, b in spans for c, d in spans)
    # No arc covers the only word that the root has.
    roots = [m for m, h in enumerate(heads, 1) if h == 0]
    covered = any(a < m < b for m in roots for a, b in spans)
    return len(reached) == len(heads) + 1 and len(roots) == 1 and not crossing and not covered


FRAMES, SYMBOLS = 3, 2
TOTALS = {"log": jax.nn.logsumexp, "viterbi": jnp.max}


@pytest.mark.parametrize("total", TOTALS)
def test_a_lattice_of_one_label_or_blank_per_frame(total: str):
    """A frame emits a blank or a label, whose weight depends on the last label (Variani 2022).

    With given labels it is an alignment whose every step takes a frame. Over all labels it is a
    chain of last labels, whose steps from a label to itself are a blank or the label once more.
    """
    states = SYMBOLS + 1  # 0 before the first label
    blank, label = _drawn(FRAMES, states), _drawn(FRAMES, states, SYMBOLS)

    @jax.jit
    def answers(labels: jax.Array) -> Any:
        last = jnp.concatenate([jnp.zeros(1, int), labels])
        given = alignments(label[:, last[:-1], labels - 1], delete=blank[:, last], insert=-jnp.inf)
        same = jnp.where(jnp.eye(states, dtype=bool), blank[:, :, None], -jnp.inf)
        new = jnp.pad(label, ((0, 0), (0, 0), (1, 0)), constant_values=-jnp.inf)
        both = jnp.logaddexp(same, new) if total == "log" else jnp.maximum(same, new)
        first = jnp.where(jnp.arange(states) == 0, 0.0, -jnp.inf)
        emission = jnp.zeros((FRAMES + 1, states)).at[0].set(first)
        every = linear_chain(emission, both)
        if total == "log":
            return Distribution(given).log_partition()[0], Distribution(every).log_partition()[0]
        return Distribution(given).best().log_weight[0], Distribution(every).best().log_weight[0]

    paths: dict[tuple[int, ...], list[float]] = {}
    for symbols in product(range(states), repeat=FRAMES):
        weight, state = 0.0, 0
        for frame, symbol in enumerate(symbols):
            at = label[frame, state, symbol - 1] if symbol else blank[frame, state]
            weight, state = weight + float(at), symbol or state
        paths.setdefault(tuple(x for x in symbols if x), []).append(weight)
    every = TOTALS[total](jnp.array([w for weights in paths.values() for w in weights]))
    for labels in ((1, 2), (2, 2)):
        found, of_all = answers(jnp.array(labels))
        assert found == pytest.approx(float(TOTALS[total](jnp.array(paths[labels]))), rel=1e-5)
        assert of_all == pytest.approx(float(every), rel=1e-5)
    if total == "log":  # more labels than frames
        assert answers(jnp.array([1, 2, 1, 2]))[0] == -jnp.inf


def test_a_maximum_has_one_winner_whose_gradient_is_one():
    semiring = Viterbi()
    rows = jnp.array([[1.0, 2.0, 3.0], [0.0, 2.0, 4.0]])
    for axis, values in ((0, rows), (1, rows.T)):
        slope = jax.grad(lambda a, n=axis: jnp.sum(semiring.sum(a, n)))(values)
        first = slope if axis == 0 else slope.T
        assert first.tolist() == [[1, 1, 0], [0, 0, 1]]
