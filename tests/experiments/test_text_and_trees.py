"""The driver for text models beside trees measures what the commands would restore."""

import json
import sys
from pathlib import Path

import pytest

import semipunct
from semipunct.evaluation.restoration import restoration_statistics
from tests.commands import sample_lines


@pytest.fixture
def module(driver):
    return driver("text_and_trees")


def test_a_treebank_is_measured_as_it_is_restored(
    module, finished, parser: Path, text_model: Path, tmp_path: Path, monkeypatch
):
    file, output = tmp_path / "a.conllu", tmp_path / "a.json"
    file.write_text("".join(sample_lines()[:8]), encoding="utf-8")
    models = ["--model", str(finished.folder), "--parser", str(parser), "--text", str(text_model)]
    monkeypatch.setattr(sys, "argv", ["x", str(file), *models, "--output", str(output)])
    module.main()
    rows = json.loads(output.read_text("utf-8"))["en"]
    sentences = list(semipunct.read(file))
    loaded = [semipunct.load(path) for path in (finished.folder, parser, text_model)]
    for objective in ("edits", "f1"):
        found = semipunct.restore_words(
            *loaded[:2], sentences, text_model=loaded[2], objective=objective
        )
        gold, slots = [s.slots for s in sentences], [one.slots for one in found]
        figures = restoration_statistics(gold, slots).figures()
        row = rows[f"{text_model.name} and trees, {objective}"]
        assert row["edits per slot"] == pytest.approx(figures.average_edit_distance)
        assert row["F1"] == pytest.approx(figures.micro.f1)
    assert 0 <= rows["trees"]["calibration error"] <= 1
