"""Parts of a corpus add up to it, divide no sentence, and know the places of their lines."""

from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.errors import UsageError
from semipunct.formats.conllu import Conllu
from semipunct.formats.running_text import read_lines
from semipunct.formats.text import paragraphs
from semipunct.pipelines.parts import divide
from semipunct.pipelines.task import Unit

WORD = b"1\tso\t_\tNOUN\t_\t_\t0\troot\t_\t_"
PIECES: dict[Unit, list[bytes]] = {
    "line": [b"so", b" ba \xc3\xa9", b"\n", b"\r\n", b"\n\n", b"\xe2\x80\xa8", b"\n```\n", b"\xff"],
    "paragraph": [b"so", b" \xc3\xa9", b"\n", b"\r\n", b"\n\n", b" \t\n", b"\xc2\xa0\n", b"\xff"],
    "sentence": [
        WORD + b"\n\n", WORD + b"\r\n\r\n", b"\n", b"# a\n", b" \r\n", b"# b", WORD + b"\n",
    ],
}  # fmt: skip


@pytest.mark.parametrize("unit", list(PIECES))
def test_parts_add_up_to_the_files(unit: Unit, tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("files")
    files = st.lists(st.lists(st.sampled_from(PIECES[unit]), max_size=8).map(b"".join), max_size=3)

    @given(files, st.integers(1, 60), st.integers(1, 3))
    def check(contents: list[bytes], size: int, chunk: int) -> None:
        paths = [str(folder / f"{number}.x") for number in range(len(contents))]
        for path, content in zip(paths, contents, strict=True):
            Path(path).write_bytes(content)
        parts = list(divide(paths, unit, size, chunk))
        sections = [section for part in parts for section in part]
        whole = list(divide(paths, unit, 1))
        units = [[s for part in whole for s in part if s == path] for path in paths]
        for path, content in zip(paths, contents, strict=True):
            of_file = [section for section in sections if section == path]
            starts = [section.first_byte for section in of_file]
            assert starts[0] == 0
            # Each section begins where one of the smallest ones does.
            assert {*starts} <= {section.first_byte for section in units[paths.index(path)]}
            written = b"".join(section.content for section in of_file)
            assert written[: len(content)] == content
            assert written[len(content) :].strip() == b""
            for section in of_file:
                before = content[: section.first_byte]
                assert section.first_line == 1 + before.count(b"\n")
                assert section.first_character == len(before.decode("utf-8", "replace"))
        assert [paths.index(s) for s in sections] == sorted(paths.index(s) for s in sections)

    check()


READERS: dict[Unit, Any] = {
    "line": lambda paths: [entry.record for entry in read_lines(paths)],
    "paragraph": lambda paths: list(
        chain.from_iterable(paragraphs(p, ended=n < len(paths)) for n, p in enumerate(paths, 1))
    ),
    "sentence": lambda paths: [
        (entry.record, entry.content) for p in paths for entry in Conllu().read_words(p)
    ],
}


@pytest.mark.parametrize("unit", list(READERS))
def test_parts_are_read_like_the_files(unit: Unit, tmp_path_factory: pytest.TempPathFactory):
    """Names, lines and bytes of sentences are those of the whole, as are ends between files."""
    folder = tmp_path_factory.mktemp("files")
    pieces = PIECES[unit][: -2 if unit == "sentence" else -1]  # without what cannot be read
    content = st.lists(st.sampled_from(pieces), max_size=8).map(lambda x: pieces[0] + b"".join(x))

    @given(st.lists(content, min_size=1, max_size=3), st.integers(1, 60))
    def check(contents: list[bytes], size: int) -> None:
        suffix = "conllu" if unit == "sentence" else "txt"
        paths = [str(folder / f"{number}.{suffix}") for number in range(len(contents))]
        for path, of_file in zip(paths, contents, strict=True):
            Path(path).write_bytes(of_file)
        whole = READERS[unit](paths)
        sections = list(divide(paths, unit, size))
        if unit != "sentence":  # the rest is for the writer, which is tested with commands
            assert [entry for of_part in sections for entry in READERS[unit](of_part)] == whole
            return
        read = [entry for of_part in sections for entry in READERS[unit](of_part)]
        assert [content for _, content in read] == [content for _, content in whole]
        assert [(r.line, r.sentence_id) for r, _ in read] == [
            (r.line, r.sentence_id) for r, _ in whole
        ]

    check()


def test_what_cannot_be_divided_is_refused(tmp_path: Path):
    text = tmp_path / "a.txt"
    text.write_bytes(b"so\nba\n")
    (tmp_path / "b.txt").write_bytes(b"\x1f\x8bso")
    for path, words in (("-", "standard input has none"), (tmp_path / "b.txt", "gunzip -k")):
        with pytest.raises(UsageError, match=words):
            list(divide([str(path)], "line", 10))
    with pytest.raises(UsageError, match="this is none"):
        list(divide(["/dev/null"], "line", 10))
