"""Parts of a corpus add up to it, divide no sentence, and know the places of their lines."""

from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.batches.parts import divide, read_part, units_of
from semipunct.errors import TreebankError, UsageError
from semipunct.formats.conllu import Conllu
from semipunct.formats.running_text import read_lines
from semipunct.formats.text import paragraphs
from semipunct.kinds.answers import Unit

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
        pieces = [piece for part in parts for piece in part.pieces]
        for number, (path, content) in enumerate(zip(paths, contents, strict=True)):
            units = list(units_of(path, unit))
            assert b"".join(units) == content
            of_file = [piece for piece in pieces if piece.file == number]
            edges = {0, *(sum(map(len, units[: i + 1])) for i in range(len(units)))}
            assert [p.start for p in of_file[1:]] == [p.stop for p in of_file[:-1]]
            assert (of_file[0].start, of_file[-1].stop) == (0, len(content))
            for piece in of_file:
                before = content[: piece.start]
                assert {piece.start, piece.stop} <= edges
                assert piece.first_line == 1 + before.count(b"\n")
                assert piece.first_character == len(before.decode("utf-8", "replace"))
        for part in parts:
            of_part = sum(piece.stop - piece.start for piece in part.pieces)
            divided = [n for p in part.pieces for n in _sizes(paths[p.file], unit, p.start, p.stop)]
            units_of_part = len([content for content in divided if content])
            if unit == "sentence" and chunk > 1:
                assert part is parts[-1] or units_of_part % chunk == 0
                assert sum([content for content in divided if content][:-chunk]) <= size
            else:
                assert of_part <= size or units_of_part == 1
        assert [p.file for p in pieces] == sorted(p.file for p in pieces)

    check()


def _sizes(path: str, unit: Unit, start: int, stop: int) -> list[int]:
    place, sizes = 0, list[int]()
    for content in units_of(path, unit):
        if start <= place < stop:
            sizes.append(len(content))
        place += len(content)
    return sizes


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
        sections = [read_part(part, paths, unit) for part in divide(paths, unit, size)]
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
    (part,) = divide([str(text)], "line", 10)
    text.write_bytes(b"so\nbe\n")
    with pytest.raises(TreebankError, match="bytes 0 to 6 have changed"):
        read_part(part, [str(text)], "line")
