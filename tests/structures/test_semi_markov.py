"""Semi-Markov chains compared with all segmentations, enumerated in plain Python."""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.errors import UsageError
from semipunct.structures.chain import linear_chain
from semipunct.structures.distribution import Distribution
from semipunct.structures.semi_markov import SemiMarkovChain, SemiMarkovParts, semi_markov_chain
from semirings import Expectation, Log, Real, Semiring, Viterbi
from semirings.kbest import KBest
from tests.selection import thorough
from tests.semirings.strings import Strings
from tests.structures.segmentations import segmentations

BATCH, LENGTH, WIDTH, STATES = 3, 4, 3, 2


class Drawn(NamedTuple):
    """Random log weights, some minus infinity, and lengths."""

    segment: np.ndarray
    transition: np.ndarray
    initial: np.ndarray
    lengths: np.ndarray

    @property
    def structure(self) -> SemiMarkovChain:
        return semi_markov_chain(*map(jnp.asarray, self))

    def found(self, item: int) -> list[tuple[float, float, list[tuple[int, int, int]]]]:
        """Return log weight, number of segments and segments of each segmentation of an item."""
        listed = []
        for segments in segmentations(int(self.lengths[item]), WIDTH, STATES):
            weight = sum(self.segment[item, end, w - 1, s] for end, w, s in segments)
            for (_, _, before), (_, _, after) in itertools.pairwise(segments):
                weight += self.transition[item, before, after]
            if segments:
                weight += self.initial[item, segments[0][2]]
            listed.append((float(weight), float(len(segments)), segments))
        return listed


@st.composite
def drawn(draw: st.DrawFn) -> Drawn:
    generator = np.random.default_rng(draw(st.integers(0, 10_000)))
    shapes = (BATCH, LENGTH, WIDTH, STATES), (BATCH, STATES, STATES), (BATCH, STATES)
    weights = [generator.normal(-1, 1, shape).astype(np.float32) for shape in shapes]
    for x in weights:
        x[generator.random(x.shape) < 0.15] = -np.inf
    lengths = draw(st.lists(st.integers(0, LENGTH), min_size=BATCH, max_size=BATCH))
    return Drawn(*weights, np.array(lengths))


@jax.jit
def ask(structure: SemiMarkovChain) -> dict[str, Any]:
    def total(semiring: Semiring, feature: Any = None) -> Any:
        total = structure.total(semiring, feature)
        return semiring, total, semiring.log_weight(total.value) + total.log_scale

    nothing = jax.tree.map(jnp.zeros_like, structure.log_weights)
    segments = nothing._replace(segment=jnp.ones_like(nothing.segment))
    expectation, moments, _ = total(Expectation(), segments)
    kbest, ranked, _ = total(KBest(3))
    log_partition, marginals = Distribution(structure).log_partition_and_marginals()
    return {
        "log": log_partition,
        "real": total(Real())[2],
        "viterbi": total(Viterbi())[2],
        "segments": expectation.expected_value(moments.value),
        "top": kbest.log_weights(ranked.value) + ranked.log_scale,
        "marginals": marginals,
    }


@jax.jit
def ask_sums(structure: Any) -> tuple[jax.Array, Any]:
    return Distribution(structure).log_partition_and_marginals()


def log_sum(values: list[float]) -> float:
    largest = max(values)
    if largest == -math.inf:
        return largest
    return largest + math.log(sum(math.exp(v - largest) for v in values))


@given(drawn())
def test_totals_are_sums_over_all_segmentations(w: Drawn):
    answers = jax.tree.map(np.asarray, ask(w.structure))
    for item in range(BATCH):
        listed = w.found(item)
        weights = sorted((weight for weight, _, _ in listed), reverse=True)
        z = log_sum(weights)
        close = {"rel": 1e-4, "abs": 1e-4}
        assert answers["log"][item] == pytest.approx(z, **close)
        assert answers["real"][item] == pytest.approx(z, **close)
        assert answers["viterbi"][item] == pytest.approx(weights[0], **close)
        padded = [*weights, -math.inf, -math.inf][:3]
        np.testing.assert_allclose(answers["top"][:, item], padded, rtol=1e-4, atol=1e-4)
        chance = [math.exp(x - z) if z > -math.inf else 0.0 for x, _, _ in listed]
        expected = sum(p * count for p, (_, count, _) in zip(chance, listed, strict=True))
        assert answers["segments"][item] == pytest.approx(expected, **close)
        marginals = np.zeros((LENGTH, WIDTH, STATES))
        for p, (_, _, segments) in zip(chance, listed, strict=True):
            for end, width, state in segments:
                marginals[end, width - 1, state] += p
        np.testing.assert_allclose(
            answers["marginals"].segment[item], marginals, rtol=1e-4, atol=1e-4
        )


def test_one_case_written_out():
    """Two positions, one state, widths 1 and 2: the segments ab, or a then b."""
    a, b, ab, step, start = 0.2, 0.3, 0.5, 0.7, 0.9
    segment = np.log([[[[a], [99.0]], [[b], [ab]]]])
    log_partition, marginals = ask_sums(
        semi_markov_chain(segment, np.log([[step]]), np.log([start]))
    )
    z = start * ab + start * a * step * b
    assert log_partition[0] == pytest.approx(math.log(z), rel=1e-6)
    assert marginals.segment[0, 1, 1, 0] == pytest.approx(start * ab / z, rel=1e-5)
    assert marginals.transition[0, 0, 0] == pytest.approx(start * a * step * b / z, rel=1e-5)
    assert marginals.segment[0, 0, 1, 0] == 0


@pytest.mark.parametrize(("width", "counts"), [
    thorough(1, (1, 2, 4, 8, 16, 32)),
    (2, (1, 2, 6, 16, 44, 120)),
    thorough(3, (1, 2, 6, 18, 52, 152)),
    thorough(9, (1, 2, 6, 18, 54, 162)),
])  # fmt: skip
def test_counts_of_two_states(width: int, counts: tuple[int, ...]):
    """c(n) = 2 (c(n - 1) + ... + c(n - width)); without a limit 2 * 3 ** (n - 1)."""
    lengths = jnp.arange(len(counts))
    structure = semi_markov_chain(
        jnp.zeros((len(counts), len(counts) - 1, width, 2)), jnp.zeros((2, 2)), None, lengths
    )
    np.testing.assert_allclose(np.exp(ask_sums(structure)[0]), counts, rtol=1e-5)


@pytest.mark.exhaustive
def test_width_one_is_a_linear_chain():
    generator = np.random.default_rng(1)
    emission = generator.normal(0, 1, (2, 5, 3)).astype(np.float32)
    transition = generator.normal(0, 1, (3, 3)).astype(np.float32)
    lengths = jnp.array([5, 2])
    expected, chain = ask_sums(linear_chain(emission, transition, lengths))
    sums, segments = ask_sums(semi_markov_chain(emission[:, :, None], transition, None, lengths))
    np.testing.assert_allclose(sums, expected, rtol=1e-6)
    np.testing.assert_allclose(segments.segment[:, :, 0], chain.emission, rtol=1e-5, atol=1e-6)


def test_factors_stay_in_order():
    """Initial a, segments b and d, and the transition c between them: the string a b c d."""
    weights = SemiMarkovParts(jnp.zeros((1, 2, 1, 1)), jnp.zeros((1, 1, 1)), jnp.zeros((1, 1)))
    letters = SemiMarkovParts(
        jnp.array([1.0, 3.0]).reshape(1, 2, 1, 1), jnp.full((1, 1, 1), 2.0), jnp.zeros((1, 1))
    )
    semiring = Strings(length=5, letters=4)
    word = jax.jit(lambda s, x: s.total(semiring, x).value)(semi_markov_chain(*weights), letters)
    assert (int(word.size[0]), int(word.code[0])) == (4, int("0123", 4))


@pytest.mark.exhaustive
def test_what_lies_outside_changes_nothing():
    """These are segments that begin before the first position or end after the last."""
    generator = np.random.default_rng(2)
    segment = generator.normal(0, 1, (1, LENGTH, WIDTH, STATES)).astype(np.float32)
    outside = np.zeros(segment.shape, bool)
    for end, width in np.ndindex(LENGTH, WIDTH):
        outside[:, end, width] = end - width < 0 or end >= 3
    padded = np.where(outside, 7.0, segment).astype(np.float32)
    forbidden = np.where(outside, -np.inf, segment).astype(np.float32)
    transition, lengths = np.zeros((1, STATES, STATES), np.float32), np.array([3])
    shared = (transition, np.zeros((1, STATES), np.float32))
    # As many copies as other tests have items, in order to reuse the compiled function.
    answers = [
        jax.tree.map(
            np.asarray,
            ask(Drawn(*(np.repeat(y, BATCH, 0) for y in (x, *shared, lengths))).structure),
        )
        for x in (segment, padded, forbidden)
    ]
    for answer in answers:
        assert not answer["marginals"].segment[:1][outside].any()
        for x, y in zip(jax.tree.leaves(answer), jax.tree.leaves(answers[0]), strict=True):
            np.testing.assert_array_equal(x, y)
    shorter, _ = ask_sums(semi_markov_chain(segment[:, :3], transition))
    np.testing.assert_allclose(answers[0]["log"], np.repeat(shorter, BATCH), rtol=1e-6)


def test_reals_are_rescaled():
    structure = semi_markov_chain(jnp.full((1, 200, 2, 1), -3.0), jnp.zeros((1, 1)))

    @jax.jit
    def in_log_and_real(structure: SemiMarkovChain) -> Any:
        log = structure.total(Log())
        real = structure.total(Real())
        return log.value + log.log_scale, Real().log_weight(real.value) + real.log_scale

    log, real = in_log_and_real(structure)
    assert log[0] < -200
    assert real[0] == pytest.approx(float(log[0]), rel=1e-5)


def test_without_positions_there_is_one_derivation():
    structure = semi_markov_chain(jnp.zeros((2, 0, WIDTH, STATES)), jnp.zeros((STATES, STATES)))
    np.testing.assert_array_equal(Distribution(structure).log_partition(), [0, 0])


def test_the_best_two_in_double_precision():
    """Two segments of width 1 weigh 1 + 0.25 + 2, one of width 2 weighs 2.5; 9 does not fit."""
    with jax.enable_x64(True):
        segment = jnp.array([[[[1.0], [9.0]], [[2.0], [2.5]]]], jnp.float64)
        chain = semi_markov_chain(segment, jnp.array([[0.25]], jnp.float64))
        best = jax.jit(lambda chain: Distribution(chain).top(2))(chain)
        assert {x.dtype for x in jax.tree.leaves(best.parts)} == {jnp.dtype(np.float64)}
        np.testing.assert_allclose(best.log_weight, [[3.25], [2.5]])
        assert best.parts.segment[:, 0, :, :, 0].tolist() == [[[1, 0], [1, 0]], [[0, 0], [0, 1]]]
        assert best.parts.transition[:, 0, 0, 0].tolist() == [1, 0]


def test_keeps_dtypes_and_ranks(strict_numerics: None):
    structure = semi_markov_chain(
        jnp.zeros((2, 3, 2, 2)), jnp.zeros((2, 2)), None, jnp.array([3, 1])
    )
    for semiring in (Log(), Real(), Viterbi(), KBest(2), Expectation()):
        total = jax.eval_shape(lambda s=semiring: structure.total(s))
        assert {x.dtype for x in jax.tree.leaves(total)} == {jnp.dtype(jnp.float32)}


@pytest.mark.parametrize(("change", "message"), [
    ({"transition": np.zeros((3, 3))}, r"transition has shape .*segment has shape .*'states'"),
    ({"transition": np.zeros((3, 2, 2))}, r"transition has shape .*segment has shape .*'batch'"),
    ({"initial": np.zeros(3)}, r"initial has shape .*segment has shape .*'states'"),
    ({"lengths": np.zeros(3, int)}, r"lengths has shape .*segment has shape .*'batch'"),
    ({"lengths": np.array([2, 5])}, r"lengths\[1\] is 5; the arrays allow 0 to 4"),
    ({"segment": np.zeros((4, 2))}, r"segment has shape .*batch length max_width states"),
    ({"segment": np.zeros((2, 4, 0, 2))}, r"segment has shape .* must not be empty"),
    ({"segment": np.full((2, 4, 3, 2), np.nan)}, r"segment\[0, 0, 0, 0\] is nan"),
    ({"initial": np.array([0, np.inf])}, r"initial\[0, 1\] is inf"),
])  # fmt: skip
def test_bad_input_is_named(change: dict[str, np.ndarray], message: str):
    good = {"segment": np.zeros((2, 4, 3, 2)), "transition": np.zeros((2, 2))}
    with pytest.raises(UsageError, match=message):
        semi_markov_chain(**(good | change))


def test_segments_of_no_derivation_have_no_gradient():
    """Segments beyond the length, or beginning before position 0, may even be NaN."""
    segment = jnp.zeros((1, 2, 2, 2)).at[0, 1].set(jnp.nan).at[0, 0, 1].set(jnp.nan)

    @jax.jit
    @jax.grad
    def slope(segment: jax.Array) -> jax.Array:
        chain = semi_markov_chain(segment, jnp.zeros((2, 2)), None, jnp.array([1]))
        return Distribution(chain).log_partition().sum()

    expected = np.zeros((1, 2, 2, 2))
    expected[0, 0, 0] = 0.5
    np.testing.assert_allclose(slope(segment), expected)
