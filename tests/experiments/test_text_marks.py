"""The driver for marks in text and in transcripts of talks counts as the literature does."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from semipunct import load
from semipunct.corpus.word_streams import items
from semipunct.pipelines.distributions import SlotPosterior
from tests.models.running_text.texts import text


@pytest.fixture
def module(driver):
    return driver("text_marks")


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
    arguments = ["x", str(text_model), str(file), "--last", "6"]
    monkeypatch.setattr(sys, "argv", [*arguments, "--write", str(tmp_path)])
    module.main()
    assert (tmp_path / "dev.txt").read_text("utf-8") == "so ba, but do. so it's.\n"
    train = (tmp_path / "train.txt").read_text("utf-8")
    assert len([w for w in items([train]) if w[0] != "\0"]) == 12
    monkeypatch.setattr(sys, "argv", [*arguments, "--name", "x", "--output", str(output)])
    module.main()
    assert json.loads(output.read_text("utf-8"))["x"]["files"]["a.tsv"]["COMMA"]["R"] == 100


def test_marks_of_held_out_text(module, text_model: Path, tmp_path: Path, monkeypatch):
    file, output = tmp_path / "a.txt", tmp_path / "a.json"
    file.write_text(text(60, 9), encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["x", str(text_model), str(file), "--output", str(output)])
    module.main()
    (run,) = json.loads(output.read_text("utf-8")).values()
    found = run["files"]["a.txt"]
    assert found["overall"]["F1"] > 95
    assert 0 <= found["calibration_error"] < 0.1
    # The end of a line is the end of a sentence, whatever the model says of it.
    file.write_text("So ba. So\n\nSo do, but\n", "utf-8")
    monkeypatch.setattr(sys, "argv", [*sys.argv, "--lines", "paragraph"])
    module.main()
    (run,) = json.loads(output.read_text("utf-8")).values()
    found = run["files"]["a.txt"]
    assert (found["words"], found["PERIOD"]["R"]) == (6, 100)
    assert found["PERIOD"]["P"] < 50


def test_calibration_by_hand(module):
    sure = SlotPosterior(((",",), ()), np.array([0.9, 0.1]))
    unsure = SlotPosterior(((), (".",)), np.array([0.7, 0.3]))
    # Two slots with 0.9, of which one has a mark, and one with 0.3 that has one.
    assert module.calibration_error([sure, sure, unsure], [True, False, True]) == pytest.approx(
        (0.8 + 0.7) / 3
    )


def test_everyday_sentences_are_restored_by_the_model_that_is_installed(module):
    file = Path(__file__).parents[2] / "experiments" / "everyday.txt"
    rows = module.figures(load("en", "text"), file, ends="paragraph")
    assert rows["COMMA"]["R"] > 50
    assert rows["QUESTION"]["R"] > 60
    assert rows["PERIOD"]["R"] > 80
