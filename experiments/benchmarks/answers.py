"""Response times of models: whole commands, restoration in a warm process, and running text.

    python experiments/benchmarks/answers.py commands MODEL FILE... [--output PATH]
    python experiments/benchmarks/answers.py restoration MODEL FILE... [--draws M...]
    python experiments/benchmarks/answers.py text MODEL TEXT [--words N] [--line N]

``commands`` runs commands with an empty compilation cache (``cold``), then with a filled one
(``warm``). ``restoration`` reports sentences per second by number of draws. ``text`` restores lines
of two lengths, whose difference gives the time per word.
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from figures import machine, report, use_device

from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.corpus.word_streams import items
from semipunct.formats import read_treebank
from semipunct.formats.lines import text_lines
from semipunct.models.punctuation.decode import corpus_log_likelihood
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.pipelines.pipeline import Pipeline
from semipunct.pipelines.trained import InPlace
from semipunct.store.checkpoint import load

WORDS = 20
"""Target length of the sentences that are restored one at a time."""

SINGLE = 50
"""Number of these sentences."""


class Usage(NamedTuple):
    """Time and memory of a command."""

    seconds: float
    cpu_seconds: float
    peak_mebibytes: int


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=MEASURES)
    parser.add_argument("model", type=Path)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--draws", type=int, nargs="+", default=[250, 500, 1000, 2000, 4000])
    parser.add_argument("--words", type=int, default=100_000)
    parser.add_argument("--line", type=int, default=3000)
    parser.add_argument("--device", help="platform: cpu, cuda, rocm or tpu [JAX's choice]")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    figures = MEASURES[arguments.what](arguments)
    report(arguments.what, machine() | figures, arguments.output)


def commands(arguments: argparse.Namespace) -> dict[str, Any]:
    """Time whole commands, loading, and sentences restored one by one."""
    figures: dict[str, Any] = {
        "model_megabytes": sum(p.stat().st_size for p in arguments.model.iterdir()) / 1e6
    }
    with tempfile.TemporaryDirectory() as folder:
        two = Path(folder) / "two.conllu"
        blocks = arguments.files[0].read_text("utf-8").split("\n\n")[:2]
        two.write_text("".join(f"{block}\n\n" for block in blocks), "utf-8")
        model = str(arguments.model)
        for name, command in {
            "restore_two": ["restore", model, str(two)],
            "decode_two": ["decode", model, str(two), "--semiring", "viterbi"],
            "evaluate": ["evaluate", model, *map(str, arguments.files)],
        }.items():
            runs = [run(command, folder) for _ in range(arguments.passes + 1)]
            figures[name] = {
                "cold_seconds": round(runs[0].seconds, 2),
                "warm_seconds": round(statistics.median(each.seconds for each in runs[1:]), 2),
                "warm_mebibytes": runs[-1].peak_mebibytes,
            }
    enable_compilation_cache()
    loaded = load(arguments.model, PunctuationModel)
    sentences = list(read_treebank(arguments.files).sentences)
    nearest = sorted(sentences, key=lambda s: abs(len(s.forms) - WORDS))[:SINGLE]
    one_by_one = [
        partial(Pipeline(loaded).restore, [sentence], samples=1000) for sentence in nearest
    ]
    for warm in one_by_one[:3]:
        warm()
    loading = [timed(partial(load, arguments.model)) for _ in range(arguments.passes)]
    return figures | {
        "sentences": len(sentences),
        "load_seconds": round(statistics.median(loading), 3),
        "restore_one_milliseconds": round(1000 * statistics.median(map(timed, one_by_one)), 1),
    }


def restoration(arguments: argparse.Namespace) -> dict[str, Any]:
    """Restore with increasing numbers of draws."""
    device = use_device(arguments.device)
    enable_compilation_cache()
    loaded = load(arguments.model, PunctuationModel)
    sentences = read_treebank(arguments.files).sentences
    fitted = InPlace.of(loaded)

    def rate(task: Callable[[], object]) -> float:
        task()
        seconds = [timed(task) for _ in range(arguments.passes)]
        return round(len(sentences) / statistics.median(seconds), 1)

    score = partial(corpus_log_likelihood, loaded.model, loaded.parameters, sentences)
    return {
        "device": device["kind"],
        "sentences": len(sentences),
        "words": sum(len(s.forms) for s in sentences),
        "scored_per_second": rate(score),
        "restored_per_second": {
            str(count): rate(partial(Pipeline(fitted).restore, sentences, samples=count))
            for count in arguments.draws
        },
    }


def text(arguments: argparse.Namespace) -> dict[str, Any]:
    """Restore a short and a long line of running text."""
    words = [item.lower() for item in items(text_lines(arguments.files[0])) if item[0] != "\0"]
    figures: dict[str, Any] = {"words": [arguments.line, arguments.words]}
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.txt" for number in figures["words"]]
        for path, number in zip(paths, figures["words"], strict=True):
            path.write_text(" ".join(itertools.islice(itertools.cycle(words), number)), "utf-8")
        for name, path in {"cold": paths[0], "warm": paths[0], "long": paths[1]}.items():
            used = run(["restore", str(arguments.model), str(path), "--lines", "none"], folder)
            figures[name] = {key: round(value, 2) for key, value in used._asdict().items()}
    more = arguments.words - arguments.line
    for unit in ("seconds", "cpu_seconds"):
        least = figures["long"][unit] - figures["warm"][unit]
        figures[f"words_per_{unit.removesuffix('s')}"] = round(more / max(least, 1e-3))
    return figures


MEASURES: dict[str, Callable[[argparse.Namespace], dict[str, Any]]] = {
    "commands": commands,
    "restoration": restoration,
    "text": text,
}


def run(arguments: Sequence[str], cache: str) -> Usage:
    """Run a ``semipunct`` command with its own compilation cache."""
    command = [sys.executable, "-m", "semipunct", *arguments]
    environment = {**os.environ, "XDG_CACHE_HOME": cache}
    environment.pop("JAX_COMPILATION_CACHE_DIR", None)
    null, began = subprocess.DEVNULL, time.perf_counter()
    with subprocess.Popen(command, stdout=null, stderr=null, env=environment) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    cpu = used.ru_utime + used.ru_stime
    return Usage(time.perf_counter() - began, cpu, used.ru_maxrss // 1024)


def timed(task: Callable[[], object]) -> float:
    """Return the seconds that a task takes."""
    began = time.perf_counter()
    task()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
