"""Semi-Markov chains compared with all segmentations, enumerated in plain Python."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.errors import UsageError
from semipunct.structures.distribution import Distribution
from semipunct.structures.semi_markov import SemiMarkovChain, SemiMarkovParts, semi_markov_chain
from semirings import Expectation, Log, Real, Viterbi
from semirings.kbest import KBest
from tests.semirings.strings import Strings

BATCH, LENGTH, WIDTH, STATES = 3, 4, 3, 2


@jax.jit
def ask_sums(structure: Any) -> tuple[jax.Array, Any]:
    return Distribution(structure).log_partition_and_marginals()


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
    (2, (1, 2, 6, 16, 44, 120)),
])  # fmt: skip
def test_counts_of_two_states(width: int, counts: tuple[int, ...]):
    """c(n) = 2 (c(n - 1) + ... + c(n - width)); without a limit 2 * 3 ** (n - 1)."""
    lengths = jnp.arange(len(counts))
    structure = semi_markov_chain(
        jnp.zeros((len(counts), len(counts) - 1, width, 2)), jnp.zeros((2, 2)), None, lengths
    )
    np.testing.assert_allclose(np.exp(ask_sums(structure)[0]), counts, rtol=1e-5)


def test_factors_stay_in_order():
    """Initial a, segments b and d, and the transition c between them: the string a b c d."""
    weights = SemiMarkovParts(jnp.zeros((1, 2, 1, 1)), jnp.zeros((1, 1, 1)), jnp.zeros((1, 1)))
    letters = SemiMarkovParts(
        jnp.array([1.0, 3.0]).reshape(1, 2, 1, 1), jnp.full((1, 1, 1), 2.0), jnp.zeros((1, 1))
    )
    semiring = Strings(length=5, letters=4)
    word = jax.jit(lambda s, x: s.total(semiring, x).value)(semi_markov_chain(*weights), letters)
    assert (int(word.size[0]), int(word.code[0])) == (4, int("0123", 4))


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


def test_the_best_two_in_double_precision():
    """Two segments of width 1 weigh 1 + 0.25 + 2, one of width 2 weighs 2.5; 9 does not fit."""
    with jax.enable_x64(True):
        segment = jnp.array([[[[1.0], [9.0]], [[2.0], [2.5]]]], jnp.float64)
        chain = semi_markov_chain(segment, jnp.array([[0.25]], jnp.float64))
        parts, log_weight = Distribution(chain).top_k_parts(2)
        assert {x.dtype for x in jax.tree.leaves(parts)} == {jnp.dtype(np.float64)}
        np.testing.assert_allclose(log_weight, [[3.25], [2.5]])
        assert parts.segment[:, 0, :, :, 0].tolist() == [[[1, 0], [1, 0]], [[0, 0], [0, 1]]]
        assert parts.transition[:, 0, 0, 0].tolist() == [1, 0]


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
