"""A signal ends every command with the right status, without a traceback or a partial file."""

import subprocess
import sys
from pathlib import Path

import pytest

# The test runner may ignore Ctrl-C, as shells arrange for background jobs.
START = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
NAME = sys.argv.pop()
def send():
    os.kill(os.getpid(), getattr(signal, NAME))
    for _ in range(1000):  # Python handles a signal between two steps
        pass
"""

WHILE_IMPORTING = """
class Finder:
    @staticmethod
    def find_spec(name, *rest):
        if name == "typer":
            send()
sys.meta_path.insert(0, Finder)
"""

IN_A_CALLBACK = """
import gc
import semipunct.formats.reading as reading
def callback(phase, info):
    if phase == "start":
        gc.callbacks.remove(callback)
        send()
def count(*files):
    gc.callbacks.append(callback)
    gc.collect()
    time.sleep(20)
reading.stats = count
"""

WHILE_WRITING = """
import semipunct.formats.reading as reading
from semipunct.files import output
from semipunct.files.folders import hold_lock, replace_folder
import semipunct.files.folders as folders
def count(target):
    with output(target + "/new/file.txt") as stream, hold_lock(target + "/lock"):
        stream.write("half of it")
        stream.flush()
        folders.os.fsync = lambda _: send()
        replace_folder(target + "/folder", {"a": b"new"}, {"a"})
reading.stats = count
"""

BETWEEN_TWO_RENAMES = """
import semipunct.formats.reading as reading
import semipunct.files.folders as folders
from semipunct.files.folders import replace_folder
rename = folders.Path.rename
def interrupted(path, target):
    rename(path, target)
    if str(target).endswith(".old"):
        send()
def count(target):
    folders.Path.rename = interrupted
    replace_folder(target + "/folder", {"a": b"new"}, {"a"})
reading.stats = count
"""

RUN = """
from semipunct.cli import main
main()
"""

SIGNALS = {"SIGINT": (130, "interrupted"), "SIGTERM": (143, "terminated")}


def ended(program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", START + program + RUN, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("name", SIGNALS)
@pytest.mark.parametrize("program", [WHILE_IMPORTING, IN_A_CALLBACK], ids=["import", "callback"])
def test_a_signal_ends_a_command_wherever_it_comes(program: str, name: str):
    """This includes places where an exception would be misinterpreted, or printed and ignored."""
    done = ended(program, "stats", "absent.conllu", name)
    status, word = SIGNALS[name]
    assert (done.returncode, done.stdout, done.stderr) == (status, "", f"error: {word}\n")


@pytest.mark.parametrize("name", SIGNALS)
@pytest.mark.parametrize("program", [WHILE_WRITING, BETWEEN_TWO_RENAMES], ids=["write", "rename"])
def test_what_is_unfinished_goes_and_what_was_there_stays(tmp_path: Path, program: str, name: str):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a").write_bytes(b"old")
    done = ended(program, "stats", tmp_path, name)
    assert done.returncode == SIGNALS[name][0], done.stderr
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["a", "folder"]
    assert (tmp_path / "folder" / "a").read_bytes() == b"old"


def test_a_signal_that_is_ignored_stays_ignored():
    """A Ctrl-C for other processes does not end a background command of a script."""
    ignoring = "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    done = ended(ignoring + WHILE_IMPORTING, "stats", "absent.conllu", "SIGINT")
    assert done.returncode == 1
    assert "no such file" in done.stderr
