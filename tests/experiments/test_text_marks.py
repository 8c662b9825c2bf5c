"""The driver for marks in text and in transcripts of talks counts as the literature does."""

import json
import sys
from pathlib import Path

import pytest

from semipunct.corpus.word_streams import items


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
