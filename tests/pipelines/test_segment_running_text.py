"""A text model splits running text into sentences; only capitals change."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import semipunct
from semipunct.corpus.located import RawText
from semipunct.pipelines.segmentation import segment_running_text
from tests.models.running_text.texts import text

RIGHT = text(40, 7)
BARE = RIGHT.lower().replace(",", "").replace(".", "")


@pytest.fixture(scope="module")
def trained(text_model: Path) -> Any:
    return semipunct.load(text_model)


def test_sentences_end_where_marks_would(trained: Any):
    (parts,) = segment_running_text(trained, [BARE])
    assert "".join(part.text for part in parts).lower() == BARE
    wanted = [sentence.replace(",", "").strip() for sentence in RIGHT.split(".") if sentence]
    # Capitals come with them.
    assert [part.text.strip() for part in parts] == wanted
    (whole,) = segment_running_text(trained, [BARE], lines="sentence")
    assert len(whole) == 1


def test_sentences_may_cross_lines_of_one_text(trained: Any):
    source = BARE.replace(" ", "\n")
    (parts,) = segment_running_text(trained, [RawText(source, "a.txt", 5)], lines="none")
    assert "".join(part.text for part in parts).lower() == source
    assert len(parts) == RIGHT.count(".")
    starts = [source[: part.offset].count("\n") + 5 for part in parts]
    assert [part.content.line for part in parts] == starts
    assert parts[1].content.sentence_id == f"#{starts[1]}.2"


def test_marks_that_stand_end_sentences_and_open_them(trained: Any):
    (parts,) = segment_running_text(trained, ["So ba. “So do”, but gu"])
    assert [part.text for part in parts] == ["So ba. ", "“So do”, but gu"]
    assert [part.content.slots[0] for part in parts] == [(), ("“",)]
    assert segment_running_text(trained, ["", " \n", "..."])[0] == []


def test_markup_is_not_cut(trained: Any):
    (parts,) = segment_running_text(trained, ['So <a href="So. So. do">ba</a> do'])
    assert "".join(part.text for part in parts) == 'So <a href="So. So. do">ba</a> do'
    assert any('<a href="So. So. do">' in part.text for part in parts)


@given(
    st.lists(
        st.sampled_from(["so", "ba", "But", "é", "don't", "。", "你好", ". ", "...", " ", "\n", "“",
                         "”", "—", "𝔘", "<b>", "1.5", "\u200b", "\x85"]),
        max_size=12,
    )
)  # fmt: skip
def test_nothing_but_capitals_changes(trained: Any, pieces: list[str]):
    source = "".join(pieces)
    (parts,) = segment_running_text(trained, [source])
    joined = "".join(part.text for part in parts)
    assert joined.lower() == source.lower()
    assert len(joined) == len(source)
    place = 0
    for part in parts:
        assert part.offset == place
        place += len(part.text)
