"""Formats by name and by file extension."""

import gzip
import io
from pathlib import Path
from typing import Any

import pytest

from semipunct.errors import UsageError
from semipunct.files import byte_lines
from semipunct.formats import FORMATS, format_of, read_entries, read_treebank
from semipunct.formats.lines import KIND
from tests.formats.conllu.builders import chain, records, sentence, word
from tests.formats.conllu.punctuation import mark
from tests.formats.toy import Lines

BY_UNIT = sentence(word(1, "Here", 3), mark(2, ",", 1), word(3, "is", 0), mark(4, ".", 3))
BY_GOVERNOR = sentence(word(1, "Here", 3), mark(2, ",", 3), word(3, "is", 0), mark(4, ".", 3))


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Lines:
    """The test format, registered."""
    registered = Lines()
    monkeypatch.setitem(FORMATS, registered.name, registered)
    return registered


@pytest.mark.parametrize("path", ["b/a.CONLL", "a.conllu.gz", "-", "a.doc", Path("a.gz")])
def test_conllu_is_told_by_its_ending_and_is_the_default(lines: Lines, path: str | Path):
    assert format_of(path) is FORMATS["conllu"]


@pytest.mark.parametrize("path", ["a.lines", "a.conllu.lines", "a.lines.gz", Path("b") / "a.Lines"])
def test_a_format_is_told_by_its_ending(lines: Lines, path: str | Path):
    assert format_of(path) is lines


def test_several_files(lines: Lines):
    assert format_of() is FORMATS["conllu"]
    assert format_of("a.conllu", "-", "b.conllu.gz") is FORMATS["conllu"]
    assert format_of("a.lines", "b.lines.gz") is lines
    with pytest.raises(
        UsageError, match=r"\(a.conllu is conllu, b.lines is lines\); give one at a time"
    ):
        format_of("a.conllu", "b.lines")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", "text"), ("a b\n", "text"), ("1\ta\n", "text"), ("# a\n\n", "text"),
        ("so\n1\ta\ta\tX\n", "text"), ("1\ta\ta\tX", "conllu"), ("\ufeff1-2\ta\t_\n", "conllu"),
        ("\ufeff# a licence\n" * 20_000 + "\n1\ta\ta\tX\n", "conllu"),
        ("\ufeff1\r\n00:00:01,000 --> 00:00:02,500\r\nso\r\n", "subtitles"),
        ("\n00:01.000 --> 00:02.500 align:start position:10%\nso\n", "subtitles"),
        ("WEBVTT - so\n\n", "subtitles"), ("1\n", "text"), ("1\nso\n", "text"),
        ("00:01.000 --> 00:02.500 so ba\n", "text"), ("[00:01.000 --> 00:02.500] so\n", "text"),
        ('{"text": "so"}\n', "transcript"), ("\ufeff{\n", "transcript"),
        ("[so] ba\n", "text"), ("{ so }\n", "text"),
    ],
)  # fmt: skip
def test_what_nothing_tells_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, expected: str
):
    path = tmp_path / "a"
    path.write_text(content)
    assert format_of(path, words=True).name == expected
    assert format_of(tmp_path / "pipe", words=True, default="text").name == "text"
    # Detection uses the available part of standard input, which can still be read from its start.
    stdin = io.TextIOWrapper(io.BufferedReader(Slow(content.encode())))
    monkeypatch.setattr("sys.stdin", stdin)
    assert format_of("-", words=True).name == expected
    assert b"".join(byte_lines("-", KIND)).decode() == content


class Slow(io.RawIOBase):
    """A pipe whose writer pauses after every 1,000 bytes."""

    def __init__(self, content: bytes) -> None:
        super().__init__()
        self._content = io.BytesIO(content)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._content.readinto(memoryview(buffer)[:1_000])


def test_files_are_read_in_order_each_in_its_format(lines: Lines, tmp_path: Path):
    paths = [tmp_path / "one.conllu", tmp_path / "two.lines.gz", tmp_path / "three.conllu"]
    paths[0].write_text(chain(2) + mark(1, ".", 0) + "\n\n", encoding="utf-8")
    paths[1].write_bytes(gzip.compress(b"a b c\n"))
    paths[2].write_text(chain(4), encoding="utf-8")
    treebank = read_treebank(paths)
    assert [len(item.forms) for item in treebank.sentences] == [2, 3, 4]
    assert [item.path for item in treebank.omitted] == [str(paths[0])]
    assert treebank.omitted_by_reason() == {
        "punctuation has dependents": 0,
        "nothing but punctuation": 1,
    }
    assert treebank.projectivised == 0
    assert [type(entry.record).__name__ for entry in read_entries(paths)] == [
        "Record", "Record", "str", "Record",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text, convention, head", [(BY_UNIT, "unit", 1), (BY_GOVERNOR, "governor", 3)]
)
def test_a_writer_of_conllu_keeps_the_convention(
    tmp_path: Path, text: str, convention: str, head: int
):
    path = tmp_path / "some.conllu"
    path.write_text(text, encoding="utf-8")
    (entry,) = read_entries([path])
    writer = format_of(path).writer([entry])
    assert writer.style.convention == convention
    (record,) = records(writer.punctuate(entry, [(), (";",), (".",)]))
    assert [(token.form, token.head) for token in record.tokens] == [
        ("Here", 3), (";", head), ("is", 0), (".", 3),
    ]  # fmt: skip
    assert writer.text(entry, [(), (";",), ("!",)]) == "Here; is!"
    assert writer.source_text(entry) == text
