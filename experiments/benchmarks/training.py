"""A whole ``semipunct train``, with an empty compilation cache and again with a warm one.

    python experiments/benchmarks/training.py --train FILE --dev FILE [--output PATH]

Reports wall-clock time, the time of the first call of each compiled shape (tracing, lowering and
XLA), the part of it spent in XLA, the number of compiled shapes, and peak memory. The default is
the number of sentence visits in the paper.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from figures import machine, report

VISITS = 12_000


def main() -> None:
    """Run both and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--train", required=True)
    parser.add_argument("--dev", required=True)
    parser.add_argument("--visits", type=int, default=VISITS)
    parser.add_argument("--device", help="platform: cpu, cuda, rocm or tpu [JAX's choice]")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runs = {name: run(arguments, Path(folder), name) for name in ("cold", "warm")}
    figures = {
        "visits": arguments.visits,
        "device": arguments.device or "JAX's choice",
        **machine(),
        "peak_mebibytes": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024,
        **runs,
    }
    report(figures, arguments.output)


def run(arguments: argparse.Namespace, folder: Path, name: str) -> dict[str, Any]:
    """Train once; all runs share a cache folder, which is empty in the first run.

    Args:
        arguments: the command line.
        folder: folder for models and cache.
        name: name of the run.
    """
    model = folder / name
    command = [
        *(sys.executable, "-m", "semipunct", "train", arguments.train),
        *("--dev", arguments.dev, "-o", str(model)),
        *("--set", f"train.visits={arguments.visits}"),
        *("--set", f"train.evaluate_every={arguments.visits // 2}"),
    ]
    command += ["--device", arguments.device] if arguments.device else []
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
    environment.pop("JAX_COMPILATION_CACHE_DIR", None)
    began = time.perf_counter()
    subprocess.run(command, check=True, env=environment, capture_output=True)
    seconds = time.perf_counter() - began
    last = json.loads((model / "metrics.jsonl").read_text("utf-8").splitlines()[-1])
    return {
        "seconds": round(seconds, 1),
        "compile_seconds": last["compile_seconds"],
        "compile_share": round(last["compile_seconds"] / seconds, 3),
        "compiled_shapes": last["compiled_shapes"],
        "dev_perplexity": last["dev_perplexity"],
    }


if __name__ == "__main__":
    main()
