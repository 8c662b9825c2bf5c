"""Files that appear whole."""

from pathlib import Path

import pytest

from semipunct.files import atomic_file


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
