"""The loop, the store and evaluation support all kinds: two of the project, and an external one."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from semipunct.models.registry import KINDS
from semipunct.pipelines.evaluation import evaluate
from semipunct.store.checkpoint import load, load_state
from semipunct.training.config import load_config
from semipunct.training.train import train

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"

SMALL = ["train.visits=48", "train.batch_size=4", "train.evaluate_every=16", "train.seed=3"]


@pytest.fixture(autouse=True)
def _a_kind_of_a_stranger(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.setitem(KINDS, "unigram", "unigram_model:KIND")


def test_a_kind_is_trained_resumed_loaded_and_evaluated(tiny, tmp_path):
    config = load_config(
        None, [*SMALL, "train.learning_rate=0.5", "train.patience=0"], kind="unigram"
    )
    whole = train(tiny.train, tiny.dev, tmp_path / "whole", config=config)
    assert [m["visits"] for m in whole.metrics] == [16, 32, 48]
    assert whole.metrics[-1]["train_objective"] < whole.metrics[0]["train_objective"]
    stops = iter([False] * 4 + [True])  # within an epoch, after an evaluation
    first = train(tiny.train, tiny.dev, tmp_path / "m", config=config, stop=lambda: next(stops))
    assert first.interrupted
    assert load_state(tmp_path / "m").values["step"] == 5
    second = train(tiny.train, tiny.dev, tmp_path / "m", config=config, resume=True)
    assert load_state(tmp_path / "m") is None
    assert (tmp_path / "m" / "model.safetensors").read_bytes() == (
        tmp_path / "whole" / "model.safetensors"
    ).read_bytes()
    assert second.best["dev_perplexity"] == whole.best["dev_perplexity"]

    loaded = load(tmp_path / "m")
    assert loaded.model.kind == "unigram"
    assert loaded.config == config
    evaluation = evaluate(loaded, tiny.dev)
    assert evaluation.figures.figures["perplexity"] == whole.best["dev_perplexity"]
    assert f"|model:{loaded.digest[:12]}|" in evaluation.signature
    again = train(tiny.train, tiny.dev, tmp_path / "m", config=config, resume=True)
    assert again.best == second.best


def test_the_unigram_model_learns_relative_frequencies(tiny, tmp_path):
    """The maximum-likelihood estimate for independent draws is known: relative frequencies."""
    settings = ["train.visits=4800", "train.learning_rate=0.1", "train.batch_size=24"]
    config = load_config(None, [*settings, "train.evaluate_every=4800"], kind="unigram")
    trained = train(tiny.train, tiny.train, tmp_path / "m", config=config)
    counts = Counter(slot for s in tiny.train for slot in s.slots)
    strings = trained.model.vocabulary.strings
    p = np.exp(trained.parameters["weight"])
    p /= p.sum()
    for string, n in counts.most_common(2):
        assert p[strings.index(string)] == pytest.approx(n / counts.total(), abs=2e-3)
