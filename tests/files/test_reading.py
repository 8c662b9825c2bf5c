"""Reading of files; the readers of each format are tested where they are used."""

import gzip
import io
import sys
from pathlib import Path

import pytest

from semipunct.errors import ConfigError
from semipunct.files import FileKind, byte_lines, read_bytes, write_bytes

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
    plain = tmp_path / "plain.gz"
    plain.write_bytes(b"one\n")
    broken.write_bytes(gzip.compress(b"one\n" * 9)[:-3])
    for path, place, words in [
        (tmp_path / "gone", "", "there is no such file; check the path"),
        (tmp_path, "", "this is a directory; name a file in it"),
        (broken / "a", "", r"cannot be read \(Not a directory\)"),
        (plain, ":1", r"the gzip data is broken \(.*\); write it again"),
        (broken, ":10", r"the gzip data is broken \(.*\); write it again, or drop \.gz from"),
    ]:
        with pytest.raises(ConfigError, match=f"^{path}: {words}"):
            read_bytes(path, KIND)
        with pytest.raises(ConfigError, match=f"^{path}{place}: {words}"):
            list(byte_lines(path, KIND))
