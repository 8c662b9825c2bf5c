"""The quickstart apart from its two trainings, and its plots."""

from pathlib import Path

import pytest

from semipunct.cli import quickstart
from semipunct.formats import read_treebank
from semipunct.store import checkpoint as store
from semipunct.training.report import TrainingResult as Trained
from tests.commands import Cli


def test_the_sample_is_split_by_order():
    training, development = quickstart.sample()
    assert len(training) == 4 * len([*training, *development]) // 5
    numbers = [s.sentence_id for s in (*training, *development)]
    assert numbers == sorted(numbers)


def test_it_shows_figures_rules_and_trees(
    cli: Cli, model: Path, treebanks: dict[str, Path], monkeypatch: pytest.MonkeyPatch
):
    loaded = store.load(model)
    trained: list[tuple[str, int]] = []

    def fit(
        channel: str, training: object, development: object, folder: Path, seed: int, **_: bool
    ) -> Trained:
        trained.append((channel, seed))
        best = {"dev_perplexity_of_scorable": {"none": 1.75, "r2l": 1.25}[channel]}
        return Trained(loaded.model, loaded.parameters, (), best, 1, False, False, 1, 0.0, 0.0, 1.0)

    sentences = read_treebank([treebanks["test"]]).sentences
    monkeypatch.setattr(quickstart, "_fit", fit)
    monkeypatch.setattr(quickstart, "sample", lambda: (sentences[:10], sentences[10:]))
    result = cli("quickstart", "--seed", 3)
    assert result.status == 0, result.err
    assert trained == [("none", 3), ("r2l", 3)]
    for words in ("1.7500", "1.2500", "underlying", "→", "^"):
        assert words in result.out
    assert "morning,  " in result.out  # a mark and its reason
    assert "“Good morning” addresses the reader" in result.out
