"""Chains over slots in the text model: it is trained further with and without transitions.

    python experiments/slot_chains.py MODEL --train FILE... --dev FILE... [--visits 8000]
        [--output JSON]

Both networks start as MODEL, and see the same passages in the same order, in lower case without
marks. *Independent* slots have the distributions of the network. In a *chain* its scores are
emissions, and a matrix of transitions between the strings of neighbouring slots is learnt with it.
Reported are nats per slot of the right strings, jointly, and the F1 of marks: a slot has its most
probable mark if that reaches a threshold, which is fitted on half of the passages of the
development text; F1 is of the other half.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax  # pyright: ignore[reportMissingTypeStubs]
from benchmarks.figures import machine, report

from semipunct.arrays.memory import hold_memory
from semipunct.corpus.word_streams import TextPassage
from semipunct.formats.running_text import read_running_text
from semipunct.models.layers import Dropout, slots_inside
from semipunct.models.running_text.batch import TextBatch
from semipunct.models.running_text.guises import hidden_guise
from semipunct.models.running_text.model import TextModel, log_marginals
from semipunct.models.running_text.threshold import best_threshold
from semipunct.pipelines.pipeline import load
from semipunct.structures import Distribution, linear_chain

ROWS = 16
"""Passages of a batch."""


def chains(weights: Any, emissions: jax.Array, slots: jax.Array) -> Distribution[Any]:
    """Return the distribution of the strings of passages.

    Args:
        weights: with the ``transitions``, if any.
        emissions: ``[batch, slots, strings]`` log-probabilities by the network.
        slots: ``[batch]`` numbers of slots.
    """
    count = emissions.shape[-1]
    transitions = weights.get("transitions", jnp.zeros((count, count)))
    return Distribution(linear_chain(emissions, transitions, slots))


def log_likelihood(
    model: TextModel, weights: Any, batch: TextBatch, dropout: Dropout | None = None
) -> tuple[jax.Array, jax.Array]:
    """Return the log-probability of the right strings of a batch, and the number of slots.

    Args:
        model: the text model.
        weights: those of the network, and perhaps transitions.
        batch: passages.
        dropout: given only during training.
    """
    emissions = log_marginals(model.scores(weights, batch, hidden_guise(batch), dropout))
    slots = jnp.where(batch.lengths > 0, batch.lengths + 1, 0)
    tags = jnp.where(slots_inside(jnp.asarray(batch.lengths), emissions.shape[1]), batch.tags, 0)
    chain = chains(weights, emissions, slots)
    path = chain.structure.path_log_weight(tags)
    return jnp.sum(path - chain.log_partition()), jnp.sum(slots)


def batches(
    model: TextModel, passages: Sequence[TextPassage], order: Sequence[int]
) -> Iterator[TextBatch]:
    """Yield encoded batches of passages.

    Args:
        model: the text model.
        passages: all passages.
        order: the numbers of those that are wanted.
    """
    encoded = model.encode(passages)
    for start in range(0, len(order), ROWS):
        yield model.batch(encoded, order[start : start + ROWS], ROWS)


def trained(
    model: TextModel, weights: Any, passages: Sequence[TextPassage], arguments: argparse.Namespace
) -> Any:
    """Train further.

    Args:
        model: the text model.
        weights: where to begin.
        passages: of the training text.
        arguments: of the command line.
    """
    steps = arguments.visits // ROWS
    rate = optax.cosine_decay_schedule(arguments.learning_rate, steps)
    optimiser = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(rate, weight_decay=1e-3))
    state = optimiser.init(weights)

    @jax.jit
    def step(weights: Any, state: Any, batch: TextBatch, key: jax.Array) -> Any:
        def loss(weights: Any) -> jax.Array:
            total, slots = log_likelihood(model, weights, batch, Dropout(key, 0.1, 0.02))
            return -total / jnp.maximum(slots, 1)

        updates, state = optimiser.update(jax.grad(loss)(weights), state, weights)
        return optax.apply_updates(weights, updates), state

    generator = np.random.default_rng(arguments.seed)
    order = generator.permutation(len(passages))[: steps * ROWS].tolist()
    for number, batch in enumerate(batches(model, passages, order)):
        key = jax.random.fold_in(jax.random.key(arguments.seed), number)
        weights, state = step(weights, state, batch, key)
    return weights


def measured(model: TextModel, weights: Any, passages: Sequence[TextPassage]) -> dict[str, float]:
    """Return nats per slot and F1.

    Args:
        model: the text model.
        weights: as of ``log_likelihood``.
        passages: of the development text.
    """

    @jax.jit
    def of_batch(weights: Any, batch: TextBatch) -> Any:
        emissions = log_marginals(model.scores(weights, batch, hidden_guise(batch)))
        slots = jnp.where(batch.lengths > 0, batch.lengths + 1, 0)
        marks = chains(weights, emissions, slots).marginals().emission[..., 1:]
        right = jnp.argmax(marks, -1) + 1 == batch.tags
        return (*log_likelihood(model, weights, batch), jnp.max(marks, -1), right)

    total = slots = 0.0
    halves: list[list[Any]] = [[], []]
    for number, batch in enumerate(batches(model, passages, range(len(passages)))):
        likelihood, count, probability, right = map(np.asarray, of_batch(weights, batch))
        total, slots = total + float(likelihood), slots + int(count)
        inside = np.arange(right.shape[1]) <= batch.lengths[:, None]
        inside &= batch.lengths[:, None] > 0
        rows = np.stack([probability, right, batch.tags > 0]).astype(np.float64)
        halves[number % 2].append(rows[:, inside])
    fitted, held_out = (np.concatenate(half, 1) for half in halves)
    threshold = best_threshold(fitted[0], fitted[1] > 0, int(fitted[2].sum()))
    inserted = held_out[0] >= threshold
    f1 = 2 * held_out[1][inserted].sum() / (inserted.sum() + held_out[2].sum())
    return {"nats per slot": -total / slots, "F1": 100 * float(f1)}


def main() -> None:
    """Train both and report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--train", type=Path, nargs="+", required=True)
    parser.add_argument("--dev", type=Path, nargs="+", required=True)
    parser.add_argument("--visits", type=int, default=8000, help="passages of 192 words")
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, help="JSON file to write")
    arguments = parser.parse_args()
    hold_memory()
    loaded = load(arguments.model, TextModel)
    model, weights = loaded.model, jax.tree.map(jnp.asarray, dict(loaded.parameters))
    passages, held_out = map(read_running_text, (arguments.train, arguments.dev))
    strings = len(model.strings)
    starts = {
        "independent": weights,
        "chain": {**weights, "transitions": jnp.zeros((strings, strings))},
    }
    rows: dict[str, Any] = {"before": measured(model, weights, held_out)}
    print("before", rows["before"], flush=True)
    for name, start in starts.items():
        rows[name] = measured(model, trained(model, start, passages, arguments), held_out)
        print(name, rows[name], flush=True)
    words = sum(passage.size for passage in held_out)
    settings = {"visits": arguments.visits, "seed": arguments.seed, "words": words}
    report({"slots": rows, **settings, **machine()}, arguments.output)


if __name__ == "__main__":
    main()
