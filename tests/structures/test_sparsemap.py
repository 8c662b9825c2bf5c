"""SparseMAP against the exact solution over all vertices: every face is tried."""

from __future__ import annotations

import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semipunct.errors import UsageError
from semipunct.structures import (
    ChainParts,
    Distribution,
    hypergraphs,
    linear_chain,
    nonprojective_trees,
    projective_trees,
    sparsemap,
    sparsemap_loss,
)

STATES, LONGEST, WORDS = 2, 3, 3
WEIGHTS = st.one_of(st.floats(-3, 3, width=32), st.sampled_from([-np.inf, 0.0, 1.0]))


def _vertices_of_chains(length: int) -> list[np.ndarray]:
    """Return emissions and transitions of all sequences of states, as flat vectors."""
    vertices: list[np.ndarray] = []
    for states in itertools.product(range(STATES), repeat=length):
        emission = np.zeros((LONGEST, STATES))
        transition = np.zeros((LONGEST - 1, STATES, STATES))
        emission[range(length), list(states)] = 1
        for place, (before, after) in enumerate(itertools.pairwise(states)):
            transition[place, before, after] = 1
        vertices.append(np.concatenate([emission.ravel(), transition.ravel()]))
    return vertices


def _vertices_of_trees(crossing: bool) -> list[np.ndarray]:
    """Return the arcs of all trees over three words with one root."""
    vertices: list[np.ndarray] = []
    for heads in itertools.product(range(WORDS + 1), repeat=WORDS):
        reached = {0}
        for _ in heads:
            reached |= {m for m, h in enumerate(heads, 1) if h in reached}
        arcs = [(h, m) for m, h in enumerate(heads, 1)]
        if len(reached) <= WORDS or heads.count(0) != 1 or (not crossing and _crosses(arcs)):
            continue
        marks = np.zeros((WORDS + 1, WORDS + 1))
        marks[tuple(np.transpose(arcs))] = 1
        vertices.append(marks.ravel())
    return vertices


def _crosses(arcs: list[tuple[int, int]]) -> bool:
    spans = [(min(arc), max(arc)) for arc in arcs]
    return any(a < c < b < d for a, b in spans for c, d in spans)


def _solve(weights: np.ndarray, vertices: list[np.ndarray], penalty: np.ndarray) -> Any:
    """Return value and point of the maximum: stationary on the face of some set of vertices."""
    possible = [v for v in vertices if np.isfinite(weights[v > 0]).all()]
    weights = np.where(np.isfinite(weights), weights, 0.0)
    best: tuple[float, Any] = (-np.inf, None)
    for size in range(1, min(len(possible), 7) + 1):
        for face in itertools.combinations(possible, size):
            corners = np.array(face)
            system = np.ones((size + 1, size + 1))
            system[:size, :size] = corners @ (penalty * corners).T
            system[size, size] = 0
            sides = np.append(corners @ weights, 1.0)
            share = np.linalg.lstsq(system, sides, rcond=None)[0][:size]
            if share.min() < -1e-9 or abs(share.sum() - 1) > 1e-9:
                continue
            point = share @ corners
            value = float(weights @ point - point @ (penalty * point) / 2)
            if value > best[0]:
                best = value, point
    return best


@jax.jit
def _of_chain(emission: Any, transition: Any, length: Any, penalty: Any) -> Any:
    chain = Distribution(linear_chain(emission, transition, length))
    return sparsemap(chain, penalty, support=10, steps=30)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(WEIGHTS, min_size=6, max_size=6),
    st.lists(WEIGHTS, min_size=8, max_size=8),
    st.integers(0, LONGEST),
    st.sampled_from([(1.0, 1.0), (0.3, 2.0), (1.0, 0.0)]),
)
def test_chains(emissions: list[float], transitions: list[float], length: int, penalty: Any):
    emission = np.array(emissions, np.float32).reshape(1, LONGEST, STATES)
    transition = np.array(transitions, np.float32).reshape(1, LONGEST - 1, STATES, STATES)
    padded = np.where(np.arange(LONGEST)[:, None] < length, emission, np.nan)
    found = _of_chain(padded, transition, jnp.array([length]), ChainParts(*penalty))
    flat = np.concatenate([emission.ravel(), transition.ravel()])
    each = np.repeat(penalty, [emission.size, transition.size])
    value, point = _solve(flat, _vertices_of_chains(length), each)
    assert found.value[0] == pytest.approx(value, abs=1e-4)
    ours = np.concatenate([x[0].ravel() for x in found.parts])
    if point is None:
        assert not ours.any()
        assert not found.probability.any()
        return
    np.testing.assert_allclose((ours - point)[each > 0], 0, atol=2e-3)
    assert ours @ np.where(np.isfinite(flat), flat, 0) - ours @ (each * ours) / 2 == pytest.approx(
        value, abs=1e-4
    )
    assert found.gap[0] < 1e-4
    np.testing.assert_allclose(found.probability.sum(0), 1, atol=1e-5)
    mean = np.tensordot(found.probability[:, 0], found.support.parts.emission[:, 0], 1)
    np.testing.assert_allclose(mean, found.parts.emission[0], atol=1e-5)


@pytest.mark.parametrize("crossing", [False, True])
def test_trees(crossing: bool):
    vertices = _vertices_of_trees(crossing)
    assert len(vertices) == (9 if crossing else 7)
    make = nonprojective_trees if crossing else lambda arcs: Distribution(projective_trees(arcs))
    arcs = np.random.default_rng(0).normal(0, 1, (6, WORDS + 1, WORDS + 1)).astype(np.float32)
    arcs[1] *= 0.1
    arcs[2, 0, 1] = -np.inf
    found = jax.jit(lambda arcs: sparsemap(make(arcs), support=12, steps=40))(arcs)
    parts = found.parts if crossing else found.parts.arc
    for item in range(len(arcs)):
        value, point = _solve(arcs[item].ravel(), vertices, np.ones(arcs[item].size))
        assert found.value[item] == pytest.approx(value, abs=1e-5)
        np.testing.assert_allclose(parts[item].ravel(), point, atol=1e-3)


def test_one_position():
    """The projection onto the simplex, written out: (2, 1.5, 0) less 1.25, where positive."""
    emission = jnp.array([[[2.0, 1.5, 0.0]]])

    def of(emission: jax.Array, penalty: Any = 1.0) -> Any:
        return sparsemap(Distribution(linear_chain(emission, jnp.zeros((3, 3)))), penalty)

    found, slopes, by_penalty = jax.jit(
        lambda x: (
            of(x),
            jax.jacobian(lambda x: (of(x).parts.emission[0, 0], of(x).value))(x),
            jax.jvp(lambda c: of(x, c).parts.emission[0, 0, 0], (1.0,), (1.0,))[1],
        )
    )(emission)
    np.testing.assert_allclose(found.parts.emission[0, 0], [0.75, 0.25, 0], atol=1e-6)
    assert found.value[0] == pytest.approx(2 * 0.75 + 1.5 * 0.25 - (0.75**2 + 0.25**2) / 2)
    assert (found.probability > 0).sum() == 2
    expected = [[0.5, -0.5, 0], [-0.5, 0.5, 0], [0, 0, 0]]
    np.testing.assert_allclose(slopes[0][:, 0, 0], expected, atol=1e-4)
    np.testing.assert_allclose(slopes[1][0], found.parts.emission, atol=1e-6)
    # Shares (1 + 0.5 / c) / 2 for a penalty c: their derivative by c is -0.25 at 1.
    assert by_penalty == pytest.approx(-0.25, abs=1e-4)


@pytest.mark.exhaustive
def test_gradient_is_that_of_finite_differences():
    rng = np.random.default_rng(1)
    with jax.enable_x64(True):
        emission, transition, cotangent = (
            jnp.asarray(rng.normal(size=n)) for n in ((2, 4, 2), (2, 2), (2, 4, 2))
        )

        @jax.jit
        def inner(emission: jax.Array, transition: jax.Array) -> jax.Array:
            chain = Distribution(linear_chain(emission, transition, jnp.array([4, 3])))
            found = sparsemap(chain, support=8, tolerance=1e-12)
            return jnp.sum(found.parts.emission * cotangent)

        slope = jax.jit(jax.grad(inner, (0, 1)))(emission, transition)
        for place in ((0, 1, 0), (1, 2, 1), (1, 3, 0)):
            step = jnp.zeros_like(emission).at[place].set(1e-5)
            numeric = float(inner(emission + step, transition) - inner(emission - step, transition))
            assert slope[0][place] == pytest.approx(numeric / 2e-5, abs=1e-6)
        step = jnp.zeros_like(transition).at[0, 1].set(1e-5)
        numeric = float(inner(emission, transition + step) - inner(emission, transition - step))
        assert slope[1][0, 1] == pytest.approx(numeric / 2e-5, abs=1e-6)
        assert not slope[0][1, 3].any()


@pytest.mark.exhaustive
def test_loss_has_a_margin_and_the_gradient_of_predictions():
    transition = jnp.zeros((2, 2))
    gold = jnp.array([[0, 1, 1], [0, 0, -1]])
    lengths = jnp.array([3, 2])

    @jax.jit
    def loss_and_slope(emission: jax.Array) -> Any:
        def total(emission: jax.Array) -> Any:
            each = sparsemap_loss(Distribution(linear_chain(emission, transition, lengths)), gold)
            return each.sum(), each

        slope, each = jax.grad(total, has_aux=True)(emission)
        found = sparsemap(Distribution(linear_chain(emission, transition, lengths)))
        return slope, each, found.parts.emission

    emission = jnp.asarray(np.random.default_rng(2).normal(size=(2, 3, 2)), jnp.float32)
    slope, each, found = loss_and_slope(emission)
    assert (each > 0).all()
    target = linear_chain(emission, transition, lengths).to_parts(gold).emission
    np.testing.assert_allclose(slope, found - target, atol=1e-5)
    # Transitions are parts, too: a change of state costs four of the ten squares at most.
    slope, each, _ = loss_and_slope(6 * target)
    np.testing.assert_allclose(each, 0, atol=1e-5)
    np.testing.assert_allclose(slope, 0, atol=1e-5)


@pytest.mark.exhaustive
def test_a_search_that_is_too_short_says_so():
    chain = Distribution(linear_chain(jnp.zeros((1, 6, 3)), jnp.zeros((3, 3))))
    gap = jax.jit(
        lambda chain, support, steps: sparsemap(chain, 1.0, support, steps).gap[0],
        static_argnums=(1, 2),
    )
    assert gap(chain, 2, 200) > 0.1
    assert gap(chain, 30, 2) > 0.1


def test_items_without_derivations_or_with_nan():
    emission = jnp.zeros((3, 2, 2)).at[0].set(-jnp.inf).at[1, 0, 0].set(jnp.nan)

    @jax.jit
    def of(emission: jax.Array) -> Any:
        def total(emission: jax.Array) -> Any:
            found = sparsemap(Distribution(linear_chain(emission, jnp.zeros((2, 2)))), support=8)
            return jnp.sum(found.parts.emission[2] ** 2), found

        return jax.grad(total, has_aux=True)(emission)

    slope, found = of(emission)
    assert np.isfinite(slope[::2]).all()
    assert found.value[0] == -np.inf
    assert not found.parts.emission[0].any()
    assert not found.probability[:, 0].any()
    assert np.isnan(found.parts.emission[1]).all()
    assert np.isnan(found.value[1])
    np.testing.assert_allclose(found.parts.emission[2], 0.5, atol=1e-5)


def test_hyperedges_are_parts():
    """Two ways to the root, of one edge and of two: m maximises 1 - m/2 ... less squares."""
    graph = hypergraphs(
        jnp.array([[1.0, 0.0, 0.5]]), jnp.array([[2, 1, 2]]), jnp.array([[[0], [0], [1]]]),
        jnp.array([2]),
    )  # fmt: skip
    found = jax.jit(lambda graph: sparsemap(Distribution(graph), support=4))(graph)
    # The share s of the first maximises s + (1 - s) / 2 - s**2 / 2 - (1 - s)**2: s = 5 / 6.
    np.testing.assert_allclose(found.parts[0], [5 / 6, 1 / 6, 1 / 6], atol=1e-6)


def test_wrong_arguments():
    chain = Distribution(linear_chain(jnp.zeros((1, 2, 2)), jnp.zeros((2, 2))))
    for penalty in (-1.0, jnp.nan, ChainParts(1.0, -1.0), jnp.inf):
        with pytest.raises(UsageError, match="negative or not finite"):
            sparsemap(chain, penalty)
    with pytest.raises(UsageError, match="all penalties are zero"):
        sparsemap(chain, 0.0)
    with pytest.raises(UsageError, match="a penalty is a number, or"):
        sparsemap(chain, jnp.ones(3))
    with pytest.raises(UsageError, match="shape"):
        sparsemap(chain, ChainParts(jnp.ones(3), 1.0))
    for wrong in ({"support": 0}, {"steps": 0}):
        with pytest.raises(UsageError, match="give 1 or more"):
            sparsemap(chain, **wrong)
    for tolerance in (-1.0, np.nan):
        with pytest.raises(UsageError, match="tolerance is"):
            sparsemap(chain, tolerance=tolerance)
    with pytest.raises(UsageError, match="LinearChain is no distribution; give Distribution"):
        sparsemap(chain.structure)  # pyright: ignore[reportArgumentType]
    with pytest.raises(UsageError, match="states"):
        sparsemap_loss(chain, [[0, 2]])
