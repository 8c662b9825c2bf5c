"""The driver for transcripts of talks counts as the literature does."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from semipunct.corpus.word_streams import items
from semipunct.tasks.slot_posteriors import SlotPosterior
from tests.models.running_text.texts import text


@pytest.fixture
def module(driver):
    return driver("spoken_text")


def test_scores_by_hand(module):
    gold = ["O", "COMMA", "PERIOD", "QUESTION", "O", "COMMA"]
    found = ["O", "COMMA", "COMMA", "QUESTION", "PERIOD", "O"]
    rows = module.scores(gold, found)
    assert rows["COMMA"] == {"P": 50.0, "R": 50.0, "F1": 50.0}
    assert rows["PERIOD"] == {"P": 0.0, "R": 0.0, "F1": 0.0}
    assert rows["QUESTION"]["F1"] == 100.0
    assert rows["overall"] == {"P": 50.0, "R": 50.0, "F1": 50.0}


def test_labels_of_strings(module):
    strings = {
        (): "O", (",",): "COMMA", (":", "“"): "COMMA", ("—",): "COMMA", (";",): "PERIOD",
        ("!", "”"): "PERIOD", ("?", "!"): "QUESTION", ("...",): "PERIOD", ("“",): "O",
    }  # fmt: skip
    assert {string: module.label(string) for string in strings} == strings


def test_from_file_to_figures(module, text_model: Path, tmp_path: Path, monkeypatch):
    words = "so\tO\nba\tCOMMA\nbut\tO\ndo\tPERIOD\nso\tO\nit\tO\n's\tPERIOD\n" * 4
    file, output = tmp_path / "a.tsv", tmp_path / "a.json"
    file.write_text(words, encoding="utf-8")
    assert module.words_and_labels(file)[4:6] == [("so", "O"), ("it's", "PERIOD")]
    monkeypatch.setattr(module, "DEVELOPMENT", 6)
    arguments = ["spoken_text.py", str(file), "--last", "6"]
    monkeypatch.setattr(sys, "argv", [*arguments, "--write", str(tmp_path)])
    module.main()
    assert (tmp_path / "dev.txt").read_text("utf-8") == "so ba, but do. so it's.\n"
    train = (tmp_path / "train.txt").read_text("utf-8")
    assert len([w for w in items([train]) if w[0] != "\0"]) == 12
    monkeypatch.setattr(
        sys, "argv", [*arguments, "--model", str(text_model), "--output", str(output)]
    )
    module.main()
    assert json.loads(output.read_text("utf-8"))["COMMA"]["R"] == 100


def test_marks_of_held_out_text(driver, text_model: Path, tmp_path: Path, monkeypatch, capsys):
    module = driver("text_marks")
    file, output = tmp_path / "a.txt", tmp_path / "a.json"
    file.write_text(text(60, 9), encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["x", str(text_model), str(file), "--output", str(output)])
    module.main()
    (found,) = json.loads(output.read_text("utf-8")).values()
    assert found["overall"]["F1"] > 95
    assert 0 <= found["calibration_error"] < 0.1
    assert "calibration error" in capsys.readouterr().out


def test_calibration_by_hand(driver):
    module = driver("text_marks")
    sure = SlotPosterior(((",",), ()), np.array([0.9, 0.1]))
    unsure = SlotPosterior(((), (".",)), np.array([0.7, 0.3]))
    found = SimpleNamespace(posteriors=[sure, sure, sure, unsure])
    # Two slots with 0.9, of which one has a mark, and one with 0.3 that has one.
    assert module.calibration_error(found, [True, False, True]) == pytest.approx((0.8 + 0.7) / 3)
