"""A text model restores planted rules, and changes nothing but marks and capitals."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import semipunct
from semipunct.corpus import Omitted, Words
from semipunct.errors import ModelError, UsageError
from semipunct.formats.running_text import line_of_text
from semipunct.pipelines.options import RestoreOptions
from semipunct.pipelines.text_restoration import Part, restore_running_text, restored_parts
from tests.models.running_text.texts import text

RIGHT = text(40, 7)
BARE = RIGHT.lower().replace(",", "").replace(".", "")


@pytest.fixture(scope="module")
def trained(text_model: Path) -> Any:
    return semipunct.load(text_model)


def restored(model: Any, *lines: str, **settings: Any) -> str:
    """Return text as the command writes it."""
    parts = [line_of_text(f"#{n}", "a.txt", n, line) for n, line in enumerate(lines, 1)]
    found = restore_running_text(model, [part.content for part in parts], **settings)
    return "".join(
        part.text
        if isinstance(one, Omitted)
        else part.recase(one.sentence.forms).punctuate(one.written)
        for part, one in zip(parts, found, strict=True)
    )


def test_marks_and_capitals_follow_the_planted_rules(trained: Any):
    assert restored(trained, BARE) == RIGHT
    assert restored(trained, BARE, objective="edits") == RIGHT


def test_lines_need_not_be_sentences(trained: Any):
    words = BARE.split(" ")
    lines = [" ".join(words[i : i + 5]) + "\n" for i in range(0, len(words), 5)]
    found = restored(trained, *lines, lines="none")
    assert found.replace("\n", " ").strip() == RIGHT
    assert all(line.endswith(".\n") for line in restored(trained, *lines).splitlines(True))
    one = restored(trained, "so ba so do so gu\n", lines="sentence")
    assert one.count(".") == 1
    assert one.endswith(".\n")


@settings(max_examples=10)
@given(st.lists(st.integers(1, 200), max_size=30))
def test_any_cut_into_lines_gives_the_same_marks(trained: Any, places: list[int]):
    words = BARE.split(" ")
    ends = sorted({place for place in places if place < len(words)} | {len(words)})
    lines = [" ".join(words[a:b]) + "\n" for a, b in pairwise([0, *ends])]
    assert restored(trained, *lines, lines="none").replace("\n", " ").strip() == RIGHT


def test_a_text_that_is_cut_has_the_same_marks_away_from_the_cut(trained: Any):
    words = text(400, 9).lower().replace(",", "").replace(".", "").split(" ")
    whole = restored(trained, " ".join(words), lines="none").split(" ")
    for cut in (3, 700, 1500):
        before = restored(trained, " ".join(words[:cut]), lines="none").split(" ")
        after = restored(trained, " ".join(words[cut:]), lines="none").split(" ")
        assert before[:-AWAY] == whole[: max(0, cut - AWAY)]
        assert after[AWAY:] == whole[cut + AWAY :]


AWAY = 64


def test_few_of_many_lines_are_in_memory(trained: Any):
    words = BARE.split(" ")
    begun = ended = most = 0

    def parts() -> Iterator[Part]:
        nonlocal begun
        for begun in range(1, 2001):
            yield Part(Words("1", "a.txt", begun, tuple(words[:20]), ((),) * 21, source="text"))

    for _ in restored_parts(trained, parts(), RestoreOptions(lines="none")):
        ended += 1
        most = max(most, begun - ended)
    assert ended == 2000
    assert most * 20 < 20_000


def test_marks_between_lines_are_written_once(trained: Any):
    dialogue = "- so ba do\n", "- but gu\n", "\n", "– so mo\n"
    assert restored(trained, *dialogue, lines="none").count("-") == 2
    for ends in ("paragraph", "none", "sentence"):
        found = restored(trained, *dialogue, lines=ends)
        assert [line[:2] for line in found.splitlines()] == ["- ", "- ", "", "– "]


@pytest.mark.parametrize("ends", ["paragraph", "none", "sentence"])
def test_marks_that_stand_at_the_edge_of_a_line_stay_there(trained: Any, ends: Any):
    lines = "so ba [\n", "do «gu«\n", "so mo\n", "[ke so\n"
    found = restored(trained, *lines, lines=ends).splitlines()
    assert [line.count("[") for line in found] == [1, 0, 0, 1]
    assert [line.count("«") for line in found] == [0, 2, 0, 0]


def test_kept_marks_stay_and_are_evidence(trained: Any):
    assert restored(trained, "so ba; do") == "So ba; do."
    assert restored(trained, "so ba; do", keep="replace") == "So ba do."
    assert restored(trained, "SO ba. so do") == "SO ba. So do."
    assert restored(trained, "SO ba. so do", case="keep") == "SO ba. so do."
    assert restored(trained, BARE, marks={","}).count(".") == 0


@pytest.mark.parametrize("spell", [str.upper, str.title, str.lower, lambda s: s.capitalize()])
@pytest.mark.parametrize("lines", ["paragraph", "none"])
def test_capitals_of_all_words_or_of_none_are_no_evidence(trained: Any, spell: Any, lines: Any):
    assert restored(trained, spell(BARE), lines=lines) == RIGHT
    bare = spell(BARE)
    kept = restored(trained, bare, lines=lines, case="keep")
    assert "".join(char for char in kept if char not in ",.") == bare
    assert kept.lower() == RIGHT.lower()


def test_lines_in_upper_case_do_not_change_the_reading_of_others(trained: Any):
    lines = [f"{BARE}\n", f"{BARE.upper()}\n", f"{BARE}\n"]
    assert restored(trained, *lines) == f"{RIGHT}\n" * 3


def test_capitals_at_beginnings_are_evidence_of_ends(trained: Any):
    written = RIGHT.replace(",", "").replace(".", "")
    assert restored(trained, written) == RIGHT


def test_a_stray_capital_does_not_make_a_text_cased(trained: Any):
    words = BARE.split(" ")
    words[7] = words[7].upper()
    found = restored(trained, " ".join(words))
    assert found.lower() == RIGHT.lower()
    assert found.split(" ")[7].rstrip(",.") == words[7]
    assert found.count("So") == RIGHT.count("So")


def test_addresses_and_markup_are_not_entered(trained: Any):
    line = '\tso  <a href="so but so">ba</a> but http://so.but/so?but=so ...\n'
    found = restored(trained, line)
    assert '<a href="so but so">' in found
    assert "http://so.but/so?but=so" in found


def test_other_models_are_refused(model: Path, trained: Any):
    words = Words("1", "a.txt", 1, ("so",), ((), ()))
    with pytest.raises(ModelError, match="needed"):
        restore_running_text(semipunct.load(model), [words])
    with pytest.raises(UsageError, match="nbest"):
        restore_running_text(trained, [words], nbest=2)
    assert restore_running_text(trained, []) == []
