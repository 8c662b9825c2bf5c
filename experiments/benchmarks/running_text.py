"""Speed and memory of restoring running text with a text model alone.

    python experiments/benchmarks/running_text.py MODEL TEXT [--words N] [--line N] [--output PATH]

The words of the text, repeated if they are too few, are one line in lower case without marks.
``semipunct restore`` runs on a line of ``--line`` words as a whole process, with an empty and then
with a filled compilation cache, and on ``--words`` words. The difference between the two numbers of
words gives the CPU time per word, without starting and loading. On a machine that has other work
CPU seconds are the ones to compare; a process uses at most as many cores as there are.
"""

from __future__ import annotations

import argparse
import itertools
import os
import tempfile
import time
from pathlib import Path
from typing import Any

from figures import machine, report
from lines import run

from semipunct.corpus.word_streams import items
from semipunct.formats.lines import text_lines


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("text", type=Path)
    parser.add_argument("--words", type=int, default=100_000)
    parser.add_argument("--line", type=int, default=3000)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    words = [item.lower() for item in items(text_lines(arguments.text)) if item[0] != "\0"]
    figures: dict[str, Any] = {**machine(), "words": [arguments.line, arguments.words]}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder  # where compiled programs are kept
        os.environ.pop("JAX_COMPILATION_CACHE_DIR", None)
        paths = [Path(folder) / f"{number}.txt" for number in figures["words"]]
        for path, number in zip(paths, figures["words"], strict=True):
            path.write_text(" ".join(itertools.islice(itertools.cycle(words), number)), "utf-8")
        runs = {"cold": paths[0], "warm": paths[0], "long": paths[1]}
        for name, path in runs.items():
            began = time.perf_counter()
            cpu, memory = run(["restore", str(arguments.model), str(path), "--lines", "none"])
            figures[name] = {
                "seconds": round(time.perf_counter() - began, 2),
                "cpu_seconds": round(cpu, 2),
                "peak_mebibytes": memory,
            }
    more = arguments.words - arguments.line
    for unit in ("seconds", "cpu_seconds"):
        least = figures["long"][unit] - figures["warm"][unit]
        figures[f"words_per_{unit.removesuffix('s')}"] = round(more / max(least, 1e-3))
    report(figures, arguments.output)


if __name__ == "__main__":
    main()
