"""CPU time and memory of restoring lines of text, as their number grows.

    python experiments/benchmarks/lines.py MODEL PARSER TEXT [--lines N] [--output PATH]

``semipunct restore --parser`` and, for comparison, ``semipunct parse`` run on the first N lines and
on four times as many (the text is repeated if it is shorter), each in a separate process with a
filled compilation cache. The difference of the two numbers of lines gives the CPU time per line,
without what starting, loading and compiling take. The ratio of the commands does not depend on the
machine; the peak of the memory should not depend on the number of lines.
"""

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from figures import machine, report

TIMES = 4
"""How many times more lines there are in the longer text."""


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("parser", type=Path)
    parser.add_argument("text", type=Path)
    parser.add_argument("--lines", type=int, default=1000)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    lines = arguments.text.read_text("utf-8").splitlines(keepends=True)
    model, trees = str(arguments.model), str(arguments.parser)
    figures: dict[str, Any] = {**machine(), "lines": [arguments.lines, TIMES * arguments.lines]}
    with tempfile.TemporaryDirectory() as folder:
        texts = [Path(folder) / f"{number}.txt" for number in figures["lines"]]
        for path, number in zip(texts, figures["lines"], strict=True):
            several = itertools.islice(itertools.cycle(lines), number)
            path.write_text("".join(several), "utf-8")
        for command, options in (
            ("restore", [model, "--parser", trees, "--format", "text"]),
            ("parse", [trees]),
        ):
            run([command, *options, str(texts[0])])  # fills the compilation cache
            few, many = (run([command, *options, str(path)]) for path in texts)
            per_line = (many[0] - few[0]) / (figures["lines"][1] - figures["lines"][0])
            figures[command] = {
                "cpu_seconds": [round(few[0], 1), round(many[0], 1)],
                "cpu_milliseconds_per_line": round(1e3 * per_line, 2),
                "peak_mebibytes": [few[1], many[1]],
            }
    figures["restore_to_parse"] = round(
        figures["restore"]["cpu_milliseconds_per_line"]
        / figures["parse"]["cpu_milliseconds_per_line"],
        2,
    )
    report(figures, arguments.output)


def run(arguments: list[str]) -> tuple[float, int]:
    """Run a command, and return its CPU time in seconds and its peak memory in mebibytes.

    Args:
        arguments: the arguments of ``semipunct``.
    """
    command = [sys.executable, "-m", "semipunct", *arguments]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return used.ru_utime + used.ru_stime, used.ru_maxrss // 1024


if __name__ == "__main__":
    main()
