"""A whole ``semipunct train``: of a punctuation model, or of a text model on a large corpus.

    python experiments/benchmarks/training.py --train FILE --dev FILE [--output PATH]
    python experiments/benchmarks/training.py --text TEXT... --dev TEXT [--megabytes N] [--limit M]

``--train`` trains with an empty compilation cache and again with a warm one, and reports time, the
number and first calls of compiled shapes, and peak memory. ``--text`` repeats the lines of texts in
random order up to a size, trains in a process with limited memory (``RLIMIT_DATA`` of Linux), and
reports time and the peak of private memory, without mapped pages of the corpus.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from figures import machine, process_status, report

from semipunct.formats.lines import text_lines

VISITS = {"treebank": 12_000, "large text": 2000}


def main() -> None:
    """Train, print and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    given = parser.add_mutually_exclusive_group(required=True)
    given.add_argument("--train", help="a treebank")
    given.add_argument("--text", nargs="+", type=Path, help="files of text")
    parser.add_argument("--dev", required=True)
    parser.add_argument("--visits", type=int)
    parser.add_argument("--device", help="platform: cpu, cuda, rocm or tpu [JAX's choice]")
    parser.add_argument("--megabytes", type=int, default=1000, help="of the corpus of text")
    parser.add_argument("--limit", type=int, default=2048, help="MiB that may be allocated")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    name = "treebank" if arguments.train else "large text"
    arguments.visits = arguments.visits or VISITS[name]
    with tempfile.TemporaryDirectory() as folder:
        measure = on_treebank if arguments.train else on_text
        figures = measure(arguments, Path(folder))
    report(name, {**machine(), "visits": arguments.visits, **figures}, arguments.output)


def command(arguments: argparse.Namespace, source: str, model: Path) -> list[str]:
    """Return the command of a training."""
    words = [sys.executable, "-m", "semipunct", "train", source, "--dev", arguments.dev]
    words += ["-o", str(model), "--set", f"train.visits={arguments.visits}"]
    return words + (["--device", arguments.device] if arguments.device else [])


def on_treebank(arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Train twice with the same cache folder, empty in the first run."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
    environment.pop("JAX_COMPILATION_CACHE_DIR", None)
    figures: dict[str, Any] = {}
    for name in ("cold", "warm"):
        line = command(arguments, arguments.train, folder / name)
        line += ["--set", f"train.evaluate_every={arguments.visits // 2}"]
        began = time.perf_counter()
        subprocess.run(line, check=True, env=environment, capture_output=True)
        seconds = time.perf_counter() - began
        last = last_metrics(folder / name)
        figures[name] = {
            "seconds": round(seconds, 1),
            "compile_share": round(last["compile_seconds"] / seconds, 3),
            **{key: last[key] for key in ("compile_seconds", "compiled_shapes", "dev_perplexity")},
        }
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    return {"peak_mebibytes": peak, **figures}


def on_text(arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Train a text model on a corpus of a given size."""
    corpus = folder / "corpus.txt"
    size = write_corpus(arguments.text, arguments.megabytes * 10**6, corpus)
    line = [*command(arguments, str(corpus), folder / "model"), "--kind", "text"]
    began = time.perf_counter()
    peak = peak_memory(line, arguments.limit)
    return {
        "corpus_megabytes": round(size / 10**6),
        "limit_mebibytes": arguments.limit,
        "peak_mebibytes": round(peak),
        "seconds": round(time.perf_counter() - began),
        "training": last_metrics(folder / "model"),
    }


def last_metrics(model: Path) -> dict[str, Any]:
    """Return the last line of a training's metrics."""
    return json.loads((model / "metrics.jsonl").read_text("utf-8").splitlines()[-1])


def peak_memory(command: Sequence[str], limit: int) -> float:
    """Run a command with a limit in MiB; return its peak of private memory."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (limit * 2**20, limit * 2**20))

    peak = 0.0
    with subprocess.Popen(command, preexec_fn=limited) as process:
        while process.poll() is None:
            peak = max(peak, process_status("RssAnon", process.pid))
            time.sleep(0.1)
    if process.returncode:
        sys.exit(f"exit status {process.returncode}, with {peak:.0f} MiB at most")
    return peak


def write_corpus(texts: Sequence[Path], size: int, path: Path) -> int:
    """Write lines of texts, reordered in each round, up to a size in bytes; return the size."""
    lines = [line.encode() for text in texts for line in text_lines(text, ended=True)]
    generator, written = random.Random(0), 0
    with path.open("wb") as stream:
        while written < size:
            generator.shuffle(lines)
            for line in lines:
                written += stream.write(line)
                if written >= size:
                    break
    return written


if __name__ == "__main__":
    main()
