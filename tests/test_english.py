"""The text model of English that comes with the distribution."""

import re
from types import SimpleNamespace
from typing import Any, cast

import pytest

import semipunct
from semipunct.errors import ModelError, UsageError
from semipunct.pipelines.pipeline import Pipeline
from semipunct.store.installed import installed_models


@pytest.fixture(scope="module")
def english() -> Any:
    return semipunct.load("en")


def test_it_is_small_and_says_what_it_was_trained_on():
    (model,) = (m for m in installed_models() if m.name == "en/text")
    assert model.distribution == "semipunct"
    assert sum(path.stat().st_size for path in model.folder.iterdir()) < 8_000_000
    card = (model.folder / "README.md").read_text("utf-8")
    sources = (model.folder.parent / "SOURCES.md").read_text("utf-8")
    files = {line.split("`")[1] for line in card.splitlines() if line.startswith("| training |")}
    assert len(files) == 7
    assert all(f"| `{name}` |" in sources for name in files)
    assert not any(name.startswith("/") for name in files)


def test_each_mark_has_its_place_and_its_probability(english: Any):
    text = english.restore("where is the station i have lost my map\nshe said she would call\n")
    assert text == "Where is the station? I have lost my map.\nShe said she would call.\n"
    shown = [(text[m.start : m.end], m.before, m.after, m.is_changed) for m in text.marks]
    assert shown[:2] == [("?", "", "?", True), (".", "", ".", True)]
    for mark in text.marks:
        strings = [mark.after, *(string for string, _ in mark.alternatives)]
        assert len(set(strings)) == len(strings)
        total = mark.probability + sum(share for _, share in mark.alternatives)
        assert 0.5 < total < 1 + 1e-6
    (left_out,) = (m for m in text.marks if m.start == m.end)
    assert (text[: left_out.start].split()[-1], left_out.after) == ("said", "")
    assert left_out.alternatives[0][0] == "."


def test_a_notebook_shows_marks_and_not_markup(english: Any):
    shown = english.restore("so it goes <b>\n")._repr_html_()
    assert "&lt;b&gt;" in shown
    assert "<b>" not in shown
    assert re.search(r'<span title="\. 0\.\d\d, [^"]*" style="[^"]*">\.</span>', shown)


def test_a_text_is_corrected(english: Any):
    written = "He said that, he would come. Do you know him.\n"
    text = english.correct(written)
    assert text == "He said that he would come. Do you know him?\n"
    changed = [(m.before, m.after) for m in text.marks if m.is_changed]
    assert changed == [(",", ""), (".", "?")]
    assert english.correct(text) == text
    assert english.correct("") == ""
    with pytest.raises(UsageError, match="minimum confidence"):
        english.correct(written, minimum_confidence=2)
    with pytest.raises(ModelError, match="kind punctuation cannot correct; name a model of"):
        Pipeline(cast(Any, SimpleNamespace(model=SimpleNamespace(kind="punctuation")))).correct("a")


def test_words_become_text(english: Any):
    text = (
        "where is the station i have lost my map and nobody here speaks english\n"
        "we waited for an hour but nobody came\n"
    )
    assert english(text) == (
        "Where is the station? I have lost my map, and nobody here speaks English.\n"
        "We waited for an hour, but nobody came.\n"
    )
