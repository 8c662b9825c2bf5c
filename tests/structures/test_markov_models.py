"""Hidden Markov models against lists of all state sequences, in plain Python."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.errors import UsageError
from semipunct.structures import (
    Distribution,
    hidden_markov,
    hidden_markov_counts,
    hidden_semi_markov,
)

STATES, SYMBOLS, WIDTHS = 3, 4, 2
RNG = np.random.default_rng(0)
INITIAL = RNG.dirichlet(np.ones(STATES))
TRANSITION = RNG.dirichlet(np.ones(STATES), STATES)
EMISSION = RNG.dirichlet(np.ones(SYMBOLS), STATES)
DURATION = RNG.dirichlet(np.ones(WIDTHS), STATES)
OBSERVATIONS = np.array([[0, 3, 1, 1, 2], [2, 2, 0, 99, -7], [3, 9, 9, 9, 9], [9, 9, 9, 9, 9]])
LENGTHS = np.array([5, 3, 1, 0])


def _listed():
    """Return for each item the probability of every sequence of states, with the observations."""
    for observed, length in zip(OBSERVATIONS, LENGTHS, strict=True):
        listed = {}
        for states in itertools.product(range(STATES), repeat=int(length)):
            p = np.prod([EMISSION[s, o] for s, o in zip(states, observed, strict=False)])
            p *= INITIAL[states[0]] if states else 1.0
            listed[states] = p * np.prod([TRANSITION[x] for x in itertools.pairwise(states)])
        yield listed


@pytest.fixture(scope="module")
def chains():
    return hidden_markov(INITIAL, TRANSITION, EMISSION, OBSERVATIONS, LENGTHS, form="probs")


def _counted(weighted):
    initial, transition, emission = (np.zeros_like(x) for x in (INITIAL, TRANSITION, EMISSION))
    for observed, states, weight in weighted:
        for state in states[:1]:
            initial[state] += weight
        for pair in itertools.pairwise(states):
            transition[pair] += weight
        for state, symbol in zip(states, observed, strict=False):
            emission[state, symbol] += weight
    return initial, transition, emission


def test_expected_counts_equal_those_of_all_sequences(chains):
    ask = jax.jit(lambda x: Distribution(x).log_partition_and_marginals())
    log_partition, marginals = ask(chains)
    listed = [*_listed()]
    np.testing.assert_allclose(log_partition, [np.log(sum(x.values())) for x in listed], atol=1e-5)
    expected = _counted(
        (observed, states, p / sum(of_item.values()))
        for observed, of_item in zip(OBSERVATIONS, listed, strict=True)
        for states, p in of_item.items()
    )
    counts = hidden_markov_counts(marginals, OBSERVATIONS, SYMBOLS)
    for computed, x in zip(counts, expected, strict=True):
        np.testing.assert_allclose(computed, x, atol=2e-5)
    for computed, x in zip(counts.log_probs(), expected, strict=True):
        np.testing.assert_allclose(np.exp(computed), x / x.sum(-1, keepdims=True), atol=2e-5)

    # The counts are also the gradient of the log likelihood.
    def log_likelihood(parameters):
        return jnp.sum(
            Distribution(hidden_markov(*parameters, OBSERVATIONS, LENGTHS)).log_partition()
        )

    gradient = jax.jit(jax.grad(log_likelihood))(
        tuple(map(jnp.log, (INITIAL, TRANSITION, EMISSION)))
    )
    for computed, x in zip(gradient, expected, strict=True):
        np.testing.assert_allclose(computed, x, atol=2e-5)


def test_counts_of_best_sequences_and_of_samples(chains):
    key = jax.random.key(0)
    best_of, drawn_of = jax.jit(
        lambda x: (Distribution(x).argmax_parts(), Distribution(x).sample_parts(key, 20))
    )(chains)
    listed = [*_listed()]
    best = _counted(
        (observed, max(x, key=x.get), 1.0) for observed, x in zip(OBSERVATIONS, listed, strict=True)
    )
    counts = hidden_markov_counts(best_of, OBSERVATIONS, SYMBOLS)
    for computed, x in zip(counts, best, strict=True):
        assert computed.tolist() == x.tolist()
    drawn = hidden_markov_counts(drawn_of, OBSERVATIONS, SYMBOLS)
    assert [float(x.sum()) for x in drawn] == [20 * 3, 20 * 6, 20 * 9]


def test_rows_without_counts_are_uniform(chains):
    parts = jax.tree.map(jnp.zeros_like, chains.expand().log_weights)
    counts = hidden_markov_counts(parts, OBSERVATIONS, SYMBOLS)
    for smoothing in (0.0, 0.5):
        uniform = np.exp(counts.log_probs(smoothing).emission)
        np.testing.assert_allclose(uniform, np.full((STATES, SYMBOLS), 1 / SYMBOLS), rtol=1e-6)
    smoothed = counts._replace(initial=jnp.array([2.0, 1.0, 0.0])).log_probs(1.0)
    np.testing.assert_allclose(np.exp(smoothed.initial), np.array([3, 2, 1]) / 6, rtol=1e-6)


def test_three_forms_of_the_same_parameters(chains):
    logs = [np.log(x) for x in (INITIAL, TRANSITION, EMISSION)]
    of_logs = hidden_markov(*logs, OBSERVATIONS, LENGTHS)
    logits = [x + np.arange(len(x)).reshape(-1, *(1,) * (x.ndim - 1)) * (x.ndim - 1) for x in logs]
    of_logits = hidden_markov(*logits, OBSERVATIONS, LENGTHS, form="logits")
    scores = np.log(EMISSION).T[np.clip(OBSERVATIONS, 0, SYMBOLS - 1)]
    of_scores = hidden_markov(INITIAL, TRANSITION, scores, None, LENGTHS, form="probs")
    for other in (of_logs, of_logits, of_scores):
        for x, y in zip(other.weights, chains.weights, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-5)


def test_a_semi_markov_model_equals_the_list_of_its_segmentations():
    d = Distribution(
        hidden_semi_markov(
            INITIAL, TRANSITION, DURATION, EMISSION, OBSERVATIONS, LENGTHS, form="probs"
        )
    )

    def total(observed, before=None):
        if not len(observed):
            return 1.0
        return sum(
            (INITIAL[s] if before is None else TRANSITION[before, s])
            * DURATION[s, w - 1]
            * np.prod(EMISSION[s, observed[:w]])
            * total(observed[w:], s)
            for w in range(1, min(WIDTHS, len(observed)) + 1)
            for s in range(STATES)
        )

    expected = [total(o[:n]) for o, n in zip(OBSERVATIONS, LENGTHS, strict=True)]
    np.testing.assert_allclose(np.exp(d.log_partition()), expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"transition": np.ones((3, 3))}, r"transition\[0\] is .*: its probabilities add up to 3"),
        ({"initial": np.array([1.5, -0.5, 0])}, "initial is no distribution"),
        (
            {"emission": np.full((3, 4), np.nan)},
            r"emission\[0\] is no distribution",
        ),
        ({"initial": np.ones(1)}, "they differ in the axis 'states'"),
        ({"observations": np.array([[0, 4]])}, r"observations\[0, 1\] is 4; .* symbols 0 to 3"),
        ({"observations": np.array([[0.0, 1.0]])}, "observations must be integers"),
        ({"lengths": [3]}, r"lengths\[0\] is 3"),
        ({"form": "costs"}, "form is 'costs'"),
        ({"form": "log_probs"}, "initial is no distribution.* form is 'log_probs'"),
    ],
)
def test_arguments_that_do_not_fit(change, message):
    arguments = {
        "initial": INITIAL, "transition": TRANSITION, "emission": EMISSION,
        "observations": np.array([[0, 1]]), "form": "probs",
    }  # fmt: skip
    with pytest.raises(UsageError, match=message):
        hidden_markov(**(arguments | change))


def test_counts_of_other_observations(chains):
    with pytest.raises(UsageError, match="observations has shape"):
        hidden_markov_counts(chains.expand().log_weights, OBSERVATIONS[:, :2], SYMBOLS)
