"""Parts that workers of Dask make: the same bytes as one process; one line of error."""

import os
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
    """Return the workers of a command: the processes that its watchers have started."""
    listing = subprocess.check_output(["ps", "-ww", "-eo", "pid,ppid,args"], text=True)
    rows = [line.split(maxsplit=2) for line in listing.splitlines()[1:]]
    return [int(pid) for pid, of, args in rows if int(of) == driver and "spawn_main" in args]


def test_a_killed_worker_changes_nothing(tmp_path: Path, text_model: Path):
    corpus, parts = tmp_path / "a.txt", tmp_path / "parts"
    corpus.write_text("so ba do so gu ba so but ba gu do ba but so ba gu\n" * 2500, "utf-8")
    whole = run("restore", text_model, corpus).out
    command = engine(
        "restore", text_model, corpus, "--parts", parts, "--part-size", 64, "--workers", 2
    )
    driver = subprocess.Popen(command, stderr=subprocess.PIPE)
    began = time.monotonic()
    while driver.poll() is None and not [*parts.glob("part-*")]:
        assert time.monotonic() < began + 300
        time.sleep(0.01)
    os.kill(workers(driver.pid)[0], signal.SIGKILL)
    assert driver.communicate()[1].count(b"Traceback") == 0
    assert driver.returncode == 0
    assert b"".join(p.read_bytes() for p in sorted(parts.glob("part-*"))) == whole.encode()


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
