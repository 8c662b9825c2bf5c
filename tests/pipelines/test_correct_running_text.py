"""A text model corrects planted errors, and changes nothing but marks."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import semipunct
from semipunct.corpus import Omitted
from semipunct.corpus.word_streams import items, tokens, word_stream
from semipunct.errors import UsageError
from semipunct.formats.m2 import read_m2_records
from semipunct.formats.running_text import line_of_text
from semipunct.marks import Puncteme
from semipunct.models.running_text.model import TextModel
from semipunct.models.running_text.options import TextOptions
from semipunct.models.running_text.reader import Reading
from semipunct.pipelines.text_correction import Channel, odds_of_sentence
from tests.commands import run
from tests.models.running_text.texts import text

RIGHT = text(40, 7)
WRONG = RIGHT.replace(", but", " but", 3).replace("So ba ", "So, ba ", 2)
MISSING, SUPERFLUOUS = 3, WRONG.count("So, ba")


@pytest.fixture(scope="module")
def trained(text_model: Path) -> Any:
    return semipunct.load(text_model)


def corrected(model: Any, line: str, **options: Any) -> str:
    """Return a line as the command writes it."""
    part = line_of_text("#1", "a.txt", 1, line)
    (found,) = model.correct([part.content], **options)
    return part.text if isinstance(found, Omitted) else part.punctuate(found.slots)


def test_planted_errors_are_corrected(trained: Any):
    assert SUPERFLUOUS > 0
    assert corrected(trained, WRONG) == RIGHT
    assert corrected(trained, RIGHT) == RIGHT
    part = line_of_text("#1", "a.txt", 1, WRONG).content
    (found,) = trained.correct([part])
    errors = [one.correction.error for one in found.corrections]
    assert errors.count("missing ,") == MISSING
    assert errors.count("superfluous ,") == SUPERFLUOUS
    assert len(errors) == MISSING + SUPERFLUOUS
    assert all(one.probability >= 0.5 > one.written and not one.reason for one in found.corrections)


def test_options(trained: Any):
    assert corrected(trained, WRONG, minimum_confidence=1.0) == WRONG
    assert corrected(trained, WRONG, marks={"."}) == WRONG
    with pytest.raises(UsageError, match="never seen €"):
        corrected(trained, WRONG, marks={"€"})
    with pytest.raises(UsageError, match="does not support --minimise"):
        corrected(trained, WRONG, minimise="slots")
    with pytest.raises(UsageError, match="does not support --parser"):
        corrected(semipunct.Pipeline(trained, parser=trained), WRONG)
    assert trained.correct([]) == []


def test_a_long_line_without_a_mark_at_its_end_is_no_heading(trained: Any):
    # Of 15 words: 0.03 * (14/15)^14 / 15 for a sentence, (3/4)^14 / 4 for a heading.
    assert odds_of_sentence(15) == pytest.approx(15 * 0.03 * (14 / 15 / 0.75) ** 14 * 4 / 15)
    assert odds_of_sentence(3) < 0.25 < 2 < odds_of_sentence(15)
    assert odds_of_sentence(1000) == odds_of_sentence(10**6) == pytest.approx(3)
    channel = Channel(trained.model)
    strings: list[Puncteme] = [(), (".",), (",",)]
    assert [*channel.known.strings] == strings
    rows = np.array([[0.5, 0.3, 0.1, 0.1], [0.7, 0.1, 0.1, 0.1], [0.9, 0.02, 0.05, 0.03]])
    reading = Reading(rows.astype(np.float32), np.zeros((2, 4)), np.zeros((4, 4)))
    table = channel.probabilities([(), (), ()], reading)
    # The marks of the sentence before a line are not its own.
    np.testing.assert_allclose(table[0], [0.9, 0, 0], rtol=1e-6)
    np.testing.assert_allclose(table[1], [0.7, 0.1, 0.1], rtol=1e-6)
    # No comma ends a line.
    np.testing.assert_allclose(table[2], [0.9, 0.02 * odds_of_sentence(2), 0], rtol=1e-6)
    shown = channel.probabilities([(), (), (",",)], reading)[2]
    np.testing.assert_allclose(shown, rows[2, :3], rtol=1e-6)


def test_wrapped_lines_are_corrected_as_one_text(trained: Any):
    words = WRONG.split(" ")
    wrapped = "\n".join(" ".join(words[i : i + 7]) for i in range(0, len(words), 7))
    found = trained.correct(wrapped, lines="none")
    assert found.replace("\n", " ") == trained.correct(WRONG) == RIGHT
    assert found.count("\n") == wrapped.count("\n")


def test_a_line_that_is_a_sentence_gets_its_final_mark(trained: Any):
    assert trained.correct("So ba", lines="sentence") == "So ba."
    assert trained.correct("So ba") == "So ba"


def test_the_order_of_the_same_marks_is_no_error():
    stream = word_stream("a.txt", items(["“so ba.” ke “so gu”. so do, ke. so mo so. " * 5]))
    channel = Channel(TextModel.fit(stream.passages(50), TextOptions(size=8, layers=1)))
    view = channel.posterior(("”", "."), np.full(len(channel.known.strings), 0.1))
    assert {(".", "”"), ("”", ".")} < {*channel.known.strings}
    assert view.of((".", "”")) == 0 < view.of((".",))


def test_fixed_parts_do_not_change(trained: Any):
    line = '[10:02] so:  so, ba `so, but ba` <a href="so, but so">ba</a>, but  do :) \r\n'
    found = corrected(trained, line)
    assert found.startswith("[10:02] so:  so ba ")
    for part in ("`so, but ba`", '<a href="so, but so">', "</a>, but  do :)"):
        assert part in found
    assert found.endswith("\r\n")


@settings(max_examples=40, deadline=None)
@example("中.1")
@example("S中1")
@example("so中")
@given(st.text(st.sampled_from("sobadut SoB.,;:?!'\"()-–…“”\t 中。1é@/<>\n"), max_size=60))
def test_nothing_but_marks_changes(trained: Any, line: str):
    found = corrected(trained, line)

    def rest(some: str) -> list[str]:
        return [some[token.start : token.end] for token in tokens(some) if not token.mark]

    assert rest(found) == rest(line)


def test_the_command_writes_all_formats(trained: Any, text_model: Path, tmp_path: Path):
    path = tmp_path / "a.txt"
    before = f"{WRONG}\r\n\n...\n\tso,  ba but do.\n"
    after = f"{RIGHT}\r\n\n...\n\tso  ba, but do.\n"
    path.write_bytes(before.encode())
    assert run("correct", text_model, path).out == after
    changed = run("correct", text_model, path, "--format", "diff").out.splitlines()
    assert f"-{WRONG}" in changed
    assert f"+{RIGHT}" in changed
    rows = [
        json.loads(line)
        for line in run("correct", text_model, path, "--format", "json").out.splitlines()
    ]
    (first,) = (row for row in rows if row.get("sent_id") == "#1")
    shown = first["input"]
    for one in reversed(first["corrections"]):
        assert one["probability"] > one["probability_of_written"]
        assert one["reason"]
        shown = shown[: one["start"]] + "".join(one["after"]) + shown[one["end"] :]
    assert shown == first["text"] == RIGHT
    m2 = tmp_path / "a.m2"
    run("correct", text_model, path, "--format", "m2", "-o", m2)
    edits = [e for record in read_m2_records(m2) for e in record.edits if e.kind != "noop"]
    assert len(edits) == MISSING + SUPERFLUOUS + 2


def test_gold_is_text_or_m2(text_model: Path, tmp_path: Path):
    path, gold, m2 = (tmp_path / name for name in ("a.txt", "gold.txt", "gold.m2"))
    path.write_text(WRONG + "\n", "utf-8")
    gold.write_text(RIGHT + "\n", "utf-8")
    figures = json.loads(run("correct", text_model, path, "--gold", gold, "--json").out)
    assert (figures["precision"], figures["recall"], figures["f05"]) == (1, 1, 1)
    words = [item.lstrip("\0") for item in items([WRONG])]
    m2.write_text(f"S {' '.join(words)}\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n\n")
    figures = json.loads(run("correct", text_model, path, "--gold", m2, "--json").out)
    assert figures["precision"] == 0
