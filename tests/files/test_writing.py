"""Atomically written files."""

import os
import stat
import threading
from pathlib import Path

import pytest

from semipunct.files import output, write_bytes
from semipunct.files.writing import atomic_file


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"before")

    def write_half() -> None:
        with atomic_file(path) as stream:
            stream.write(b"half")
            assert path.read_bytes() == b"before"
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_half()
    assert path.read_bytes() == b"before"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_a_pipe_is_not_replaced(tmp_path: Path):
    path, read = tmp_path / "pipe", list[bytes]()
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: read.append(path.read_bytes()))
    reader.start()
    write_bytes(path, b"all")
    reader.join()
    assert read == [b"all"]
    assert path.is_fifo()


@pytest.mark.parametrize("mode", ["ab", "r+b"])
def test_an_open_file_is_written_to_where_it_is(tmp_path: Path, mode: str):
    """An example is standard output that a shell appends to a file: ``-o /dev/stdout >> file``."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"before\n")
    with open(path, mode) as stream:
        stream.seek(0, os.SEEK_END)
        write_bytes(f"/dev/fd/{stream.fileno()}", b"one\n")
        with output(f"/dev/fd/{stream.fileno()}") as text:
            text.write("two\n")
    assert path.read_bytes() == b"before\none\ntwo\n"


def test_an_open_pipe_is_written_to():
    read, write = os.pipe()
    with output(f"/dev/fd/{write}") as stream:
        stream.write("all")
    os.close(write)
    with open(read, "rb") as pipe:
        assert pipe.read() == b"all"


def test_a_file_that_is_replaced_hands_on_its_permissions(tmp_path: Path):
    path = tmp_path / ("n" * 250 + ".txt")
    path.write_bytes(b"mine")
    path.chmod(0o600)
    write_bytes(path, b"other")
    assert path.read_bytes() == b"other"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
