"""Bytes in and out; the readers and writers of each format are tested where they are used."""

import gzip
import io
import math
import sys
from pathlib import Path

import pytest

from semipunct.errors import ConfigError
from semipunct.files import (
    FileKind,
    atomic_file,
    byte_lines,
    finite,
    from_json,
    read_bytes,
    to_json,
    write_bytes,
)

KIND = FileKind(ConfigError, "name a file in it", "write it again")


@pytest.mark.parametrize("name", ["a.bin", "a.bin.gz"])
def test_bytes_come_back(tmp_path: Path, name: str):
    path, content = tmp_path / name, b"one\r\ntwo\n\0three"
    write_bytes(path, content)
    assert read_bytes(path, KIND) == content
    assert list(byte_lines(path, KIND)) == [b"one\r\n", b"two\n", b"\0three"]
    assert path.read_bytes().startswith(b"\x1f\x8b") == name.endswith(".gz")
    first = path.read_bytes()
    write_bytes(path, content)
    assert path.read_bytes() == first


def test_standard_input_stays_open(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"one\ntwo")))
    assert next(byte_lines("-", KIND)) == b"one\n"
    assert not sys.stdin.closed


def test_messages_are_in_the_words_of_the_kind(tmp_path: Path):
    broken = tmp_path / "b.gz"
    broken.write_bytes(gzip.compress(b"one\n" * 9)[:-3])
    for path, place, words in [
        (tmp_path / "gone", "", "there is no such file; check the path"),
        (tmp_path, "", "this is a directory; name a file in it"),
        (broken, ":10", r"the gzip data is broken \(.*\); write it again, or drop \.gz from"),
    ]:
        with pytest.raises(ConfigError, match=f"^{path}: {words}"):
            read_bytes(path, KIND)
        with pytest.raises(ConfigError, match=f"^{path}{place}: {words}"):
            list(byte_lines(path, KIND))


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


def test_json_has_no_infinities():
    assert [finite(x) for x in (1.5, math.nan, math.inf, -math.inf)] == [1.5, None, None, None]
    assert to_json({"é": [1, None]}) == '{"é":[1,null]}'
    assert to_json({"a": 1, "b": 2}, indent=1) == '{\n "a": 1,\n "b": 2\n}'
    with pytest.raises(ValueError, match="not JSON compliant"):
        to_json(math.nan)
    assert from_json(b'{"a": [1, 2.5]}') == {"a": [1, 2.5]}
    with pytest.raises(ValueError, match="it holds -Infinity, which is no number"):
        from_json(b"[-Infinity]")
