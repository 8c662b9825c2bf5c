"""A corpus in parts: the speed of one and two processes, and the output of killed processes.

    .venv/bin/python experiments/corpora.py --sentences 20000 --kills 10 -o shards.json
    .venv/bin/python experiments/corpora.py --engine dask -o dask.json

``en`` restores lower-cased words of UD English 1.4 in one process, in two with ``--parts`` (shards,
or workers of Dask), and in two that are killed at random moments, with Dask also with their
command, until all parts are complete. Outputs are compared byte by byte.

Each process has one worker thread and, where possible, a core. The speed-up subtracts the time for
the first tenth of the sentences; processor time depends less on other load.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.figures import machine, report

from semipunct.corpus import Omitted
from semipunct.formats import read_words

DEV = Path(__file__).resolve().parents[2] / "shared/data/ud-1.4/en/dev.conllu"
ONE_THREAD = {"NPROC": "1", "OMP_NUM_THREADS": "1"}
Command = Sequence[object]
"""The arguments of ``semipunct``."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the driver."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--treebank", type=Path, default=DEV)
    parser.add_argument("--sentences", type=int, default=20_000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--engine", choices=("shards", "dask"), default="shards")
    parser.add_argument("--part-size", type=int, default=64, help="KiB of a part")
    parser.add_argument("--seed", type=int, default=0, help="of the moments of kills")
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args(arguments)
    with TemporaryDirectory() as folder:
        figures = measure(Path(folder), options)
    report(options.engine, figures | machine(), options.output)


def measure(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Return the figures of all runs."""
    corpus, tenth, whole = (folder / name for name in ("corpus.txt", "tenth.txt", "whole.txt"))
    size = write_corpus(corpus, options.treebank, options.sentences)
    write_corpus(tenth, options.treebank, options.sentences // 10)

    def one(text: Path, output: Path) -> list[Command]:
        return [("restore", "en", text, "-o", output, "--quiet")]

    def two(text: Path, name: str, part_size: int = options.part_size) -> list[Command]:
        parts = ("restore", "en", text, "--quiet", "--part-size", part_size)
        parts = (*parts, "--parts", folder / name)
        if options.engine == "dask":
            return [(*parts, "--engine", "dask", "--workers", 2)]
        return [(*parts, "--shard", f"{shard}/2") for shard in (1, 2)]

    start = timed(one(tenth, folder / "x"), cores=1)
    alone = timed(one(corpus, whole), cores=1)
    start_of_two, together = timed(two(tenth, "tenth")), timed(two(corpus, "two"))
    large = timed([(*two(corpus, "large", 1024)[0], "--shard", "1/2")])  # one part of this size
    kills = kill_and_repeat(
        two(corpus, "killed"), folder / "killed", options.kills, random.Random(options.seed),
        workers=options.engine == "dask",
    )  # fmt: skip
    expected = whole.read_bytes()
    work_of_two = together.core_seconds - start_of_two.core_seconds
    return {
        "engine": options.engine,
        "sentences": options.sentences,
        "bytes": size,
        "load": round(os.getloadavg()[0], 1),
        "seconds_alone": alone.seconds,
        "seconds_alone_for_a_tenth": start.seconds,
        "core_seconds_alone": alone.core_seconds,
        "core_seconds_alone_for_a_tenth": start.core_seconds,
        "sentences_per_core_second": round(options.sentences / alone.core_seconds, 1),
        "seconds_two": together.seconds,
        "seconds_two_for_a_tenth": start_of_two.seconds,
        "core_seconds_two": together.core_seconds,
        "core_seconds_two_for_a_tenth": start_of_two.core_seconds,
        "speedup_of_two_on_the_clock": round(
            (alone.seconds - start.seconds) / (together.seconds - start_of_two.seconds), 2
        ),
        "speedup_of_two_by_core_seconds": round(
            2 * (alone.core_seconds - start.core_seconds) / work_of_two, 2
        ),
        "mebibytes_of_a_process": together.mebibytes,
        "mebibytes_of_a_process_with_parts_of_1024_kib": large.mebibytes,
        **kills,
        "parts": len(list((folder / "killed").glob("part-*"))),
        "two_equal_one": joined(folder / "two") == expected,
        "large_equal_one": expected.startswith(joined(folder / "large")),
        "killed_equal_one": joined(folder / "killed") == expected,
    }


def write_corpus(path: Path, treebank: Path, sentences: int) -> int:
    """Write lower-cased words of a treebank, repeated as needed; return the number of bytes."""
    lines = [
        " ".join(entry.content.forms).lower()
        for entry in read_words([treebank])
        if not isinstance(entry.content, Omitted)
    ]
    text = "".join(f"{lines[i % len(lines)]}\n" for i in range(sentences))
    return path.write_bytes(text.encode())


def command(*arguments: object, cores: int = 2) -> subprocess.Popen[bytes]:
    """Start a ``semipunct`` command with one thread, bound to a number of cores where possible."""
    line = [sys.executable, "-m", "semipunct", *map(str, arguments)]
    if hasattr(os, "sched_setaffinity") and shutil.which("taskset"):
        free = sorted(os.sched_getaffinity(0))[:cores]
        line = ["taskset", "--cpu-list", ",".join(map(str, free)), *line]
    return subprocess.Popen(line, env={**os.environ, **ONE_THREAD})


@dataclass(frozen=True, slots=True)
class Usage:
    """The resources of simultaneous commands and their child processes.

    Attributes:
        mebibytes: of the largest process so far.
    """

    seconds: float
    core_seconds: float
    mebibytes: int


def timed(commands: Sequence[Command], cores: int = 2) -> Usage:
    """Run commands simultaneously, sharing a number of cores."""
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    running = [command(*arguments, cores=cores) for arguments in commands]
    assert [process.wait() for process in running] == [0] * len(running)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Usage(round(time.monotonic() - began, 1), round(used, 1), round(after.ru_maxrss / 1024))


def kill_and_repeat(
    commands: Sequence[Command], folder: Path, kills: int, moments: random.Random, *, workers: bool
) -> dict[str, int]:
    """Run commands until all finish; kill one of their processes now and then.

    Returns:
        The numbers of killed workers and commands, and of parts that were rewritten.
    """
    counts = {"killed_workers": 0, "killed_commands": 0}
    times: dict[str, set[int]] = {}
    running = [command(*arguments) for arguments in commands]
    while any(process.poll() is None for process in running):
        time.sleep(moments.uniform(1, 4))
        for path in folder.glob("part-*"):
            times.setdefault(path.name, set()).add(path.stat().st_mtime_ns)
        number = moments.randrange(len(running))
        if sum(counts.values()) < kills + workers and running[number].poll() is None:
            half_way = counts["killed_workers"] == kills // 2 and not counts["killed_commands"]
            if not workers or half_way:
                running[number].kill()
                counts["killed_commands"] += running[number].wait() == -signal.SIGKILL
            elif alive := workers_of(running[number].pid):
                os.kill(moments.choice(alive), signal.SIGKILL)
                counts["killed_workers"] += 1
        for number, process in enumerate(running):
            if process.poll() == -signal.SIGKILL:
                running[number] = command(*commands[number])
    assert [process.wait() for process in running] == [0] * len(running)
    for path in folder.glob("part-*"):
        times.setdefault(path.name, set()).add(path.stat().st_mtime_ns)
    return {**counts, "parts_written_again": sum(len(of_part) > 1 for of_part in times.values())}


def workers_of(pid: int) -> list[int]:
    """Return the worker processes of a command."""
    listing = subprocess.check_output(["ps", "-eo", "pid,ppid,args"], text=True)
    rows = [line.split(maxsplit=2) for line in listing.splitlines()[1:]]
    return [int(own) for own, of, text in rows if int(of) == pid and "dask_worker" in text]


def joined(folder: Path) -> bytes:
    """Concatenate the parts of a folder."""
    return b"".join(path.read_bytes() for path in sorted(folder.glob("part-*")))


if __name__ == "__main__":
    main()
