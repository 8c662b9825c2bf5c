"""Processor time until the first answer about each structure, with nothing compiled before.

    python experiments/benchmarks/first_answers.py [--output PATH]

Each question is asked in a process of its own, after a question about another shape of the same
structure has loaded what JAX loads once; JAX keeps no compiled program on the disk. Reported are
seconds of processor time of the first call (tracing, compiling and computing), and milliseconds of
the second one.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np
from figures import machine, normal_weights, report

from semipunct.structures import (
    Distribution,
    alignments,
    ctc,
    linear_chain,
    linear_orderings,
    nonprojective_trees,
    pcfg,
    projective_trees,
    semi_markov_chain,
)

MAKERS: dict[str, Callable[[int], Any]] = {
    "chain of 32 positions, 16 states": lambda n: linear_chain(
        normal_weights(n, 32, 16), normal_weights(16, 16)
    ),
    "semi-Markov chain, segments of 8": lambda n: semi_markov_chain(
        normal_weights(n, 32, 8, 8), normal_weights(8, 8)
    ),
    "projective trees of 40 words": lambda n: projective_trees(normal_weights(n, 41, 41)),
    "trees of any shape, 40 words": lambda n: nonprojective_trees(normal_weights(n, 41, 41)),
    "grammar, 30 words, 20 + 20 symbols": lambda n: pcfg(
        normal_weights(20), normal_weights(20, 40, 40), normal_weights(n, 30, 20)
    ),
    "CTC, 64 frames, 16 labels": lambda n: ctc(
        jax.nn.log_softmax(normal_weights(n, 64, 20)), np.tile(1 + np.arange(16), (n, 1))
    ),
    "alignments of 24 and 24": lambda n: alignments(normal_weights(n, 24, 24)),
    "orders of 8 items": lambda n: linear_orderings(normal_weights(n, 8, 8)),
}
QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "log partition": lambda d: d.log_partition(),
    "and marginals": lambda d: d.log_partition_and_marginals(),
    "best": lambda d: d.best(),
    "samples": lambda d: d.sample(jax.random.key(1), 16),
    "entropy": lambda d: d.entropy(),
}


def ask(structure: str, question: str) -> tuple[float, float]:
    """Return seconds of the first call and milliseconds of the second one.

    Args:
        structure: a name in ``MAKERS``.
        question: a name in ``QUESTIONS``.
    """
    make, answer = MAKERS[structure], QUESTIONS[question]

    def distribution(items: int) -> Any:
        made = make(items)
        return made if structure.startswith("trees of any") else Distribution(made)

    def measure(d: Any) -> float:
        start = time.process_time()
        jax.block_until_ready(answer(d))
        return time.process_time() - start

    small, d = distribution(1), distribution(8)
    jax.block_until_ready(small.log_partition())
    return measure(d), 1e3 * measure(d)


def main() -> None:
    """Ask every question and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs=2, help="ask a structure a question in this process")
    parser.add_argument("--output", type=Path, help="also write the figures to this JSON file")
    arguments = parser.parse_args()
    if arguments.only:
        print(json.dumps(ask(*arguments.only)))
        return
    environment = {k: v for k, v in os.environ.items() if k != "JAX_COMPILATION_CACHE_DIR"}
    rows: dict[str, dict[str, tuple[float, float]]] = {}
    print(f"| structure | {' | '.join(QUESTIONS)} |\n| --- |{' ---: |' * len(QUESTIONS)}")
    for structure in MAKERS:
        rows[structure] = {}
        for question in QUESTIONS:
            command = [sys.executable, __file__, "--only", structure, question]
            done = subprocess.run(
                command, check=True, stdout=subprocess.PIPE, text=True, env=environment
            )
            rows[structure][question] = tuple(json.loads(done.stdout))
        cells = [f"{first:.1f} s, {second:.2f} ms" for first, second in rows[structure].values()]
        print(f"| {structure} | {' | '.join(cells)} |", flush=True)
    report({"seconds and milliseconds": rows, **machine()}, arguments.output)


if __name__ == "__main__":
    main()
