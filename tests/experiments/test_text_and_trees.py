"""The driver for text models beside trees measures what the commands would restore."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import semipunct
from semipunct.evaluation.restoration import restoration_statistics
from semipunct.tasks.slot_posteriors import SlotPosterior
from tests.commands import sample_lines


@pytest.fixture
def module(driver):
    return driver("text_and_trees")


def test_a_product_by_hand(module):
    first = SlotPosterior(((), (",",)), np.array([0.8, 0.2]))
    second = SlotPosterior(((",",), (".",)), np.array([0.9, 0.1]))
    found = module.product((first, second), (0.5, 0.5))
    weights = {(): (0.8 * 1e-4) ** 0.5, (",",): (0.2 * 0.9) ** 0.5, (".",): (1e-4 * 0.1) ** 0.5}
    assert found.strings[0] == (",",)
    for string, weight in weights.items():
        assert found.of(string) == pytest.approx(weight / sum(weights.values()))


def test_a_tenth_of_the_blocks_is_held_out(module, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(module, "BLOCK", 1)
    blocks = [f"# {n}\n1\tso\n" for n in range(25)]
    file = tmp_path / "a.conllu"
    file.write_text("\n".join(blocks) + "\n", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["x", "split", str(file), str(tmp_path / "parts")])
    module.main()
    held = (tmp_path / "parts" / "held-out.conllu").read_text("utf-8")
    rest = (tmp_path / "parts" / "rest.conllu").read_text("utf-8")
    assert [line for line in held.splitlines() if line[:1] == "#"] == ["# 9", "# 19"]
    assert rest.count("#") == 23


def test_a_treebank_is_measured_as_it_is_restored(
    module, finished, parser: Path, text_model: Path, tmp_path: Path, monkeypatch
):
    file, output = tmp_path / "a.conllu", tmp_path / "a.json"
    file.write_text("".join(sample_lines()[:8]), encoding="utf-8")
    models = ["--model", str(finished.folder), "--parser", str(parser), "--text", str(text_model)]
    monkeypatch.setattr(sys, "argv", ["x", "treebank", str(file), *models, "--output", str(output)])
    module.main()
    rows = json.loads(output.read_text("utf-8"))
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
