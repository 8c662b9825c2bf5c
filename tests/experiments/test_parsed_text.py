"""The driver for Figure 4 with parsed trees: training data of each system, stored results."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from semipunct.formats import read_treebank

SAMPLE = Path(__file__).resolve().parents[2] / "semipunct" / "data" / "sample.conllu"


@pytest.fixture
def asked(driver, monkeypatch: pytest.MonkeyPatch) -> dict[str, SimpleNamespace]:
    """Replace training and parsing; record the training data of each model by its folder name.

    Parsers return the tag X for all words. The model trained on parsed sentences restores all marks
    with drawn trees, the others none.
    """
    module = driver("parsed_text")
    models: dict[str, SimpleNamespace] = {}

    def tagged(sentences, tag):
        return [replace(s, upos=(tag,) * s.size) for s in sentences]

    def parsed_treebank(arguments, training, dev, folder):
        return SimpleNamespace(
            committee=["parser", "fold"],
            training=tagged(training, "X"),
            dev=tagged(dev, "X"),
        )

    def trained(config, training, dev, path, expected):
        models[path.name] = SimpleNamespace(config=config, training=training, dev=dev)
        return SimpleNamespace(model=path.name, parameters=None)

    def restore_words(model, parsers, sentences, *, trees, share):
        right = model.model.startswith("parsed") and trees
        slots = [s.slots if right else ((),) * len(s.slots) for s in sentences]
        return [SimpleNamespace(slots=one) for one in slots]

    def nothing(*_):
        return SimpleNamespace(restore=lambda some: [((),) * len(s.slots) for s in some])

    for name, fake in (
        ("parsed_treebank", parsed_treebank), ("trained", trained),
        ("restore_words", restore_words), ("Restorer", nothing), ("TaggerPunctuator", nothing),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, fake)
    return models


@pytest.mark.exhaustive
def test_systems_learn_from_trees_that_parsers_have_not_seen(
    driver, asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
):
    file = tmp_path / "first.conllu"
    file.write_text("\n\n".join(SAMPLE.read_text("utf-8").split("\n\n")[:60]) + "\n\n", "utf-8")
    options = (
        "parsed_text", "--name", "x", "--train", file, "--dev", file, "--seeds", 0, 1,
        "--systems", "gold", "parsed", "crf",
        "--trees", 8, "--shares", 0.5, "--ours", "parsed-8-trees",
        "--models", tmp_path / "models", "--output", tmp_path / "table.json",
    )  # fmt: skip
    monkeypatch.setattr("sys.argv", [str(option) for option in options])
    driver("parsed_text").main()
    printed = capsys.readouterr().out
    treebank = list(read_treebank([file]).sentences)
    tags = {
        name: [{*s.upos} for s in model.training[len(treebank) :]] for name, model in asked.items()
    }
    size = len(treebank)
    assert all(list(asked[n].training[:size]) == treebank for n in ("gold-0", "parsed-1"))
    assert tags["gold-0"] == []
    assert tags["parsed-1"] == [{"X"}] * size
    # Taggers do not use trees and are trained on parser tags alone.
    assert {frozenset(s.upos) for s in asked["crf-0"].training} == {frozenset("X")}
    assert {tag for s in asked["parsed-0"].dev for tag in s.upos} == {"X"}
    assert asked["parsed-1"].config.train.seed == 1
    # One row for each way to restore, over both seeds.
    stored = json.loads((tmp_path / "table.json").read_text("utf-8"))["x"]["edits per slot"]
    rows = {row["system"]: row for row in stored}
    ways = ("", "-committee", "-0.5-parser", "-0.5-parser-committee", "-8-trees",
            "-8-trees-0.5-parser")  # fmt: skip
    assert {*rows} == {s + w for s in ("gold", "parsed") for w in ways} | {"gold-trees", "crf"}
    assert rows["parsed-8-trees"]["scores"] == [0, 0]
    assert rows["parsed"]["score"] > 0.1
    assert rows["parsed"]["p"] < 0.001
    # Stored results are not computed again.
    monkeypatch.delattr(driver("parsed_text"), "restore_words")
    driver("parsed_text").main()
    assert capsys.readouterr().out == printed
