"""Kinds and versions of model folders: known ones are migrated, others rejected."""

from dataclasses import replace

import pytest

from semipunct.errors import ModelError
from semipunct.models import registry
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.store import checkpoint, migrations
from semipunct.store.checkpoint import load, load_state
from semipunct.training.train import train
from tests.store.folders import complaint, edit, reseal


def test_a_newer_format(folder):
    edit(folder / "manifest.json", lambda manifest: manifest.update(format_version=4))
    assert "has format 4, newer than the 3" in complaint(folder)


def test_an_unknown_kind(folder):
    edit(folder / "manifest.json", lambda manifest: manifest.update(kind="tagger"))
    message = complaint(folder)
    assert "of the kind 'tagger', which this program" in message
    assert f"it supports {', '.join(registry.kind_names())}" in message


def test_a_model_of_another_kind_than_needed(folder):
    with pytest.raises(ModelError, match="of the kind punctuation, but one of the kind slot-tag"):
        load(folder, registry.find_kind("slot-tagger").load())
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


def test_a_format_before_the_first_release(folder):
    edit(folder / "manifest.json", lambda manifest: manifest.update(format_version=2))
    assert "has format 2, which no release of semipunct wrote; train" in complaint(folder)
    edit(folder / "manifest.json", lambda manifest: manifest.pop("format_version"))
    assert "has format 1" in complaint(folder)


def test_a_folder_of_an_older_format_is_migrated(folder, monkeypatch):
    """Format 3 lacks a setting that format 4 has under another name; its files stay as they are."""
    edit(folder / "config.json", lambda head: head["config"]["model"].update(way="l2r"))
    edit(folder / "config.json", lambda head: head["config"]["model"].pop("channel"))
    reseal(folder)
    assert "there is no setting 'model.way'" in complaint(folder)

    def rename(parsed):
        model = dict(parsed.settings["model"])
        model["channel"] = model.pop("way")
        return replace(parsed, settings={**parsed.settings, "model": model})

    for module in (migrations, checkpoint):
        monkeypatch.setattr(module, "VERSION", 4)
    monkeypatch.setattr(migrations, "MIGRATIONS", {3: rename})
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert load(folder).config.model.channel == "l2r"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_run_of_an_older_format_is_not_resumed(tiny, tmp_path):
    folder = tmp_path / "model"
    train(tiny.train, tiny.dev, folder, config=tiny.config, stop=lambda: True)
    edit(folder / "manifest.json", lambda manifest: manifest.update(format_version=2))
    with pytest.raises(ModelError, match=r"started by an older program.*\(format 2\).*--force"):
        load_state(folder)


def test_migrations_are_applied_in_order(monkeypatch):
    def note(number):
        return lambda parsed: replace(parsed, kind=parsed.kind + str(number))

    monkeypatch.setattr(migrations, "VERSION", 4)
    monkeypatch.setattr(migrations, "MIGRATIONS", {1: note(1), 2: note(2), 3: note(3)})
    parsed = migrations.Parsed("k", {}, {}, {})
    assert migrations.migrate(parsed, 1).kind == "k123"
    assert migrations.migrate(parsed, 3).kind == "k3"
    assert migrations.migrate(parsed, 4) == parsed
