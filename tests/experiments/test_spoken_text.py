"""The driver for transcripts of talks counts as the literature does."""

import gzip
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from semipunct import load
from semipunct.corpus.word_streams import items
from semipunct.tasks.slot_posteriors import SlotPosterior
from tests.models.running_text.texts import passages, text
from tests.planted import TEXT


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
    # The end of a line is the end of a sentence, whatever the model says of it.
    file.write_text("So ba. So\n\nSo do, but\n", "utf-8")
    monkeypatch.setattr(sys, "argv", [*sys.argv, "--lines", "paragraph"])
    module.main()
    (found,) = json.loads(output.read_text("utf-8")).values()
    assert (found["words"], found["PERIOD"]["R"]) == (6, 100)
    assert found["PERIOD"]["P"] < 50


def test_calibration_by_hand(driver):
    module = driver("text_marks")
    sure = SlotPosterior(((",",), ()), np.array([0.9, 0.1]))
    unsure = SlotPosterior(((), (".",)), np.array([0.7, 0.3]))
    # Two slots with 0.9, of which one has a mark, and one with 0.3 that has one.
    assert module.calibration_error([sure, sure, unsure], [True, False, True]) == pytest.approx(
        (0.8 + 0.7) / 3
    )


@pytest.mark.exhaustive
def test_models_are_made_as_planned_and_continued(driver, tmp_path: Path, monkeypatch, capsys):
    module = driver("text_models")
    for part, seed in (("train", 1), ("dev", 2)):
        content = text(200 if part == "train" else 60, seed).encode()
        for name in ("a", "b"):
            place = tmp_path / "texts/xx" / f"{name}.{part}.txt.gz"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(gzip.compress(content))
    output = tmp_path / "models"
    output.mkdir()
    plan = output / "xx.plan.json"
    plan.write_text('{"visits": 64, "device": "known"}', "utf-8")
    arguments = [
        "x", str(tmp_path / "texts"), "-o", str(output), "--languages", "xx", "--without", "b",
        "--set", *TEXT,
    ]  # fmt: skip
    monkeypatch.setattr(sys, "argv", arguments)
    module.main()
    rows = json.loads((output / "xx.json").read_text("utf-8"))
    assert rows.keys() == {"a.dev.txt.gz"}
    assert rows["a.dev.txt.gz"]["words"] > 100
    assert "64 of 64 visits" in capsys.readouterr().out
    # A finished model is not trained again.
    before = (output / "xx/model.safetensors").read_bytes()
    module.main()
    assert (output / "xx/model.safetensors").read_bytes() == before
    assert " of " not in capsys.readouterr().out


@pytest.mark.exhaustive
def test_the_speed_of_training_is_measured(driver, monkeypatch):
    module = driver("text_models")
    monkeypatch.setattr(module, "TRIAL", 0.05)
    monkeypatch.setattr(module, "WARMING", 3)
    examples = passages(100, 1)
    assert 1 < module.passages_per_second(examples, examples[:1], TEXT) < 1e6


def test_everyday_sentences_are_restored_by_the_model_that_is_installed(driver):
    file = Path(__file__).parents[2] / "experiments" / "everyday.txt"
    rows = driver("text_marks").figures(load("en", "text"), file, ends="paragraph")
    assert rows["COMMA"]["R"] > 50
    assert rows["QUESTION"]["R"] > 60
    assert rows["PERIOD"]["R"] > 80
