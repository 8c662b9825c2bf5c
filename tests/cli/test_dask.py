"""Parts that workers of Dask make: the same bytes as one process, whoever dies; one line of error.

The engine is tested without Dask in ``tests/batches/test_part_tasks.py``; the experiment
``experiments/corpora.py --engine dask`` kills more.
"""

import os
import random
import signal
import socket
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.commands import run

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(find_spec("distributed") is None, reason="Dask is not installed"),
]


def engine(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "semipunct", *map(str, arguments), "--engine", "dask"]


def workers(driver: int) -> list[int]:
    """Return the processes of the workers of a command."""
    listing = subprocess.check_output(["ps", "-eo", "pid,ppid,args"], text=True)
    rows = [line.split(maxsplit=2) for line in listing.splitlines()[1:]]
    return [int(pid) for pid, of, args in rows if int(of) == driver and "dask_worker" in args]


def test_killed_workers_and_a_killed_driver_change_nothing(tmp_path: Path, text_model: Path):
    corpus, parts = tmp_path / "a.txt", tmp_path / "parts"
    corpus.write_text("so ba do so gu ba so but ba gu do ba but so ba gu\n" * 2500, "utf-8")
    whole = run("restore", text_model, corpus).out
    command = engine(
        "restore", text_model, corpus, "--parts", parts, "--part-size", 4, "--workers", 2
    )
    draws = random.Random(1)
    for last in (False, True):
        driver = subprocess.Popen(command, stderr=subprocess.PIPE)
        began = time.monotonic()
        for number in range(1, 4):
            while driver.poll() is None and len([*parts.glob("part-*")]) < number + 5 * last:
                assert time.monotonic() < began + 300
                time.sleep(0.01)
            if alive := workers(driver.pid):
                os.kill(draws.choice(alive), signal.SIGKILL)
        if not last:
            before = workers(driver.pid)
            driver.kill()
        assert driver.communicate()[1].count(b"Traceback") == 0
    assert driver.returncode == 0
    assert b"".join(p.read_bytes() for p in sorted(parts.glob("part-*"))) == whole.encode()
    # Workers end with the process that started them.
    assert not any(Path(f"/proc/{pid}").exists() for pid in before)


def test_a_scheduler_that_does_not_answer(tmp_path: Path, text_model: Path):
    corpus = tmp_path / "a.txt"
    corpus.write_text("so ba\n", "utf-8")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        for address in ("foo://x", f"tcp://127.0.0.1:{silent.getsockname()[1]}"):
            began = time.monotonic()
            command = ("restore", text_model, corpus, "--parts", tmp_path / "parts")
            ended = subprocess.run(
                [*engine(*command), "--scheduler", address], capture_output=True, text=True
            )
            assert ended.returncode == 1
            assert len(ended.stderr.splitlines()) == 1
            assert f"{address}: no scheduler of Dask answers" in ended.stderr
            assert time.monotonic() - began < 60  # ten seconds, and the start of the command


def test_workers_of_a_scheduler(tmp_path: Path, text_model: Path):
    corpus, parts = tmp_path / "a.txt", tmp_path / "parts"
    corpus.write_text("so ba do so gu\n" * 300, "utf-8")
    whole = run("restore", text_model, corpus).out
    code = (
        "from distributed import LocalCluster\n"
        "if __name__ == '__main__':\n"
        "    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as c:\n"
        "        print(c.scheduler_address, flush=True)\n"
        "        input()\n"
    )
    script = tmp_path / "cluster.py"
    script.write_text(code, "utf-8")
    cluster = subprocess.Popen(
        [sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    assert cluster.stdout is not None
    command = engine("restore", text_model, corpus, "--parts", parts, "--part-size", 1)
    address = cluster.stdout.readline().strip()
    ended = subprocess.run([*command, "--scheduler", address], capture_output=True, text=True)
    cluster.communicate("\n")
    assert ended.returncode == 0, ended.stderr
    assert "".join(p.read_text("utf-8") for p in sorted(parts.glob("part-*"))) == whole
