"""Kinds and versions of model folders: known ones are migrated, others rejected."""

import json
from dataclasses import replace
from itertools import chain

import numpy as np
import pytest
from safetensors.numpy import save_file

from semipunct.errors import ModelError
from semipunct.inference.likelihood import corpus_log_likelihood
from semipunct.models import registry
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.store import migrations
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
    assert f"it supports {', '.join(registry.KINDS)}" in message


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


def as_format_2(folder):
    """Convert a folder to format 2 of older programs: tables with a weight for everything."""
    model, parameters = (loaded := load(folder)).model, dict(loaded.parameters)
    columns, labels = model.attach_tables.columns, {}
    conjunctions, sizes = [], dict.fromkeys(chain.from_iterable(columns.values()), 0)
    for table, support in model.supports.items():
        labels |= dict.fromkeys(columns[table], support.table(parameters.pop(f"attach.{table}")))
    for family in model.features.conjunctions:
        for target in family.targets:
            rows = slice(family.offset, family.offset + len(family.kept))
            values = labels[target][rows, columns[family.table][target]]
            name = f"attach.{target}"
            before = parameters.get(name, np.zeros((0, values.shape[1]), np.float32))
            parameters[name] = np.concatenate([before, values])
            conjunctions.append(
                {
                    "template": family.templates[0],
                    "target": target,
                    "parts": family.parts,
                    "over": family.over,
                    "kept": family.kept.tolist(),
                    "offset": sizes[target],
                }
            )
            sizes[target] += len(values)
    for spans in columns.values():
        for target, column in spans.items():
            empty = np.zeros((0, column.stop - column.start), np.float32)
            parameters.setdefault(f"attach.{target}", empty)
    (folder / "vocabulary.safetensors").unlink()
    save_file(parameters, folder / "model.safetensors")
    edit(
        folder / "vocabulary.json",
        lambda held: held["features"].update(conjunctions=conjunctions, sizes=sizes),
    )
    edit(folder / "vocabulary.json", lambda held: held.pop("arrays"))
    edit(folder / "manifest.json", lambda manifest: manifest.update(format_version=2))
    edit(
        folder / "manifest.json", lambda manifest: manifest["sha256"].pop("vocabulary.safetensors")
    )
    reseal(folder)


def test_a_folder_of_format_2_gives_the_same_answers(folder, finished, tiny):
    before = load(folder)
    as_format_2(folder)
    assert "arrays" not in json.loads((folder / "vocabulary.json").read_text())
    after = load(folder)
    weights = before.parameters["attach.pair"]
    np.testing.assert_array_equal(after.parameters["attach.pair"], weights[weights != 0])
    likelihoods = [corpus_log_likelihood(x.model, x.parameters, tiny.dev) for x in (before, after)]
    np.testing.assert_allclose(*likelihoods, rtol=1e-6)


def as_format_1(folder):
    """Convert a folder to format 1 of older programs: no kind, and no choice of passes."""
    as_format_2(folder)
    edit(folder / "config.json", lambda head: head.update(format_version=1))
    edit(folder / "config.json", lambda head: head["config"]["model"].pop("passes"))
    edit(folder / "manifest.json", lambda manifest: manifest.pop("kind"))
    edit(folder / "manifest.json", lambda manifest: manifest.pop("format"))
    edit(folder / "manifest.json", lambda manifest: manifest.pop("format_version"))
    reseal(folder)


def test_a_folder_of_format_1_gives_the_same_answers(folder, finished, tiny):
    as_format_1(folder)
    assert json.loads((folder / "manifest.json").read_text()).keys() == {"sha256"}
    before, after = load(finished.folder), load(folder)
    assert isinstance(after.model, PunctuationModel)
    assert after.config == before.config
    assert after.digest == before.digest
    likelihoods = [corpus_log_likelihood(x.model, x.parameters, tiny.dev) for x in (before, after)]
    np.testing.assert_allclose(*likelihoods, rtol=1e-6)


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
