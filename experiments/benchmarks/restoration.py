"""Sentences restored per second, and the growth of the time with the number of draws.

    python experiments/benchmarks/restoration.py MODEL FILE... [--draws M...] [--output PATH]

Each figure is the median over passes over the same sentences, after one pass for compilation. For
comparison, the time to score the sentences (their likelihood under the same model) is reported too.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from figures import machine, report, use_device

from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.formats import read_treebank
from semipunct.models.punctuation.decode import corpus_log_likelihood
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.store.checkpoint import load
from semipunct.tasks.base import InPlace
from semipunct.tasks.restore import restore


def main() -> None:
    """Restore with increasing numbers of draws and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--sentences", type=int, help="number of sentences to use, from the start")
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--draws", type=int, nargs="+", default=[250, 500, 1000, 2000, 4000])
    parser.add_argument("--device", help="platform: cpu, cuda, rocm or tpu [JAX's choice]")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    device = use_device(arguments.device)
    enable_compilation_cache()
    loaded = load(arguments.model, PunctuationModel)
    treebank_sentences = read_treebank(arguments.files).sentences
    sentences = treebank_sentences[: arguments.sentences]

    def rate(task: Callable[[], object]) -> float:
        task()
        seconds: list[float] = []
        for _ in range(arguments.passes):
            began = time.perf_counter()
            task()
            seconds.append(time.perf_counter() - began)
        return round(len(sentences) / statistics.median(seconds), 1)

    model, parameters = loaded.model, loaded.parameters
    fitted = InPlace.of(loaded)
    figures = {
        **machine(),
        "device": device["kind"],
        "sentences": len(sentences),
        "passes": arguments.passes,
        "words": sum(len(s.forms) for s in sentences),
        "scored_per_second": rate(partial(corpus_log_likelihood, model, parameters, sentences)),
        "restored_per_second": {
            str(count): rate(partial(restore, fitted, sentences, samples=count))
            for count in arguments.draws
        },
    }
    report(figures, arguments.output)


if __name__ == "__main__":
    main()
