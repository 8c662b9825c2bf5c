"""Training of a text model on a corpus of any size, in bounded memory.

    python experiments/benchmarks/large_text.py TEXT... --dev TEXT... [--megabytes N] [--limit MIB]

The corpus consists of the lines of the texts, repeated in a new random order until there are enough
of them. ``semipunct train --kind text`` runs on it in a process that may not allocate more than the
limit (``RLIMIT_DATA`` of Linux). Reported are the time and the peak of the memory that the process
has allocated and written to, sampled ten times a second. Pages of the corpus that the system maps
are not part of it: they can be dropped at any time.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from figures import machine, process_status, report

from semipunct.formats.lines import text_lines


def main() -> None:
    """Train, print and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("texts", nargs="+", type=Path)
    parser.add_argument("--dev", nargs="+", type=Path, required=True)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--limit", type=int, default=2048, help="MiB that may be allocated")
    parser.add_argument("--visits", type=int, default=2000)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        corpus, model = Path(folder) / "corpus.txt", Path(folder) / "model"
        size = write_corpus(arguments.texts, arguments.megabytes * 10**6, corpus)
        command = [
            *(sys.executable, "-m", "semipunct", "train", str(corpus), "--kind", "text"),
            *("--dev", *map(str, arguments.dev), "-o", str(model)),
            *("--set", f"train.visits={arguments.visits}"),
        ]
        began = time.perf_counter()
        peak = peak_memory(command, arguments.limit)
        seconds = time.perf_counter() - began
        last = json.loads((model / "metrics.jsonl").read_text("utf-8").splitlines()[-1])
    figures = {
        **machine(),
        "corpus_megabytes": round(size / 10**6),
        "limit_mebibytes": arguments.limit,
        "peak_mebibytes": round(peak),
        "seconds": round(seconds),
        "training": last,
    }
    report(figures, arguments.output)


def peak_memory(command: Sequence[str], limit: int) -> float:
    """Run a command under a limit; return the most memory of its own that it had, in MiB.

    Args:
        command: the program and its arguments.
        limit: the MiB that it may allocate.

    Raises:
        SystemExit: if the command fails.
    """

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
    """Write lines of texts until a file has a size; return its size in bytes.

    Args:
        texts: files of text, whose lines come in another order in each round.
        size: in bytes.
        path: the file.
    """
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
