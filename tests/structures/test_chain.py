"""Linear chains: a sum by hand, long chains, and errors."""

from __future__ import annotations

import math
from functools import partial
from math import exp, log
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.errors import UsageError
from semipunct.structures.chain import linear_chain
from semipunct.structures.distribution import Distribution
from semirings import Log, Real, Semiring, Tropical
from tests.semirings.strings import Strings

LONG = 100_000


def test_two_positions_written_out():
    emission = jnp.array([[[0.1, 0.2], [0.3, 0.4]]])
    transition = jnp.array([[1.0, 2.0], [3.0, 4.0]])
    log_partition, marginals, best, entropy = jax.jit(
        lambda d: (d.log_partition(), d.marginals(), d.top_k(1)[1], d.entropy())
    )(Distribution(linear_chain(emission, transition)))
    weights = {
        (0, 0): exp(0.1 + 1.0 + 0.3),
        (0, 1): exp(0.1 + 2.0 + 0.4),
        (1, 0): exp(0.2 + 3.0 + 0.3),
        (1, 1): exp(0.2 + 4.0 + 0.4),
    }
    total = sum(weights.values())
    assert log_partition[0] == pytest.approx(log(total), rel=1e-6)
    for (a, b), weight in weights.items():
        assert marginals.transition[0, 0, a, b] == pytest.approx(weight / total, rel=1e-5)
    assert best[0, 0] == pytest.approx(log(weights[1, 1]), rel=1e-6)
    assert entropy[0] == pytest.approx(
        -sum(w / total * log(w / total) for w in weights.values()), rel=1e-5
    )


@pytest.mark.parametrize("method", ["sequential", "parallel"])
def test_factors_keep_their_order(method: str):
    """Only one sequence is possible; its emissions and transitions spell a word."""
    letters = Strings(length=5, letters=8)
    emission = jnp.where(jnp.eye(2, dtype=bool)[jnp.array([0, 1, 0])], 0.0, -jnp.inf)[None]
    chain = linear_chain(emission, jnp.zeros((2, 2)), method=method).expand()
    names = chain.weights._replace(
        emission=jnp.broadcast_to(jnp.array([1.0, 3.0, 5.0])[None, :, None], (1, 3, 2)),
        transition=jnp.broadcast_to(jnp.array([2.0, 4.0])[None, :, None, None], (1, 2, 2, 2)),
    )
    value = jax.jit(lambda chain, names: chain.total(letters, names).value)(chain, names)
    assert letters.read(value) == [(1, 2, 3, 4, 5)]


@pytest.mark.parametrize("semiring, spread", [(Real(), 1.0), (Log(), 90.0), (Tropical(), 90.0)])
def test_one_matrix_for_all_answers_as_its_copies_do(semiring: Semiring, spread: float):
    """Log and tropical weights stay exact even if their range exceeds that of floats."""
    generator = np.random.default_rng(3)
    emission = jnp.asarray(generator.uniform(-1, 1, (2, 4, 3)), jnp.float32)
    transition = jnp.asarray(spread * generator.uniform(-1, 1, (3, 3)), jnp.float32)
    lengths = jnp.array([4, 2])

    @jax.jit
    @partial(jax.value_and_grad, argnums=(0, 1))
    def total(emission: jax.Array, transition: jax.Array) -> jax.Array:
        total_of_chain = linear_chain(emission, transition, lengths).total(semiring)
        return jnp.sum(semiring.log_weight(total_of_chain.value) + total_of_chain.log_scale)

    copies = jnp.broadcast_to(transition, (2, 3, 3, 3))
    log_sum, (at, between) = total(emission, transition)
    expected, (at_each, between_each) = total(emission, copies)
    np.testing.assert_allclose(log_sum, expected, rtol=1e-6)
    np.testing.assert_allclose(at, at_each, atol=1e-5)
    np.testing.assert_allclose(between, between_each.sum((0, 1)), atol=1e-5)


def test_a_long_chain_in_single_precision(x64: None):
    """Rounding errors grow with the square root of the length, and marginals stay exact."""
    generator = np.random.default_rng(0)
    emission = generator.normal(size=(1, LONG, 3))
    transition = generator.normal(size=(3, 3))
    ask = jax.jit(lambda e, t: Distribution(linear_chain(e, t)).log_partition_and_marginals())
    precise = ask(jnp.asarray(emission), jnp.asarray(transition))
    single = ask(jnp.asarray(emission, jnp.float32), jnp.asarray(transition, jnp.float32))
    assert single[0].dtype == jnp.float32
    assert single[0][0] == pytest.approx(float(precise[0][0]), rel=1e-5)
    np.testing.assert_allclose(single[1].emission, precise[1].emission, atol=1e-4)
    np.testing.assert_allclose(single[1].emission.sum(2), 1.0, atol=1e-4)


def test_small_terms_are_not_lost_in_a_large_sum():
    """Added up without compensation, 20,000 scales of 0.1 give 1999.66 in single precision."""
    emission = jnp.full((1, 20_000, 1), 0.1)
    total = Distribution(linear_chain(emission, jnp.zeros((1, 1)))).log_partition()
    assert total[0] == pytest.approx(20_000 * float(np.float32(0.1)), rel=2e-7)


def test_scores_far_below_others_are_kept():
    """Libraries with a finite value in place of minus infinity, such as -1e5, lose this score."""
    emission = jnp.array([[[-2e6, -jnp.inf], [0.0, 0.0]]])
    d = Distribution(linear_chain(emission, jnp.array([[-3e6, -jnp.inf], [0.0, 0.0]])))
    log_partition, marginals = jax.jit(lambda d: d.log_partition_and_marginals())(d)
    assert log_partition[0] == -5e6
    assert marginals.emission[0].tolist() == [[1, 0], [1, 0]]


@pytest.mark.parametrize(
    "emission, transition, lengths, complaint",
    [
        ((2, 4, 3), (2, 4, 3, 3), None, r"transition has shape \(2, 4, 3, 3\).*size 3"),
        ((2, 4, 3), (3, 3, 3, 3), None, r"transition .*\(3, 3, 3, 3\) and emission .*\(2, 4, 3\)"),
        ((2, 4, 3), (5, 5), None, r"transition .*\(1, 1, 5, 5\) and emission .* axis 'states'"),
        ((4,), (3, 3), None, r"emission has shape \(4,\); expected 3 axes"),
        ((2, 4, 3), (3, 3), [4, 5], r"lengths\[1\] is 5; the arrays allow 0 to 4"),
        ((2, 4, 3), (3, 3), [-1, 4], r"lengths\[0\] is -1"),
        ((2, 4, 3), (3, 3), [4], r"lengths has shape \(1,\) and emission has shape"),
        ((2, 4, 3), (3, 3), [1.0, 2.0], r"lengths must be integers, not float32"),
    ],
)
def test_what_does_not_fit_is_named(
    emission: tuple[int, ...], transition: tuple[int, ...], lengths: list[float] | None,
    complaint: str,
):  # fmt: skip
    length_array = None if lengths is None else jnp.array(lengths)
    with pytest.raises(UsageError, match=complaint):
        linear_chain(jnp.zeros(emission), jnp.zeros(transition), length_array)


@pytest.mark.parametrize("wrong", [jnp.nan, jnp.inf])
def test_what_is_no_log_weight_is_named(wrong: float):
    emission = jnp.zeros((1, 2, 2)).at[0, 1, 0].set(wrong)
    with pytest.raises(UsageError, match=r"emission\[0, 1, 0\] is (nan|inf); a log weight"):
        linear_chain(emission, jnp.zeros((2, 2)))
    with pytest.raises(UsageError, match="emission must be floats of 16, 32 or 64 bits, not int32"):
        linear_chain(jnp.zeros((1, 2, 2), jnp.int32), jnp.zeros((2, 2)))


def test_an_unknown_method_is_refused():
    method: Any = "fast"
    with pytest.raises(UsageError, match="method is 'fast', not 'sequential' or 'parallel'"):
        linear_chain(jnp.zeros((1, 2, 2)), jnp.zeros((2, 2)), method=method)


def test_what_cannot_choose_says_what_can():
    d = Distribution(linear_chain(jnp.zeros((1, 2, 2)), jnp.zeros((2, 2))))
    with pytest.raises(TypeError, match=r"Log\(\) is not selective.*use viterbi"):
        d.argmax_parts(Log())  # pyright: ignore[reportArgumentType]


def test_no_positions_at_all():
    d = Distribution(linear_chain(jnp.zeros((2, 0, 3)), jnp.zeros((3, 3))))
    assert d.log_partition().tolist() == [0, 0]
    assert d.marginals().emission.shape == (2, 0, 3)


def test_marginals_need_memory_for_one_more_array_like_the_transitions():
    shapes = (8, 64, 16), (8, 63, 16, 16)
    emission, transition = (jax.ShapeDtypeStruct(shape, jnp.float32) for shape in shapes)

    @jax.jit
    def both(emission: Any, transition: Any) -> Any:
        return Distribution(linear_chain(emission, transition)).log_partition_and_marginals()

    analysis = both.lower(emission, transition).compile().memory_analysis()
    assert analysis.temp_size_in_bytes < 1.6 * 4 * math.prod(shapes[1])
