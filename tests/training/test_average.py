"""An average of models scores what its parts score on average."""

from __future__ import annotations

import numpy as np
import pytest

from semipunct.errors import ModelError
from semipunct.inference.likelihood import corpus_log_likelihood
from semipunct.model.channel import log_edits
from semipunct.model.options import ModelOptions
from semipunct.model.punctuation import PunctuationModel
from semipunct.training.average import average
from semipunct.training.checkpoint import load, save
from semipunct.training.config import Config

TEMPLATES = ("N", "W", "L", "R", "S", "history")


def saved(tmp_path, sentences, name: str, seed: int, **options):
    """A model whose weights are random, all of them."""
    chosen = ModelOptions(
        **{"templates": TEMPLATES, "network": True, "network_width": 4, **options}
    )
    model = PunctuationModel.fit(sentences, chosen)
    generator = np.random.default_rng(seed)
    parameters = {
        n: (x + generator.normal(0, 0.3, x.shape)).astype(x.dtype)
        for n, x in model.initial_parameters(seed, 0.5).items()
    }
    save(tmp_path / name, model, parameters, Config(model=chosen))
    return load(tmp_path / name)


def told(model, parameters, sentences):
    """`[words, pairs]` log probabilities, and the scores that words and tree give."""
    batch = model.lay_out(model.prepare(sentences), range(len(sentences)))
    words = sum(len(s.forms) for s in sentences)
    found = model.log_choice(parameters, batch), model.tree_scores(parameters, batch).pair
    return [np.asarray(x, np.float64)[:words] for x in found]


def test_scores_are_averaged(tiny, tmp_path):
    models = [saved(tmp_path, tiny.train, f"m{seed}", seed) for seed in (1, 2, 3)]
    model, parameters, config = average(models)
    assert config.model.network_members == 3
    left = model.inventory.pairs[:, 0]
    first = np.eye(len(model.inventory.labels))[left]

    def by_left(scores):
        return np.log(np.exp(scores) @ first + 1e-300)

    own = [told(m.model, m.parameters, tiny.dev[:5]) for m in models]
    # What the marks to the left say of l, and all scores of r given l, up to constants.
    opening = np.mean([by_left(log_p) - by_left(scores) for log_p, scores in own], 0)
    then = np.mean([log_p - by_left(log_p)[:, left] for log_p, _ in own], 0)
    start = by_left(np.mean([scores for _, scores in own], 0)) + opening
    start = np.where(first.any(0), start, -np.inf)
    expected = (start - np.log(np.exp(start).sum(1, keepdims=True)))[:, left]
    expected = expected + then - by_left(then)[:, left]
    found, _ = told(model, parameters, tiny.dev[:5])
    np.testing.assert_allclose(found, expected, atol=2e-4)
    assert np.abs(found - own[0][0]).max() > 0.1


def test_the_channel_is_averaged(tiny, tmp_path):
    models = [saved(tmp_path, tiny.train, f"m{seed}", seed, network=False) for seed in (1, 2)]
    model, parameters, _ = average(models)
    symbols = model.inventory.symbols

    def channel(p):
        return np.stack([np.asarray(e) for e in log_edits(p, 0, symbols, model.options)])

    mean = np.mean([channel(m.parameters) for m in models], 0)
    expected = mean - np.log(np.exp(mean).sum(0))
    usual = np.isfinite(expected)
    np.testing.assert_allclose(channel(parameters)[usual], expected[usual], atol=1e-4)


def test_an_average_is_a_model_like_any_other(tiny, tmp_path):
    models = [saved(tmp_path, tiny.train, f"m{seed}", seed) for seed in (1, 2)]
    model, parameters, config = average(models)
    save(tmp_path / "mean", model, parameters, config)
    again = load(tmp_path / "mean")
    before = corpus_log_likelihood(model, parameters, tiny.dev)
    np.testing.assert_array_equal(
        corpus_log_likelihood(again.model, again.parameters, tiny.dev), before
    )
    assert np.isfinite(before).all()


@pytest.mark.parametrize(
    ("options", "sentences", "named"),
    [
        ({"network_width": 8}, slice(None), "model.network_width"),
        ({"templates": ("N",), "tied": False}, slice(None), "model.tied, model.templates"),
        ({}, slice(5, None), "the symbols or features they know"),
    ],
)
def test_models_that_do_not_go_together(tiny, tmp_path, options, sentences, named: str):
    one = saved(tmp_path, tiny.train, "one", 1)
    other = saved(tmp_path, tiny.train[sentences], "other", 1, **options)
    with pytest.raises(ModelError, match=f"one and .*other differ in {named}; average models"):
        average([one, other])
    with pytest.raises(ModelError, match="takes two or more"):
        average([one])
