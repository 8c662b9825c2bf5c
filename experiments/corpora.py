"""A corpus in parts: the speed of one and two processes, and the output of processes that die.

    .venv/bin/python experiments/corpora.py --sentences 20000 --kills 10 -o corpora.json

Words of the development part of UD English 1.4, in lower case and without marks, one sentence a
line, are restored by the text model ``en``: by one process, by two with ``--parts``, and by two
that are killed at random moments, until all parts are there. Each process has one thread. The
outputs are compared byte by byte.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from semipunct.corpus import Omitted
from semipunct.formats import read_words

DEV = Path(__file__).resolve().parents[2] / "shared/data/ud-1.4/en/dev.conllu"
ONE_THREAD = {"NPROC": "1", "OMP_NUM_THREADS": "1"}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the driver.

    Args:
        arguments: of the command line; by default those of the process.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--treebank", type=Path, default=DEV)
    parser.add_argument("--sentences", type=int, default=20_000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--part-size", type=int, default=64, help="KiB of a part")
    parser.add_argument("--seed", type=int, default=0, help="of the moments of kills")
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args(arguments)
    with TemporaryDirectory() as folder:
        figures = measure(Path(folder), options)
    text = json.dumps(figures, indent=2) + "\n"
    print(text, end="")
    if options.output:
        options.output.write_text(text, "utf-8")


def measure(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Return the figures of all runs.

    Args:
        folder: for the files.
        options: of the command line.
    """
    corpus = folder / "corpus.txt"
    size = write_corpus(corpus, options.treebank, options.sentences)
    whole = folder / "whole.txt"
    start = time.monotonic()
    command("restore", "en", corpus, "-o", whole, "--quiet").wait()
    alone = time.monotonic() - start
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)  # of this process alone
    core_seconds = usage.ru_utime + usage.ru_stime
    parts = ("restore", "en", corpus, "--part-size", options.part_size, "--quiet", "--parts")
    start = time.monotonic()
    two = [command(*parts, folder / "two", "--shard", f"{i}/2") for i in (1, 2)]
    assert [process.wait() for process in two] == [0, 0]
    together = time.monotonic() - start
    kills = kill_and_repeat([*parts, folder / "killed"], options.kills, random.Random(options.seed))
    expected = whole.read_bytes()
    return {
        "sentences": options.sentences,
        "bytes": size,
        "cpus": os.cpu_count(),
        "processor": platform.processor() or platform.machine(),
        "load": os.getloadavg()[0],
        "seconds_alone": round(alone, 1),
        "sentences_per_second_alone": round(options.sentences / alone, 1),
        "core_seconds_alone": round(core_seconds, 1),
        "sentences_per_core_second": round(options.sentences / core_seconds, 1),
        "seconds_two": round(together, 1),
        "speedup_of_two": round(alone / together, 2),
        "megabytes_of_a_process": round(
            resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        ),
        "kills": kills,
        "parts": len(list((folder / "killed").glob("part-*"))),
        "two_equal_one": joined(folder / "two") == expected,
        "killed_equal_one": joined(folder / "killed") == expected,
    }


def write_corpus(path: Path, treebank: Path, sentences: int) -> int:
    """Write words of a treebank in lower case, repeated as often as needed; return the bytes.

    Args:
        path: the file.
        treebank: the treebank.
        sentences: the number of lines.
    """
    lines = [
        " ".join(entry.content.forms).lower()
        for entry in read_words([treebank])
        if not isinstance(entry.content, Omitted)
    ]
    text = "".join(f"{lines[i % len(lines)]}\n" for i in range(sentences))
    return path.write_bytes(text.encode())


def command(*arguments: object) -> subprocess.Popen[bytes]:
    """Start a command with one thread.

    Args:
        *arguments: of ``semipunct``.
    """
    line = [sys.executable, "-m", "semipunct", *map(str, arguments)]
    return subprocess.Popen(line, env={**os.environ, **ONE_THREAD})


def kill_and_repeat(arguments: Sequence[object], kills: int, moments: random.Random) -> int:
    """Run two shards until both end by themselves; kill one of them now and then.

    Args:
        arguments: of ``semipunct``, without the shard.
        kills: the number of processes to kill.
        moments: draws the seconds between kills.

    Returns:
        The number of processes that were killed before they ended.
    """
    done = 0
    running: dict[int, subprocess.Popen[bytes]] = {}
    ended: set[int] = set()
    while len(ended) < 2:
        for shard in {1, 2} - ended - running.keys():
            running[shard] = command(*arguments, "--shard", f"{shard}/2")
        if done < kills:
            time.sleep(moments.uniform(1, 8))
            victim = running[moments.choice([*running])]
            victim.send_signal(signal.SIGKILL)
            victim.wait()
            done += victim.returncode == -signal.SIGKILL
        else:
            for process in running.values():
                process.wait()
        for shard, process in [*running.items()]:
            if process.poll() is not None:
                del running[shard]
                if process.returncode == 0:
                    ended.add(shard)
    return done


def joined(folder: Path) -> bytes:
    """Return the concatenated parts of a folder.

    Args:
        folder: of the parts.
    """
    return b"".join(path.read_bytes() for path in sorted(folder.glob("part-*")))


if __name__ == "__main__":
    main()
