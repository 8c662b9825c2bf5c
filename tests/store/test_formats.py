"""Kinds and versions of model folders: what is known is migrated, the rest refused."""

import json
from dataclasses import replace

import numpy as np
import pytest

from semipunct.errors import ModelError
from semipunct.models import registry
from semipunct.models.base import digest
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.store import migrations
from semipunct.store.checkpoint import load
from semipunct.training.loop import train
from tests.store.folders import complaint, edit, reseal


def test_a_newer_format(folder):
    edit(folder / "manifest.json", lambda manifest: manifest.update(format_version=3))
    assert "has format 3, newer than the 2" in complaint(folder)


def test_an_unknown_kind(folder):
    edit(folder / "manifest.json", lambda manifest: manifest.update(kind="tagger"))
    message = complaint(folder)
    assert "of the kind 'tagger', which this program" in message
    assert "it knows punctuation, slot-tagger" in message


def test_a_model_of_another_kind_than_needed(folder):
    with pytest.raises(ModelError, match="of the kind punctuation, but one of the kind slot-tag"):
        load(folder, registry.kind_named("slot-tagger").load())
    assert load(folder, PunctuationModel).model.kind == "punctuation"


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda m: m.update(format_version="2"), "is damaged (Expected `int`, got `str`"),
        (lambda m: m.update(kidn=m.pop("kind")), "is damaged"),
        (lambda m: m["sha256"].update({"config.json": 3}), "is damaged"),
    ],
)
def test_a_damaged_manifest(folder, change, message):
    edit(folder / "manifest.json", change)
    assert message in complaint(folder)


def as_format_1(folder):
    """Make a folder what programs that knew format 1 wrote: no kind, and no passes to choose."""
    edit(folder / "config.json", lambda head: head.update(format_version=1))
    edit(folder / "config.json", lambda head: head["config"]["model"].pop("passes"))
    edit(folder / "manifest.json", lambda manifest: manifest.pop("kind"))
    edit(folder / "manifest.json", lambda manifest: manifest.pop("format"))
    edit(folder / "manifest.json", lambda manifest: manifest.pop("format_version"))
    reseal(folder)


def test_a_folder_of_format_1_gives_the_same_answers(folder, finished):
    as_format_1(folder)
    assert json.loads((folder / "manifest.json").read_text()).keys() == {"sha256"}
    before, after = load(finished.folder), load(folder)
    assert isinstance(after.model, PunctuationModel)
    assert after.config == before.config
    assert after.digest == before.digest == digest(after.model, after.parameters)
    assert after.model.to_data() == before.model.to_data()


def test_a_run_of_format_1_is_resumed(tiny, finished, tmp_path):
    folder = tmp_path / "model"
    train(tiny.config, tiny.train, tiny.dev, folder, stop=lambda: True)
    as_format_1(folder)
    result = train(tiny.config, tiny.train, tiny.dev, folder, resume=True)
    for name, array in finished.result.parameters.items():
        np.testing.assert_array_equal(result.parameters[name], array, strict=True)
    assert json.loads((folder / "manifest.json").read_text())["format_version"] == 2


def test_migrations_are_applied_in_order(monkeypatch):
    def note(number):
        return lambda parsed: replace(parsed, kind=parsed.kind + str(number))

    monkeypatch.setattr(migrations, "VERSION", 4)
    monkeypatch.setattr(migrations, "MIGRATIONS", {1: note(1), 2: note(2), 3: note(3)})
    parsed = migrations.Parsed("k", {}, {}, {})
    assert migrations.migrated(parsed, 1).kind == "k123"
    assert migrations.migrated(parsed, 3).kind == "k3"
    assert migrations.migrated(parsed, 4) == parsed
