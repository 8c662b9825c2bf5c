"""CPU seconds that training and scoring spend on the host before any device computation.

    python experiments/benchmarks/preparation.py --train FILE... [--passes N] [--output PATH]

Steps are reading the files, fitting and encoding the training sentences, encoding them alone, and
drafting and laying out all their batches for scoring. Figures are medians over the
passes, in seconds and relative to the median reading time.
"""

import argparse
import json
import os
import platform
import resource
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from semipunct.formats import read_treebank
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.punctuation.options import ModelOptions
from semipunct.models.scoring import Batches

T = TypeVar("T")


def main() -> None:
    """Measure all passes and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--train", nargs="+", required=True, type=Path)
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    passes = [measure(arguments.train) for _ in range(arguments.passes)]
    medians = {name: statistics.median(p[name] for p in passes) for name in passes[0]}
    figures = {
        "files": [path.name for path in arguments.train],
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "passes": arguments.passes,
        "seconds": {name: round(seconds, 2) for name, seconds in medians.items()},
        "parts_of_reading": {
            name: round(seconds / medians["read"], 2) for name, seconds in medians.items()
        },
        "peak_mebibytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    print(json.dumps(figures, indent=1))
    if arguments.output:
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        arguments.output.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")


def measure(paths: list[Path]) -> dict[str, float]:
    """Return the CPU seconds of each step."""
    seconds: dict[str, float] = {}

    def timed(name: str, step: Callable[[], T]) -> T:
        began = time.process_time()
        outcome = step()
        seconds[name] = time.process_time() - began
        return outcome

    def laid_out(encoded: Any) -> None:
        for _ in Batches(model, encoded):
            pass

    sentences = timed("read", lambda: read_treebank(paths)).sentences
    model, encoded = timed(
        "fit and encode", lambda: PunctuationModel.fit_and_encode(sentences, ModelOptions())
    )
    timed("encode", lambda: model.encode(sentences))
    timed("draft and lay out", lambda: laid_out(encoded))
    return seconds


if __name__ == "__main__":
    main()
