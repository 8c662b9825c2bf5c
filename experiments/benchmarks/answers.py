"""Response times of a model: loading, whole commands, and one sentence at a time.

    python experiments/benchmarks/answers.py MODEL FILE... [--output PATH]

Commands run on two sentences, each in a separate process. The compilation cache is empty in the
first run (``cold``) and filled in later ones (``warm``). Reported are the median of the warm runs
and the maximum resident memory.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from figures import machine, report

from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.formats import read_treebank
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.store.checkpoint import load
from semipunct.tasks.restore import restore

WORDS = 20
"""Target length, in words, of the sentences that are restored one at a time."""

MEASURE = (
    "import resource, runpy, sys; sys.argv = sys.argv[1:]\n"
    "try: runpy.run_module('semipunct', run_name='__main__')\n"
    "finally: print('peak', resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
)
"""Runs a command and prints its own peak memory; that of children is a maximum over all."""


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--sentences", type=int, default=50, help="sentences restored singly")
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    sentences = list(read_treebank(arguments.files).sentences)
    figures: dict[str, Any] = {
        **machine(),
        "sentences": len(sentences),
        "model_megabytes": sum(p.stat().st_size for p in arguments.model.iterdir()) / 1e6,
        **in_processes(arguments),
        **in_one_process(arguments, sentences),
    }
    report(figures, arguments.output)


def in_processes(arguments: argparse.Namespace) -> dict[str, Any]:
    """Time whole commands.

    Args:
        arguments: the command line; the commands run on the first two sentences.
    """
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        two = Path(folder) / "two.conllu"
        blocks = arguments.files[0].read_text("utf-8").split("\n\n")[:2]
        two.write_text("".join(f"{block}\n\n" for block in blocks), "utf-8")
        model, files = str(arguments.model), [str(path) for path in arguments.files]
        commands = {
            "restore_two": ["restore", model, str(two)],
            "decode_two": ["decode", model, str(two), "--semiring", "viterbi"],
            "evaluate": ["evaluate", model, *files],
        }
        environment = {**os.environ, "XDG_CACHE_HOME": folder}
        environment.pop("JAX_COMPILATION_CACHE_DIR", None)
        for name, command in commands.items():
            seconds: list[float] = []
            peak = 0
            for _ in range(arguments.passes + 1):
                began = time.perf_counter()
                finished = subprocess.run(
                    [sys.executable, "-c", MEASURE, "semipunct", *command],
                    check=True, env=environment, capture_output=True, text=True,
                )  # fmt: skip
                seconds.append(time.perf_counter() - began)
                peak = int(finished.stderr.rsplit("peak", 1)[1])
            figures[name] = {
                "cold_seconds": round(seconds[0], 2),
                "warm_seconds": round(statistics.median(seconds[1:]), 2),
                "warm_mebibytes": peak // 1024,
            }
    return figures


def in_one_process(arguments: argparse.Namespace, sentences: Sequence[Any]) -> dict[str, Any]:
    """Time loading, and restoring one sentence after another.

    Args:
        arguments: the command line.
        sentences: the sentences; those with a length closest to ``WORDS`` words are restored.
    """
    enable_compilation_cache()
    loaded = load(arguments.model, PunctuationModel)
    nearest = sorted(sentences, key=lambda s: abs(len(s.forms) - WORDS))[: arguments.sentences]

    def seconds_of_one(sentence: Any) -> float:
        return timed(lambda: restore(loaded, [sentence], samples=arguments.draws))

    for sentence in nearest[:3]:
        seconds_of_one(sentence)
    loading = [timed(lambda: load(arguments.model)) for _ in range(arguments.passes)]
    return {
        "load_seconds": round(statistics.median(loading), 3),
        "restore_one_milliseconds": round(
            1000 * statistics.median(map(seconds_of_one, nearest)), 1
        ),
    }


def timed(task: Callable[[], object]) -> float:
    """Return the seconds that a task takes."""
    began = time.perf_counter()
    task()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
