"""Files that appear whole."""

import os
import threading
from pathlib import Path

import pytest

from semipunct.files import atomic_file, write_bytes


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
