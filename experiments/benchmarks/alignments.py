"""Time of CTC and of hidden Markov models, with other libraries in the same run.

    python experiments/benchmarks/alignments.py [--rounds 20] [--output PATH]

CTC with gradients must agree with optax, and Baum and Welch with hmmlearn, if installed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax  # pyright: ignore[reportMissingTypeStubs]
from figures import machine, report
from structures import Question, timed

from semipunct.structures import (
    Distribution,
    ctc,
    hidden_markov,
    hidden_markov_counts,
)
from semipunct.structures.extending import HiddenMarkovCounts

BATCH, FRAMES, LABELS, SYMBOLS = 32, 200, 40, 64
SEQUENCES, LENGTH, STATES, LETTERS, ITERATIONS = 100, 100, 8, 20, 10

Questions = dict[str, Callable[[], Any]]


def losses() -> tuple[Questions, dict[str, float]]:
    """Return the CTC losses with their gradients, and errors of gradients."""
    keys = jax.random.split(jax.random.key(0), 2)
    logits = jax.random.normal(keys[0], (BATCH, FRAMES, SYMBOLS))
    labels = jax.random.randint(keys[1], (BATCH, LABELS), 1, SYMBOLS)

    def loss(logits: jax.Array) -> jax.Array:
        return -Distribution(ctc(jax.nn.log_softmax(logits), labels)).log_partition().sum()

    def of_optax(logits: jax.Array) -> jax.Array:
        unpadded = (jnp.zeros(x.shape[:2], logits.dtype) for x in (logits, labels))
        return optax.ctc_loss(logits, next(unpadded), labels, next(unpadded)).sum()

    ours, theirs = (jax.jit(jax.value_and_grad(x)) for x in (loss, of_optax))
    with jax.enable_x64(True):
        precise = np.asarray(logits, np.float64)
        expected = ours(precise)[1]
        np.testing.assert_allclose(expected, theirs(precise)[1], atol=1e-10)
    errors = {
        name: float(f"{np.abs(loss_of(logits)[1] - expected).max():.2g}")
        for name, loss_of in (("CTC", ours), ("CTC, optax", theirs))
    }
    questions: Questions = {
        "CTC loss and gradient": lambda: ours(logits),
        "CTC loss and gradient, optax": lambda: theirs(logits),
    }
    return questions, errors


def training() -> Questions:
    """Return iterations of Baum and Welch, checked against hmmlearn."""
    rng = np.random.default_rng(0)
    parameters = (
        rng.dirichlet(np.ones(STATES)),
        rng.dirichlet(np.ones(STATES), STATES),
        rng.dirichlet(np.ones(LETTERS), STATES),
    )
    lengths = rng.integers(LENGTH // 2, LENGTH + 1, SEQUENCES)
    observations = rng.integers(0, LETTERS, (SEQUENCES, LENGTH))

    @jax.jit
    def iterate(parameters: HiddenMarkovCounts) -> HiddenMarkovCounts:
        def step(_: Any, parameters: HiddenMarkovCounts) -> HiddenMarkovCounts:
            chains = Distribution(hidden_markov(*parameters, observations, lengths))
            return hidden_markov_counts(chains.marginals(), observations, LETTERS).log_probs()

        return jax.lax.fori_loop(0, ITERATIONS, step, parameters)

    def ours() -> Any:
        with jax.enable_x64(True):
            return iterate(HiddenMarkovCounts(*map(jnp.log, parameters)))

    questions: Questions = {f"{ITERATIONS} iterations of Baum and Welch": ours}
    try:
        module = import_module("hmmlearn.hmm")
    except ImportError:
        return questions
    rows = [row[:length] for row, length in zip(observations, lengths, strict=True)]
    sequences = np.concatenate(rows)[:, None]

    def theirs() -> Any:
        model = module.CategoricalHMM(STATES, n_iter=ITERATIONS, tol=-np.inf, init_params="")
        model.startprob_, model.transmat_, model.emissionprob_ = parameters
        model.n_features = LETTERS
        model.fit(sequences, lengths)
        return model.startprob_, model.transmat_, model.emissionprob_

    for x, y in zip(ours(), theirs(), strict=True):
        np.testing.assert_allclose(np.exp(x), y, rtol=1e-8, atol=1e-12)
    return questions | {f"{ITERATIONS} iterations, hmmlearn": theirs}


def main() -> None:
    """Check, time and report all computations."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    questions, errors = losses()
    questions |= training()
    times = timed({name: Question(ask, ()) for name, ask in questions.items()}, options.rounds)
    figures: dict[str, Any] = {
        "milliseconds": {name: round(x["ms"], 2) for name, x in times.items()},
        "largest error of the gradient in single precision": errors,
    }
    report("alignments", figures | {"jax": jax.__version__} | machine(), options.output)


if __name__ == "__main__":
    main()
