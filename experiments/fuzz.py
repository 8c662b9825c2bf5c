"""Damaged treebanks, model folders, results and command lines: errors with a message, or nothing.

    python experiments/fuzz.py --cases 200000 --jobs 2 --output experiments/results/fuzz.json
    python experiments/fuzz.py --seed 1 --replay 4711

A case is fixed by the seed and its number. It fails if anything but an exit status of 0, 1 or 2
comes of it, an exit status of 1 without a message, a warning, nothing within ten seconds, a
temporary file that is left, or a target that is there but not whole.
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

# Before jax is imported: much is compiled, and little computed.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")

from fuzzing.cases import KINDS, Report, attempt, kind_of
from fuzzing.material import Material, shared, warm

from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.version import __version__
from semipunct.wording import counted

MEMORY = 8 << 30
"""Bytes of address space that a worker may have; JAX reserves some of them at once."""

KILLED = 60.0
"""Seconds after which a worker ends that does not even hear its alarm."""

SHIFT = 20_000
"""Cases after which a worker makes room for a new one: what it has compiled takes memory."""

SHOWN = 5
"""Numbers of cases that are named for each failure."""


def main() -> None:
    """Run the cases, print what failed, and write it."""
    arguments = parse()
    if arguments.replay is not None:
        replay(arguments.seed, arguments.replay)
        return
    began = time.monotonic()
    reports: list[Report] = []
    for report in everything(arguments.seed, arguments.first, arguments.cases, arguments.jobs):
        if report.failure:
            print(f"{report.number}: {report.kind}: {report.failure}\n  {report.told[:300]}")
        # What was done is told of failures alone: there are many cases.
        reports.append(report if report.failure else replace(report, told=""))
        if len(reports) % 1000 == 0:
            rate = len(reports) / (time.monotonic() - began)
            print(f"{counted(len(reports), 'case')}, {rate:.0f} a second", file=sys.stderr)
    found = {"seed": arguments.seed, "cases": len(reports), **summary(reports)}
    found["seconds"] = round(time.monotonic() - began)
    print(json.dumps({k: v for k, v in found.items() if k != "failures"}, indent=1))
    if arguments.output:
        arguments.output.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    raise SystemExit(bool(found["failures"]))


def summary(reports: list[Report]) -> dict[str, Any]:
    """Count outcomes by the kind of the cases, and put failures of one cause together."""
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
                "what": what,
                "times": len(same),
                "cases": [report.number for report in same[:SHOWN]],
                "first": same[0].told,
            }
            for what, same in sorted(failures.items())
        ],
    }


def replay(seed: int, number: int) -> None:
    """Run one case, and keep what it was made of.

    Args:
        seed: of all cases.
        number: of the case.
    """
    enable_compilation_cache()
    folder = Path(tempfile.mkdtemp(prefix="semipunct-fuzz-"))
    with shared():
        material = Material.made(folder)
        report = attempt(seed, number, material, folder / "case", keep=True)
    print(f"{report.kind}: {report.told}\n{report.outcome}{report.failure}\n{folder / 'case'}")


def everything(seed: int, first: int, cases: int, jobs: int) -> Iterator[Report]:
    """Run cases in processes, and begin a new one where one dies.

    Args:
        seed: of all cases.
        first: the number of the first case.
        cases: their number.
        jobs: processes at a time.
    """
    context = multiprocessing.get_context("spawn")
    end = first + cases
    workers: dict[Connection, tuple[BaseProcess, int]] = {}
    ready: set[int] = set()  # numbers of cases that were reached

    def start(number: int) -> None:
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=work, args=(theirs, seed, range(number, end, jobs)))
        process.start()
        theirs.close()
        workers[ours] = process, number

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
    """Say how a process came to its end."""
    return f"the process ended with status {status} (a crash, or nothing within {KILLED:.0f} s)"


def work(connection: Connection, seed: int, numbers: range) -> None:
    """Run cases in a process of its own, and report each.

    Args:
        connection: takes the reports.
        seed: of all cases.
        numbers: of the cases.
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
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--output", type=Path, help="the result, as JSON")
    parser.add_argument("--replay", type=int, metavar="N", help="run case N alone, keep its files")
    return parser.parse_args()


if __name__ == "__main__":
    main()
