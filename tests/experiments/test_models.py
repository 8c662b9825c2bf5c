"""Models are trained only once."""

from types import SimpleNamespace

import pytest

from semipunct.training.config import load_config


def test_a_model_that_is_there_is_not_trained_again(driver, monkeypatch, tmp_path):
    models, made = driver("models"), {}

    def train(training, dev, path, config, near):
        path.mkdir()
        made[path] = SimpleNamespace(config=config)

    monkeypatch.setattr(models, "train", train)
    monkeypatch.setattr(models, "load", lambda path, _: made[path])
    config, path = load_config(None, []), tmp_path / "model"
    first = models.trained(config, [], [], path, object)
    assert first.config == config
    monkeypatch.setattr(models, "train", lambda *_, **__: pytest.fail("trained again"))
    assert models.trained(config, [], [], path, object) is first
    with pytest.raises(SystemExit, match=f"{path}: trained with other settings"):
        models.trained(load_config(None, ["train.tied_l2=0.5"]), [], [], path, object)
