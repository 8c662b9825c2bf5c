"""CTC against optax, and against symbols written out by hand."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semipunct.errors import UsageError
from semipunct.structures import Distribution, ctc

FRAMES, LABELS, SYMBOLS, BLANK = 8, 4, 5, 1


@jax.jit
def _ours(logits, labels, lengths, label_lengths):
    def loss(logits):
        padding = jnp.arange(FRAMES) >= lengths[:, None]
        log_probs = jnp.where(padding[..., None], jnp.nan, jax.nn.log_softmax(logits))
        structure = ctc(log_probs, labels, lengths, label_lengths, BLANK)
        each = -Distribution(structure).log_partition()
        return jnp.sum(jnp.where(jnp.isfinite(each), each, 0.0)), each

    return jax.grad(loss, has_aux=True)(logits)


@jax.jit
def _optax(logits, labels, lengths, label_lengths):
    def loss(logits):
        beyond = [
            jnp.arange(n) >= x[:, None] for n, x in ((FRAMES, lengths), (LABELS, label_lengths))
        ]
        paddings = [x.astype(logits.dtype) for x in beyond]
        each = optax.ctc_loss(logits, paddings[0], labels, paddings[1], blank_id=BLANK)
        return jnp.sum(each), each

    return jax.grad(loss, has_aux=True)(logits)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 2**31),
    st.floats(0, 20),
    st.lists(st.integers(0, FRAMES), min_size=3, max_size=3),
    st.lists(st.integers(0, LABELS), min_size=3, max_size=3),
)
def test_loss_and_gradient_equal_those_of_optax(seed, scale, lengths, label_lengths):
    rng = np.random.default_rng(seed)
    logits = rng.normal(scale=scale, size=(3, FRAMES, SYMBOLS)).astype(np.float32)
    labels = rng.choice([0, 2, 3], (3, LABELS))  # few, so that neighbours are often equal
    needed = [
        n + sum(row[i] == row[i - 1] for i in range(1, n))
        for row, n in zip(labels.tolist(), label_lengths, strict=True)
    ]
    possible = np.array(needed) <= lengths
    gradient, loss = _ours(logits, labels, np.array(lengths), np.array(label_lengths))
    expected_gradient, expected = _optax(logits, labels, np.array(lengths), np.array(label_lengths))
    np.testing.assert_allclose(loss[possible], expected[possible], rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(gradient[possible], expected_gradient[possible], atol=1e-5)
    # optax returns some 1e5, its stand-in for infinity.
    assert (loss[~possible] == np.inf).all()
    assert (expected[~possible] > 5e4).all()
    assert not gradient[~possible].any()


def test_three_frames_for_one_and_two_labels():
    """Equal neighbours need a blank between them."""
    probs = jnp.array([[0.5, 0.5, 0.0], [0.25, 0.25, 0.5], [1.0, 0.0, 0.0]])
    log_probs = jnp.stack([jnp.log(probs), jnp.zeros((3, 3)), jnp.zeros((3, 3))])
    labels = jnp.array([[1, 0], [2, 2], [1, 2]])

    @jax.jit
    def answers(log_probs):
        d = Distribution(ctc(log_probs, labels, None, [1, 2, 2]))
        return jnp.exp(d.log_partition()), d.marginals().state, *d.top_k(4)

    total, marginals, symbols, log_weight = answers(log_probs)
    # Of aaa, aa-, -aa, a--, -a-, --a, all that end in a are impossible.
    np.testing.assert_allclose(total, [3 * 0.5 * 0.25, 1, 5], rtol=1e-5)
    np.testing.assert_allclose(marginals[0, :, 1], [2 / 3, 2 / 3, 0], atol=1e-6)
    assert sorted(symbols[:3, 0].tolist()) == [[0, 1, 0], [1, 0, 0], [1, 1, 0]]
    assert log_weight[3, 0] == -np.inf
    assert symbols[0, 1].tolist() == [2, 0, 2]


def test_alignments_as_symbols_and_as_states():
    structure = ctc(jnp.zeros((2, 6, 3)), jnp.array([[1, 1, 2], [2, 0, 0]]), [6, 2], [3, 1])
    symbols = jnp.array(
        [[[1, 0, 1, 1, 2, 0], [0, 2, 9, 9, 9, 9]], [[0, 1, 0, 0, 1, 2], [2, 2, 9, 9, 9, 9]]]
    )
    parts = structure.to_parts(symbols)
    assert parts.state.argmax(-1)[:, 0].tolist() == [[1, 2, 3, 3, 5, 6], [0, 1, 2, 2, 3, 5]]
    assert parts.state[:, 1].sum(-1).tolist() == [[1, 1, 0, 0, 0, 0]] * 2
    back = structure.from_parts(parts)
    assert back[:, 0].tolist() == symbols[:, 0].tolist()
    assert back[:, 1].tolist() == [[0, 2, -1, -1, -1, -1], [2, 2, -1, -1, -1, -1]]

    @jax.jit
    def draws(key):
        d = Distribution(structure)
        return structure.to_parts(d.sample(key, 50)).state, d.sample_parts(key, 50).state

    np.testing.assert_array_equal(*draws(jax.random.key(0)))


def test_symbols_that_are_not_of_the_labels():
    structure = ctc(jnp.zeros((1, 3, 3)), jnp.array([[1, 1]]))
    wrong = [[1, 1, 2], [1, 2, 0], [2, 1, 1], [0, 1, 0], [1, 0, 2]]
    for symbols in wrong:
        with pytest.raises(UsageError, match=r"alignment \[0\] are not those of labels\[0\]"):
            structure.to_parts(jnp.array([symbols]))
    score = jax.jit(lambda x: Distribution(structure).unnormalized_log_prob(structure.to_parts(x)))
    scores = score(jnp.array([*wrong, [1, 0, 1]])[:, None])
    np.testing.assert_array_equal(scores[:, 0], [np.nan] * 5 + [0])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": np.array([[1, 3]])}, r"labels\[0, 1\] is 3; .* 0 to 2 other than the blank, 0"),
        ({"labels": np.array([[0, 1]])}, r"labels\[0, 0\] is 0"),
        ({"labels": np.array([[1.0, 2]])}, "integers"),
        ({"labels": np.ones((2, 2), int)}, "labels has shape"),
        ({"lengths": [5]}, r"lengths\[0\] is 5; the arrays allow 0 to 4"),
        ({"label_lengths": [3]}, r"label_lengths\[0\] is 3"),
        ({"label_lengths": [1, 1]}, "label_lengths has shape"),
        ({"blank": 3}, "blank is 3"),
        ({"log_probs": np.full((1, 4, 3), np.nan)}, r"log_probs\[0, 0, 0\] is nan"),
    ],
)
def test_arguments_that_do_not_fit(change, message):
    arguments = {"log_probs": np.zeros((1, 4, 3)), "labels": np.array([[1, 2]])}
    with pytest.raises(UsageError, match=message):
        ctc(**(arguments | change))


def test_a_symbol_that_no_alignment_uses_may_be_anything():
    log_probs = np.zeros((1, 4, 3), np.float32)
    log_probs[..., 2] = np.nan
    d = Distribution(ctc(log_probs, np.array([[1]])))
    assert jnp.exp(d.log_partition())[0] == pytest.approx(10)


def test_no_frames():
    d = Distribution(ctc(np.zeros((2, 0, 3)), np.ones((2, 2), int), None, [0, 2]))

    @jax.jit
    def ask(key):
        drawn = d.sample(key, 2)
        return d.log_partition(), drawn, d.unnormalized_log_prob(drawn)

    log_partition, drawn, scores = ask(jax.random.key(0))
    assert log_partition.tolist() == [0, -np.inf]
    assert drawn.shape == (2, 2, 0)
    assert scores[:, 0].tolist() == [0, 0]
    unlabelled = Distribution(ctc(np.zeros((1, 0, 3)), np.ones((1, 0), int)))
    assert unlabelled.log_partition().tolist() == [0]
