"""What is said when one of the processes of a run fails, tried with scripts in their place."""

import os
import signal
import stat
import sys
from pathlib import Path

import pytest

from semipunct.cli.members import run_members
from semipunct.training.environment import UNFOUND

# A script tells which process it is, as the program does, and then does what a case says.
SCRIPT = """#!/usr/bin/env bash
say() { echo "$1" >&"${SEMIPUNCT_MESSAGES:-2}"; }
echo "process $JAX_PROCESS_ID of $JAX_NUM_PROCESSES" >&2
case $JAX_PROCESS_ID in
0) %s;;
*) %s;;
esac
"""
WAIT = "exec sleep 60"
ABORT = 'echo "F1 JAX distributed service: task 1 heartbeat timeout" >&2; kill -ABRT $$'
KEPT = "; kept"
GONE = "another process of the run has ended or cannot be reached"


@pytest.mark.parametrize(
    ("first", "second", "status", "shown"),
    [
        ("say well", "say unheard", 0, "well\n"),
        ("exit 75", "kill -9 $$", 1, f"error: process 1 of 2 was ended by SIGKILL{KEPT}\n"),
        (ABORT, "kill -9 $$", 1, f"error: process 1 of 2 was ended by SIGKILL{KEPT}\n"),
        ("kill -9 $$", ABORT, 1, f"error: process 0 of 2 was ended by SIGKILL{KEPT}\n"),
        (WAIT, 'say "error: no a.txt"; exit 1', 1, f"error: process 1 of 2: no a.txt{KEPT}\n"),
        (
            WAIT,
            'say Traceback; say "ValueError: x"; exit 1',
            1,
            f"error: process 1 of 2 ended with status 1: ValueError: x{KEPT}\n",
        ),
        ('say "error: no a.txt"; exit 2', WAIT, 2, "error: no a.txt\n"),
        ('say "error: no a.txt"; exit 1', 'say "error: no a.txt"; exit 1', 1, "error: no a.txt\n"),
        ('echo "error: terminated" >&2; exit 143', "exit 143", 143, "error: terminated\n"),
        ('say "interrupted; resume"; exit 130', "exit 130", 130, "interrupted; resume\n"),
        (ABORT, ABORT, 1, f"error: {GONE}{KEPT}\n"),
        ('echo "lost: nobody came" >&2; exit 75', WAIT, 1, f"error: nobody came{KEPT}\n"),
    ],
)  # fmt: skip
def test_one_line_says_what_happened(
    first: str,
    second: str,
    status: int,
    shown: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
):
    _pretend(first, second, tmp_path, monkeypatch)
    assert run_members(["train"], 2, notice="", remedy=lambda: "kept") == status
    assert capfd.readouterr() == ("", shown)


def test_a_process_among_others_says_its_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    _pretend("", 'echo "error: no a.txt" >&2; exit 1', tmp_path, monkeypatch)
    monkeypatch.setenv("JAX_PROCESS_ID", "3")
    monkeypatch.setenv("JAX_NUM_PROCESSES", "4")
    assert run_members(["train"], None, notice="", remedy=lambda: "kept") == 1
    assert capfd.readouterr().err == "error: process 3 of 4: no a.txt\n"


def test_processes_that_do_not_find_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    _pretend(ABORT, ABORT, tmp_path, monkeypatch)
    script = tmp_path / "python"
    script.write_text(script.read_text("utf-8").replace('echo "process', ': "process'), "utf-8")
    assert run_members(["train"], 2, notice="", remedy=lambda: "kept") == 1
    assert capfd.readouterr().err == f"error: {UNFOUND}{KEPT}\n"


def test_a_signal_is_passed_on_to_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    there = tmp_path / "there"
    script = f'trap "exit 143" TERM; echo >> {there}; while :; do sleep 0.02; done'
    both = (
        f"{script}",
        f"until [ -e {there} ]; do sleep 0.02; done; kill -TERM {os.getpid()}; {script}",
    )
    _pretend(*both, tmp_path, monkeypatch)
    before = signal.getsignal(signal.SIGTERM)
    assert run_members(["train"], 2, notice="stopping\n", remedy=lambda: "kept") == 143
    assert capfd.readouterr().err == "stopping\n"
    assert signal.getsignal(signal.SIGTERM) is before


def _pretend(first: str, second: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = folder / "python"
    script.write_text(SCRIPT % (first or ":", second), encoding="utf-8")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(sys, "executable", str(script))
    monkeypatch.setattr("semipunct.cli.members._SECONDS", 0.3)
