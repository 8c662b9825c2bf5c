"""Speed of the inside recursion, and the growth of its time with the length of sentences.

    python experiments/benchmarks/inside.py [--train FILE...] [--device cuda] [--output PATH]

Without ``--train`` a treebank is generated.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import numpy as np
from figures import machine, report, use_device

from semipunct.arrays.padding import shuffled_batches
from semipunct.corpus import Sentence
from semipunct.formats import read_treebank
from semipunct.models.punctuation.batches import draft, fit_shape
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.punctuation.options import ModelOptions
from semipunct.wording import quantity
from tests.synthetic import english_parameters, generate

Objective = Callable[..., Any]
TOKENS = 6


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--train", nargs="+", help="CoNLL-U files to fit the model to and to measure on")
    add("--sentences", type=int, default=4000, help="sentences to generate without --train")
    add("--channel", choices=("r2l", "l2r", "none"), default="r2l")
    add("--batches", type=int, nargs="*", default=[5, 32, 256], help="batch sizes")
    add("--count", type=int, default=6, help="number of timed batches of each size")
    add("--repeats", type=int, default=5, help="passes over the batches")
    add("--growth", type=int, nargs="*", default=[10, 100, 1000, 10_000], help="words per sentence")
    add("--device", help="platform to run on: cpu, cuda, rocm or tpu; JAX's own choice by default")
    add("--seed", type=int, default=0)
    add("--output", type=Path, help="also write the figures to this JSON file")
    return parser.parse_args()


def seconds(function: Objective, inputs: Sequence[tuple[Any, ...]], repeats: int) -> dict[str, Any]:
    """Return the median time of a pass over all inputs, and of the first, with compilation."""
    passes: list[float] = []
    for _ in range(repeats + 1):
        start = time.perf_counter()
        for each in inputs:
            jax.block_until_ready(function(*each))
        passes.append(time.perf_counter() - start)
    return {"median": statistics.median(passes[1:]), "first": passes[0]}


def measure_both(
    score: Objective, inputs: Sequence[tuple[Any, ...]], repeats: int, items: int, unit: str
) -> dict[str, Any]:
    """Time a function of ``[sentences]`` scores alone, and with its gradient."""
    forward = seconds(jax.jit(score), inputs, repeats)
    gradient = jax.jit(jax.value_and_grad(lambda *xs: score(*xs).sum()))
    with_gradient = seconds(gradient, inputs, repeats)
    return {
        f"forward_{unit}_per_second": items / forward["median"],
        f"gradient_{unit}_per_second": items / with_gradient["median"],
        "forward_seconds": forward,
        "gradient_seconds": with_gradient,
    }


def scores(model: PunctuationModel, size: int | None) -> Objective:
    """Return the function from parameters and a batch to the scores of its sentences."""
    return lambda parameters, batch: model.log_likelihoods(model.read(parameters, batch), batch)[
        :size
    ]


def measure_batches(
    model: PunctuationModel, sentences: Sequence[Sentence], size: int, options: argparse.Namespace
) -> dict[str, Any]:
    """Measure batches of one size."""
    parameters = model.initial_parameters(options.seed, 0.1)
    encoded = model.encode(sentences)
    order = shuffled_batches(len(sentences), size, np.random.default_rng(options.seed))
    # Full batches only: the last one may be smaller.
    members = [m for m in order if len(m) == size][: options.count]
    if not members:
        raise SystemExit(f"too few sentences for a batch of {size}: {len(sentences)}")
    start = time.perf_counter()
    shape = fit_shape(encoded, [draft(encoded, m) for m in members], size, scoring=False)
    fitted = time.perf_counter() - start
    batches = [model.batch(encoded, m, shape) for m in members]
    row: dict[str, Any] = {
        "batch": size,
        "batches": len(members),
        "layout_sentences_per_second": size * len(members) / (time.perf_counter() - start - fitted),
    }
    device = [jax.device_put((parameters, batch)) for batch in batches]

    items = size * len(members)
    return row | measure_both(scores(model, size), device, options.repeats, items, "sentences")


def measure_growth(
    model: PunctuationModel, words: int, total: int, options: argparse.Namespace
) -> dict[str, Any]:
    """Measure the time per word in batches with equally many words."""
    parameters_of_length = replace(english_parameters(), lengths={words: 1.0})
    sentences = list(generate(parameters_of_length, total // words, options.seed))
    parameters = model.initial_parameters(options.seed, 0.1)
    start = time.perf_counter()
    encoded = model.encode(sentences)
    members = range(len(sentences))
    shape_of_batch = fit_shape(encoded, [draft(encoded, members)], len(members), scoring=True)
    batch = model.batch(
        encoded, members, replace(shape_of_batch, states=max(shape_of_batch.states, TOKENS))
    )
    host = time.perf_counter() - start

    inputs = [jax.device_put((parameters, batch))]
    row = measure_both(scores(model, None), inputs, options.repeats, total, "words")
    return {
        "words": words,
        "sentences": len(sentences),
        "forward_microseconds_per_word": 1e6 / row["forward_words_per_second"],
        "gradient_microseconds_per_word": 1e6 / row["gradient_words_per_second"],
        "layout_microseconds_per_word": 1e6 * host / total,
        **row,
    }


def main() -> None:
    """Measure, print and write."""
    options = arguments()
    device = use_device(options.device)
    if options.train:
        sentences = list(read_treebank(options.train).sentences)
    else:
        sentences = list(generate(english_parameters(), options.sentences, options.seed))
    model = PunctuationModel.fit(sentences, ModelOptions(channel=options.channel))
    inventory = model.inventory
    figures: dict[str, Any] = {
        **machine(),
        "treebank": options.train or f"{quantity(options.sentences, 'generated sentence')}",
        "channel": options.channel,
        "words_per_sentence": sum(len(s.tree.heads) for s in sentences) / len(sentences),
        "symbols": len(inventory.symbols),
        "punctemes": len(inventory.labels),
        "pairs": len(inventory.pairs),
        "jax": jax.__version__,
        "device": device["kind"],
    }
    batches = [measure_batches(model, sentences, size, options) for size in options.batches]
    if batches:
        report("batches", {**figures, "batches": batches}, options.output)
    growth = [measure_growth(model, n, max(options.growth), options) for n in options.growth]
    if growth:
        report("growth", {**figures, "growth": growth}, options.output)


if __name__ == "__main__":
    main()
