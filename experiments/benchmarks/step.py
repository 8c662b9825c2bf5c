"""Parts of a training step on a treebank, with matmul and copy times of this machine.

    python experiments/benchmarks/step.py FILE... [--set KEY=VALUE...] [--device cuda]

Each part is compiled and timed separately, so the parts need not add up to the step, within which
XLA runs some in parallel. ``forward`` is the part itself, ``gradient`` the part with its reverse
pass. The times of a product of two square matrices and of a copy are measured in the same run.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from figures import machine, report, use_device

from semipunct.arrays.memory import hold_memory
from semipunct.arrays.programs import jit
from semipunct.arrays.rows import Rows, add_rows
from semipunct.formats import read_treebank
from semipunct.models.punctuation.attach import log_attach
from semipunct.models.punctuation.batches import Batch
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.structures.given_tree import inside
from semipunct.training.config import load_config
from semipunct.training.plan import Plan
from semipunct.training.step import Recipe, step
from semirings.real import Real

MATRIX = 1024
"""Rows of the square matrices in the timed product."""

COPY = 2**24
"""Size of the copied array."""


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--set", dest="settings", nargs="*", default=[], metavar="KEY=VALUE")
    parser.add_argument("--batches", type=int, default=8, help="batches per pass")
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--device", help="platform: cpu, cuda, rocm or tpu [JAX's choice]")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    device = use_device(arguments.device)
    hold_memory()  # as in semipunct train
    figures = {
        "files": [path.name for path in arguments.files],
        **machine(),
        "device": device["kind"],
        "jax": jax.__version__,
        **measured(arguments),
    }
    report(figures, arguments.output)


def measured(arguments: argparse.Namespace) -> dict[str, Any]:
    """Time the parts of a step.

    Args:
        arguments: the command line.
    """
    config = load_config(None, arguments.settings)
    options = config.train
    sentences = list(read_treebank(arguments.files).sentences)
    model, encoded = PunctuationModel.fit_and_encode(sentences, config.model)
    plan = Plan.of(encoded.lengths, options, batching=model.batching)
    shape = model.fit_shape(encoded, plan.typical_batches(), plan.most_sentences(0), scoring=False)
    members = list(islice(plan.batches(0, 0), arguments.batches))
    began = time.perf_counter()
    batches = [model.batch(encoded, m, shape) for m in members]
    host = 1000 * (time.perf_counter() - began) / len(batches)

    generator = np.random.default_rng(0)
    weights: dict[str, Any] = {
        name: jnp.asarray(value + generator.normal(0, 0.1, value.shape).astype(value.dtype))
        for name, value in model.initial_parameters(0, 0.0).items()
    }
    on_device = [jax.device_put(batch) for batch in batches]
    read = [model.read(weights, batch) for batch in on_device]
    choices = [model.log_choice(w, b) for w, b in zip(read, on_device, strict=True)]

    def attach(w: Any, batch: Batch) -> jax.Array:
        return log_attach(w, model.attach_tables, batch.features, batch.relation)

    def network(w: Any, batch: Batch) -> jax.Array:
        return model.log_choice(w, batch)

    def scan(inputs: Any, batch: Batch) -> jax.Array:
        choice, w = inputs
        trees = model.potentials(w, batch)._replace(choice=choice)
        total = inside(trees, Real())
        return Real().log_weight(total.value) + total.log_scale

    def everything(w: Any, batch: Batch) -> jax.Array:
        return model.log_likelihoods(w, batch, Real())

    def timed(function: Callable[..., Any], inputs: Sequence[Any]) -> dict[str, float]:
        def total(x: Any, batch: Batch) -> jax.Array:
            return jnp.sum(jnp.nan_to_num(function(x, batch)))

        pairs = list(zip(inputs, on_device, strict=True))
        return {
            "forward": milliseconds(jit(function), pairs, arguments.passes),
            "gradient": milliseconds(jit(jax.value_and_grad(total)), pairs, arguments.passes),
        }

    recipe = Recipe(model, options, 1000, float(np.mean([len(s.slots) for s in sentences])))
    optimiser = recipe.optimiser()
    parts: dict[str, Any] = {
        "host": {"layout": host},
        "attach": timed(attach, read),
        "scan": timed(scan, list(zip(choices, read, strict=True))),
        "log-likelihood": timed(everything, read),
    }
    if config.model.network:
        parts["attach and network"] = timed(network, read)
    parts["tables and optimiser"] = {
        "whole": in_turn(
            updating(model, options, optimiser), weights, optimiser, on_device, read, arguments
        )
    }
    constants, key = model.constants(options), jax.random.key(0)

    def whole(w: Any, state: Any, batch: Batch, _: Any) -> Any:
        return step(recipe, w, state, constants, batch, key)[:2]

    parts["step"] = {"whole": in_turn(whole, weights, optimiser, on_device, read, arguments)}
    matrix, numbers = jnp.ones((MATRIX, MATRIX)), jnp.ones(COPY)
    product = milliseconds(jit(lambda x, y: x @ y), [(matrix, matrix)], 20)
    copy = milliseconds(jit(lambda x, y: x + y), [(numbers, 1.0)], 20)
    return {
        "sentences": options.batch_size,
        "words": shape.words,
        "milliseconds": parts,
        "matmul": {
            "size": MATRIX,
            "milliseconds": product,
            "gigaflops": 2 * MATRIX**3 / product / 1e6,
        },
        "copy": {"megabytes": 4 * COPY / 1e6, "milliseconds": copy},
    }


def milliseconds(function: Callable[..., Any], inputs: Sequence[Any], passes: int) -> float:
    """Return the median time of a call, after compilation.

    Args:
        function: the function to call.
        inputs: arguments, one tuple for each call of a pass.
        passes: number of passes.
    """
    times: list[float] = []
    for number in range(passes + 1):
        began = time.perf_counter()
        for each in inputs:
            jax.block_until_ready(function(*each))
        if number:
            times.append(1000 * (time.perf_counter() - began) / len(inputs))
    return statistics.median(times)


def updating(model: PunctuationModel, options: Any, optimiser: Any) -> Callable[..., Any]:
    """Compile the parts of a step other than the gradient: reading and updating of tables.

    Args:
        model: the model.
        options: options of the training.
        optimiser: optimiser of the model.
    """

    def update(weights: Any, state: Any, batch: Batch, gradient: Any) -> Any:
        rows = model.updated_rows(batch, options)
        read = optimiser.current(weights, state, rows)
        gradients = {
            n: Rows(rows[n], g + 0 * read[n]) if n in rows else g for n, g in gradient.items()
        }
        updates, state = optimiser.update(gradients, state, weights)
        moved = {
            n: add_rows(weights[n], u) if isinstance(u, Rows) else weights[n] + u
            for n, u in updates.items()
        }
        return moved, state

    return jit(update, donated=(0, 1))


def in_turn(
    function: Callable[..., Any],
    weights: Any,
    optimiser: Any,
    batches: Sequence[Batch],
    gradients: Sequence[Any],
    arguments: argparse.Namespace,
) -> float:
    """Return the median time of calls that each pass weights and state to the next.

    Args:
        function: maps weights, state, batch and gradient to weights and state.
        weights: initial weights.
        optimiser: provides the initial state.
        batches: batches of a pass.
        gradients: one gradient for each batch.
        arguments: the command line.
    """
    weights = jax.tree.map(jnp.copy, weights)
    state = optimiser.init(weights)
    times: list[float] = []
    for number in range(arguments.passes + 1):
        began = time.perf_counter()
        for batch, gradient in zip(batches, gradients, strict=True):
            weights, state = function(weights, state, batch, gradient)
        jax.block_until_ready((weights, state))
        if number:
            times.append(1000 * (time.perf_counter() - began) / len(batches))
    return statistics.median(times)


if __name__ == "__main__":
    main()
