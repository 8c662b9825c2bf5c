"""Kinds and versions of model folders: known ones are read, others rejected."""

import pytest

from semipunct.errors import ModelError
from semipunct.models import registry
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.store.checkpoint import load
from tests.store.folders import complaint, edit


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
