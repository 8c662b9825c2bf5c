"""The transducer against Graves's recursion in plain NumPy, and paths written out by hand."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semipunct.errors import UsageError
from semipunct.structures import Distribution, transducer

FRAMES, LABELS, SYMBOLS, BLANK = 4, 3, 4, 2


@jax.jit
def _loss(logits, labels, lengths, label_lengths):
    def loss(logits):
        log_probs = jax.nn.log_softmax(logits)
        structure = transducer(log_probs, labels, lengths, label_lengths, BLANK)
        each = -Distribution(structure).log_partition()
        return jnp.sum(jnp.where(jnp.isfinite(each), each, 0.0)), each

    return jax.grad(loss, has_aux=True)(logits)


def _listed(log_probs, labels, frames):
    """Return the log weight of every order of blanks and labels that ends with a blank."""
    for before in itertools.combinations_with_replacement(range(frames), len(labels)):
        # Label u is emitted at frame before[u].
        weight = sum(log_probs[t, u, labels[u]] for u, t in enumerate(before))
        yield weight + sum(log_probs[t, sum(x <= t for x in before), BLANK] for t in range(frames))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**31), st.floats(0, 10), st.integers(0, FRAMES), st.integers(0, LABELS))
def test_loss_and_gradient_equal_those_of_all_paths(seed, scale, frames, count):
    rng = np.random.default_rng(seed)
    logits = rng.normal(scale=scale, size=(1, FRAMES, LABELS + 1, SYMBOLS)).astype(np.float32)
    labels = rng.choice([0, 1, 3], (1, LABELS))
    gradient, loss = _loss(logits, labels, np.array([frames]), np.array([count]))
    log_probs = np.asarray(jax.nn.log_softmax(logits), np.float64)[0]

    def expected(log_probs):
        weights = [*_listed(log_probs, labels[0, :count], frames)]
        return -np.logaddexp.reduce(weights) if weights else np.inf

    assert loss[0] == pytest.approx(expected(log_probs), rel=1e-5, abs=1e-5)
    if loss[0] == np.inf:
        assert not gradient.any()
        return
    # The gradient in a random direction, by a difference in double precision.
    direction = rng.normal(size=logits.shape[1:])

    def at(step):
        moved = np.float64(logits[0]) + step * direction
        return expected(moved - np.logaddexp.reduce(moved, -1, keepdims=True))

    slope = (at(1e-5) - at(-1e-5)) / 2e-5
    assert np.sum(gradient[0] * direction) == pytest.approx(slope, rel=1e-4, abs=1e-4)


def test_one_label_in_two_frames():
    probs = np.zeros((1, 2, 2, 2))
    probs[0, 0] = [[0.25, 0.75], [0.5, 0.5]]
    probs[0, 1] = [[0.9, 0.1], [1.0, 0.0]]
    with np.errstate(divide="ignore"):
        d = Distribution(transducer(np.log(probs), np.array([[1]])))
    # The label in the first frame, or in the second.
    assert jnp.exp(d.log_partition())[0] == pytest.approx(0.75 * 0.5 * 1.0 + 0.25 * 0.1 * 1.0)
    operations = d.argmax()
    assert operations.tolist() == [[1, 0, 0]]
    at = d.structure.cells(operations)
    assert at.tolist() == [[[0, 1], [1, 1], [2, 1]]]
    # A label is emitted at the frame of its cell.
    assert d.marginals().step[0, :2, 1, 1].tolist() == pytest.approx([0.9375, 0.0625])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": np.array([[2, 0]])}, r"labels\[0, 1\] is 0; .* other than the blank, 0"),
        ({"labels": np.array([[1]])}, "axis 2 must have size 2"),
        ({"lengths": [5]}, r"lengths\[0\] is 5"),
        ({"log_probs": np.full((1, 4, 3, 3), np.nan)}, r"log_probs\[0, 0, 0, 0\] is nan"),
    ],
)
def test_arguments_that_do_not_fit(change, message):
    arguments = {"log_probs": np.zeros((1, 4, 3, 3)), "labels": np.array([[1, 2]])}
    with pytest.raises(UsageError, match=message):
        transducer(**(arguments | change))
