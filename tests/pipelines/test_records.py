"""Marks as rows of a table."""

from __future__ import annotations

import re
from typing import Any

import pytest

import semipunct

COLUMNS = [
    "sentence", "slot", "word", "start", "end", "before", "after", "decision", "probability",
    "alternative", "alternative_probability", "reason", "key",
]  # fmt: skip
TEXT = "where is he\n\nhe said , yes but she left"


@pytest.fixture(scope="module")
def english() -> Any:
    return semipunct.load("en")


def test_rows_of_a_text(english: Any):
    text = english.restore(TEXT)
    rows = text.to_records()
    assert len(rows) == len(text.marks) > 3
    lines = text.split("\n")
    for row, mark in zip(rows, text.marks, strict=True):
        assert list(row) == COLUMNS
        assert all(isinstance(value, str | int | float | None) for value in row.values())
        assert text[row["start"] : row["end"]].replace(" ", "") == row["after"].replace(" ", "")
        assert (row["probability"], row["reason"]) == (mark.probability, mark.reason)
        line = lines[int(row["sentence"].removeprefix("#")) - 1]
        words = re.findall(r"\w+", line)
        assert row["word"] == (words[row["slot"] - 1] if row["slot"] else "")
    assert [(r["sentence"], r["slot"]) for r in rows] == sorted(
        (r["sentence"], r["slot"]) for r in rows
    )
    kept = next(row for row in rows if row["decision"] == "kept")
    assert (kept["sentence"], kept["slot"], kept["word"], kept["before"]) == ("#3", 2, "said", ",")
    assert "".join(rows[0]["alternative"] or "") == "".join(text.marks[0].alternatives[0][0])


def test_rows_of_explained_sentences(english: Any):
    from semipunct.formats.running_text import line_of_text

    words = line_of_text("x7", "text", 1, "where is he").content
    (restored,) = english.restore([words])
    (explained,) = english.explain([restored])
    assert [row["sentence"] for row in explained.to_records()] == ["x7"] * len(explained.text.marks)
    last = explained.to_records()[-1]
    assert (last["slot"], last["word"], last["after"]) == (3, "he", "?")


def test_rows_are_a_table_of_arrow(english: Any):
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    table = arrow.Table.from_pylist(english.restore(TEXT).to_records())
    assert table.column_names == COLUMNS
    assert str(table.schema.field("probability").type) == "double"
