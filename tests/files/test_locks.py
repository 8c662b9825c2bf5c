"""Locks between processes."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from semipunct.files.folders import hold_lock

pytest.importorskip("fcntl")

HOLD = """
import sys, time
from semipunct.files.folders import hold_lock
with hold_lock(sys.argv[1]) as alone:
    print(alone, flush=True)
    time.sleep(60)
"""


def test_one_at_a_time(tmp_path: Path):
    path = tmp_path / ".lock"
    with hold_lock(path) as first:
        with hold_lock(path) as second:
            assert (first, second) == (True, False)
        assert path.exists()
        with hold_lock(path) as third:
            assert not third
    assert not path.exists()
    with hold_lock(path) as alone:
        assert alone


def test_a_process_that_is_killed_leaves_no_lock(tmp_path: Path):
    path = tmp_path / ".lock"
    with subprocess.Popen([sys.executable, "-c", HOLD, path], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"True\n"
        with hold_lock(path) as alone:
            assert not alone
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    assert path.exists()
    with hold_lock(path) as alone:
        assert alone


def test_a_file_that_its_holder_removes_is_not_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Between opening and locking, the previous holder may exit and remove the file."""
    path, opened = tmp_path / ".lock", os.open

    def open_late(name: Path, flags: int, mode: int) -> int:
        descriptor = opened(name, flags, mode)
        monkeypatch.undo()
        path.unlink()
        return descriptor

    monkeypatch.setattr(os, "open", open_late)
    with hold_lock(path) as alone, hold_lock(path) as second:
        assert (alone, second) == (True, False)
