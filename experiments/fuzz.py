"""Fuzzing of treebanks, model folders, results and command lines; errors must be reported clearly.

    python experiments/fuzz.py --cases 200000 --jobs 2 --output experiments/results/fuzz.json
    python experiments/fuzz.py --seed 1 --replay 4711

A case is determined by the seed and its number. It fails on an exit status other than 0, 1 or 2, an
exit status of 1 without a message, a warning, a timeout of ten seconds, a temporary file left
behind, or a target file that exists but is incomplete.
"""

import argparse
import faulthandler
import json
import multiprocessing
import os
import resource
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

# Before the import of jax: compilation dominates, and little is computed.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")

from fuzzing.cases import KINDS, Report, attempt, kind_of
from fuzzing.material import Material, shared, warm

from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.version import __version__
from semipunct.wording import quantity

MEMORY = 8 << 30
"""Limit in bytes of the address space of a worker; JAX reserves some of them at once."""

KILLED = 60.0
"""Seconds after which a worker is killed that does not react to its alarm."""

SHIFT = 20_000
"""Cases after which a worker is replaced, because its compiled functions take up memory."""

SHOWN = 5
"""Maximum number of case numbers listed for each failure."""


def main() -> None:
    """Run the cases, print the failures, and write the result."""
    arguments = parse()
    if arguments.replay is not None:
        replay(arguments.seed, arguments.replay)
        return
    began = time.monotonic()
    reports: list[Report] = []
    for report in everything(arguments.seed, arguments.first, arguments.cases, arguments.jobs):
        if report.failure:
            print(f"{report.number}: {report.kind}: {report.failure}\n  {report.told[:300]}")
        # The log is kept for failures only: there are many cases.
        reports.append(report if report.failure else replace(report, told=""))
        if len(reports) % 1000 == 0:
            rate = len(reports) / (time.monotonic() - began)
            print(f"{quantity(len(reports), 'case')}, {rate:.0f} a second", file=sys.stderr)
    figures = {"seed": arguments.seed, "cases": len(reports), **summary(reports)}
    figures["seconds"] = round(time.monotonic() - began)
    print(json.dumps({k: v for k, v in figures.items() if k != "failures"}, indent=1))
    if arguments.output:
        arguments.output.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    raise SystemExit(bool(figures["failures"]))


def summary(reports: list[Report]) -> dict[str, Any]:
    """Count outcomes by kind of case, and group failures with the same cause."""
    seconds = dict.fromkeys(KINDS, 0.0)
    outcomes = {kind: Counter[str]() for kind in KINDS}
    failures: defaultdict[str, list[Report]] = defaultdict(list)
    for report in reports:
        seconds[report.kind] += report.seconds
        outcomes[report.kind][report.outcome or "failure"] += 1
        if report.failure:
            failures[report.failure].append(report)
    return {
        "version": __version__,
        "outcomes": {kind: dict(sorted(counts.items())) for kind, counts in outcomes.items()},
        "milliseconds": {
            kind: round(1000 * seconds[kind] / max(1, outcomes[kind].total()), 1) for kind in KINDS
        },
        "failures": [
            {
                "what": cause,
                "times": len(reports_of_cause),
                "cases": [report.number for report in reports_of_cause[:SHOWN]],
                "first": reports_of_cause[0].told,
            }
            for cause, reports_of_cause in sorted(failures.items())
        ],
    }


def replay(seed: int, number: int) -> None:
    """Run one case, and keep its files.

    Args:
        seed: seed of all cases.
        number: number of the case.
    """
    enable_compilation_cache()
    folder = Path(tempfile.mkdtemp(prefix="semipunct-fuzz-"))
    with shared():
        material = Material.made(folder)
        report = attempt(seed, number, material, folder / "case", keep=True)
    print(f"{report.kind}: {report.told}\n{report.outcome}{report.failure}\n{folder / 'case'}")


def everything(seed: int, first: int, cases: int, jobs: int) -> Iterator[Report]:
    """Run cases in several processes, and replace a process that dies.

    Args:
        seed: seed of all cases.
        first: number of the first case.
        cases: number of cases.
        jobs: number of parallel processes.
    """
    context = multiprocessing.get_context("spawn")
    end = first + cases
    workers: dict[Connection, tuple[BaseProcess, int]] = {}
    ready: set[int] = set()  # numbers of cases that were reached

    def start(number: int) -> None:
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=work, args=(sender, seed, range(number, end, jobs)))
        process.start()
        sender.close()
        workers[receiver] = process, number

    for job in range(min(jobs, cases)):
        start(first + job)
    while workers:
        for connection in wait(list(workers)):
            process, number = workers[connection]
            try:
                report: Report | None = connection.recv()
            except EOFError:
                process.join()
                del workers[connection]
                if process.exitcode == 0 and number < end and number in ready:
                    start(number)
                    continue
                if number not in ready:
                    raise SystemExit("a worker could not prepare its first case") from None
                if number < end:
                    yield Report(
                        number, kind_of(seed, number), KILLED, "", "", death(process.exitcode)
                    )
                    start(number + jobs)
                continue
            if report is None:
                ready.add(number)
                continue
            workers[connection] = process, report.number + jobs
            ready.add(report.number + jobs)
            yield report


def death(status: int | None) -> str:
    """Describe how a process ended."""
    return f"the process ended with status {status} (a crash, or nothing within {KILLED:.0f} s)"


def work(connection: Connection, seed: int, numbers: range) -> None:
    """Run cases in a separate process, and report each.

    Args:
        connection: receives the reports.
        seed: seed of all cases.
        numbers: numbers of the cases.
    """
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    enable_compilation_cache()
    with tempfile.TemporaryDirectory(prefix="semipunct-fuzz-") as name, shared():
        material = Material.made(Path(name))
        warm(material)
        connection.send(None)
        for number in numbers[:SHIFT]:
            faulthandler.dump_traceback_later(KILLED, exit=True)
            connection.send(attempt(seed, number, material, Path(name) / "case"))
            faulthandler.cancel_dump_traceback_later()


def parse() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--jobs", type=int, default=1, help="number of parallel processes")
    parser.add_argument("--output", type=Path, help="write the result to this JSON file")
    parser.add_argument("--replay", type=int, metavar="N", help="run case N alone, keep its files")
    return parser.parse_args()


if __name__ == "__main__":
    main()
