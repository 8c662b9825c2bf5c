"""Long lines are read in parts, which lose nothing."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.corpus.word_streams import tokens
from semipunct.formats import running_text
from semipunct.formats.running_text import parts_of_line, read_lines


def shorten(patch: pytest.MonkeyPatch) -> None:
    """Read a few characters at a time."""
    patch.setattr(running_text, "LONGEST", 16)
    patch.setattr(running_text, "_SEARCHED", 12)


PIECES = st.sampled_from(
    ["so ", "ba, ", "“gu” ", "你好", "。", "<a b c>", "\t", "http://a.b ", "x"]
)


@given(st.lists(PIECES, max_size=30).map("".join))
def test_parts_of_a_line_have_all_of_its_words(line: str):
    with pytest.MonkeyPatch.context() as patch:
        shorten(patch)
        parts = list(parts_of_line(line))
    assert "".join(parts) == line
    whole = [(mark, line[a:b]) for a, b, mark in tokens(line) if not mark]
    assert [(mark, part[a:b]) for part in parts for a, b, mark in tokens(part) if not mark] == whole


def test_long_lines_are_divided_between_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    shorten(monkeypatch)
    path = tmp_path / "a.txt"
    path.write_text("so ba but gu do but mo\nso <a b c d e> gu\n" + 40 * "x" + " so", "utf-8")
    entries = list(read_lines([path]))
    assert [entry.record.text for entry in entries] == [
        "so ba but gu do ", "but mo\n", "so <a b c d e> ", "gu\n", 40 * "x" + " ", "so",
    ]  # fmt: skip
    assert [entry.content.line for entry in entries] == [1, 1, 2, 2, 3, 3]
    assert len(list(read_lines([path], whole=True))) == 3
