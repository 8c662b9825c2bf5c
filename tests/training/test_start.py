"""Training further begins with the weights and the vocabulary of a model."""

from pathlib import Path

import pytest

import semipunct
from semipunct.errors import ModelError
from tests.models.running_text.texts import passages, text
from tests.planted import figures
from tests.trained import run


def test_training_further_begins_where_the_model_is(text_model: Path, tmp_path: Path):
    before = figures(text_model)["dev_perplexity"]
    start = semipunct.load(text_model)
    few, dev = passages(20, 5), passages(60, 2)
    settings = ["train.visits=16", "train.batch_size=16", "train.learning_rate=1e-6"]
    further = semipunct.train(
        few, dev, tmp_path / "further", kind="text", settings=settings, start=start
    )
    assert further.best["dev_perplexity"] == pytest.approx(before, abs=0.02)
    assert further.model.words == start.model.words
    settings.append("model.size=8")
    with pytest.raises(ModelError, match="is 16 there and 8 here"):
        semipunct.train(few, dev, tmp_path / "other", kind="text", settings=settings, start=start)


def test_a_model_of_another_kind_is_refused(text_model: Path, model: Path, tmp_path: Path):
    file = tmp_path / "a.txt"
    file.write_text(text(80, 5) + "\n", encoding="utf-8")
    command = ("train", file, "--dev", file, "--kind", "text", "-o", tmp_path / "out")
    refused = run(*command, "--from", model)
    assert refused.status == 1
    assert "cannot be trained further as text" in refused.message
    assert not (tmp_path / "out").exists()
