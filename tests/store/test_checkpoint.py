import json
import os
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from semipunct.errors import ModelError
from semipunct.models.contents import digest
from semipunct.models.kind import Config
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.punctuation.options import KIND, ModelOptions, TrainOptions
from semipunct.store.checkpoint import load, load_state, save
from semipunct.store.folder import check_output, write_folder
from semipunct.training.train import train
from tests.store.folders import complaint, edit, reseal

WINDOW = "channel.0.window"
NEEDED = (
    "config.json",
    "vocabulary.json",
    "vocabulary.safetensors",
    "model.safetensors",
    "metrics.jsonl",
    "manifest.json",
)


def test_round_trip(tiny, finished):
    loaded = load(finished.folder)
    model = finished.result.model
    assert digest(loaded.model, {}) == digest(model, {})
    assert loaded.config == tiny.config
    assert loaded.model.options == model.options
    assert loaded.metrics == finished.result.metrics
    assert loaded.figures["finished"] is True
    assert loaded.digest == digest(model, finished.result.parameters)
    for name, array in finished.result.parameters.items():
        np.testing.assert_array_equal(loaded.parameters[name], array, strict=True)
    before, after = model.encode(tiny.dev), loaded.model.encode(tiny.dev)
    assert before.strings == after.strings
    for table, rows in before.features.items():
        np.testing.assert_array_equal(rows.context, after.features[table].context)


def test_a_card_may_name_files_whose_names_are_no_text(tiny, finished, tmp_path):
    model, parameters = finished.result.model, finished.result.parameters
    save(tmp_path / "m", model, parameters, tiny.config, card="semipunct train \udcff.conllu")
    assert (tmp_path / "m" / "README.md").read_text("utf-8") == r"semipunct train \udcff.conllu"
    load(tmp_path / "m")


def test_round_trip_of_hard_sets(tiny, tmp_path):
    options = ModelOptions(hard_sets=True, channel="none", templates=("S",))
    model = PunctuationModel.fit(tiny.train, options)
    save(
        tmp_path / "m",
        model,
        model.initial_parameters(0, 1.0),
        Config(KIND, options, TrainOptions()),
    )
    loaded = load(tmp_path / "m")
    assert loaded.model.inventory.allowed.any()
    np.testing.assert_array_equal(loaded.model.inventory.allowed, model.inventory.allowed)
    np.testing.assert_array_equal(loaded.model.inventory.counts, model.inventory.counts)
    assert loaded.model.inventory.spelling == model.inventory.spelling
    assert sorted(p.name for p in (tmp_path / "m").iterdir()) == sorted((*NEEDED, "README.md"))


@pytest.mark.parametrize("name", NEEDED)
def test_a_missing_file(folder, name):
    (folder / name).unlink()
    assert f"{name}" in complaint(folder)


@pytest.mark.parametrize("name", NEEDED)
@pytest.mark.parametrize("place", [0.0, 0.99])
def test_a_changed_byte(folder, name, place):
    content = bytearray((folder / name).read_bytes())
    content[int(place * len(content))] ^= 4
    (folder / name).write_bytes(content)
    complaint(folder)


@pytest.mark.parametrize("name", NEEDED)
def test_a_truncated_file(folder, name):
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: len(content) // 2])
    complaint(folder)


def test_a_card_may_be_edited(folder):
    before = load(folder).digest
    (folder / "README.md").write_text("The treebank is under CC BY-SA 4.0.\n")
    assert load(folder).digest == before
    # It has no checksum, so it may change; older folders have one.
    assert "README.md" not in json.loads((folder / "manifest.json").read_text())["sha256"]
    edit(folder / "manifest.json", lambda held: held["sha256"].update({"README.md": "0" * 64}))
    assert load(folder).digest == before


def test_a_manifest_lists_nothing_that_no_model_has(folder):
    edit(folder / "manifest.json", lambda held: held["sha256"].update({"more.bin": "0" * 64}))
    assert "manifest.json: lists more.bin, which are not files of a model" in complaint(folder)
    edit(folder / "manifest.json", lambda held: held["sha256"].pop("more.bin"))
    edit(folder / "manifest.json", lambda held: held.update(more=1))
    assert "manifest.json: is damaged" in complaint(folder)


def test_no_model_folder(folder, tmp_path):
    assert "there is no such folder" in complaint(tmp_path / "none")
    assert "is a file" in complaint(folder / "README.md")
    (tmp_path / "empty").mkdir()
    assert "not a model folder" in complaint(tmp_path / "empty")
    (folder / "config.json").write_text('{"format": "something else"}')
    assert "belongs to something else" in complaint(folder)
    (folder / "config.json").write_text("[]")
    assert "not a JSON object" in complaint(folder)
    (folder / "config.json").write_text("{")
    assert "not JSON" in complaint(folder)


def test_files_that_are_something_else(folder):
    (folder / "manifest.json").write_text('{"sha256": 3}')
    assert "lists no checksums" in complaint(folder)
    (folder / "manifest.json").unlink()
    (folder / "manifest.json").mkdir()
    assert "cannot be read" in complaint(folder)


def test_a_model_that_knows_less_of_words(folder):
    edit(folder / "vocabulary.json", lambda held: held["features"]["symbols"].pop("character"))
    reseal(folder)
    message = complaint(folder)
    assert "'character'" in message
    assert "train the model again" in message


def test_a_model_of_a_program_that_numbers_an_attribute_otherwise(folder):
    edit(folder / "vocabulary.json", lambda held: held["features"]["codes"].update(relation=3))
    reseal(folder)
    message = complaint(folder)
    assert "3 codes of relation" in message
    assert "train the model again" in message


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda x: {}, "the tensor channel.0.window is missing"),
        (lambda x: {"attach.more": x, WINDOW: x}, "the tensor attach.more is unknown"),
        (lambda x: {WINDOW: x[:, 1:]}, "the tensor channel.0.window is float32[4, "),
        (lambda x: {WINDOW: x.astype(np.float64)}, "the tensor channel.0.window is float64[4, "),
        (lambda x: {WINDOW: x * np.nan}, "the tensor channel.0.window holds NaN or infinity"),
    ],
)
def test_tensors_that_do_not_fit(folder, change, message):
    arrays = load_file(folder / "model.safetensors")
    arrays |= change(arrays.pop(WINDOW))
    save_file(arrays, folder / "model.safetensors")
    reseal(folder)
    assert message in complaint(folder)


@pytest.mark.parametrize(
    "name, change",
    [
        ("pair.outcome", lambda x: x + np.uint64(10**6)),
        ("pair.outcome", lambda x: x[::-1].copy()),
        ("pair.outcome", lambda x: x.astype(np.float32)),
        ("pair.weights", lambda x: x * np.uint8(2)),
        ("pair.weights", lambda x: -x.astype(np.int64)),
        ("kept", lambda x: x[:-1]),
        ("pair.weights", None),
    ],
)
def test_lists_of_weights_that_do_not_fit(folder, name, change):
    arrays = load_file(folder / "vocabulary.safetensors")
    array = arrays.pop(f"arrays/{name}")
    if change:
        arrays[f"arrays/{name}"] = change(array)
    save_file(arrays, folder / "vocabulary.safetensors")
    reseal(folder)
    assert "is not valid for a model" in complaint(folder)


def test_tensors_that_are_none(folder):
    (folder / "model.safetensors").write_bytes(b"not tensors")
    reseal(folder)
    assert "is not a safetensors file" in complaint(folder)


@pytest.mark.parametrize(
    "change",
    [
        lambda v: v["inventory"].pop("spelling"),
        lambda v: v["inventory"]["pairs"].append([10**6, 0]),
        lambda v: v["inventory"]["symbols"].append("!?"),
        lambda v: v["inventory"]["counts"][0].__setitem__(0, -1),
        lambda v: v["inventory"]["symbols"].__setitem__(4, "x"),
        lambda v: v["inventory"]["labels"].__setitem__(-1, ["nobody's"]),
        lambda v: v["inventory"]["spelling"]["first"].__setitem__(-1, 0.9),
        lambda v: v["inventory"]["spelling"].update(again=1.5),
        lambda v: v["features"]["conjunctions"][0].update(features=10**15),
        lambda v: v["features"]["conjunctions"][0].update(targets=["left"]),
        lambda v: v["features"]["conjunctions"][0].update(table="both"),
    ],
)
def test_a_vocabulary_that_is_none(folder, change):
    edit(folder / "vocabulary.json", change)
    reseal(folder)
    assert "is not valid for a model" in complaint(folder)


def test_a_vocabulary_that_is_nested_too_deeply(folder):
    nested = b'{"inventory":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    (folder / "vocabulary.json").write_bytes(nested)
    reseal(folder)
    assert "is not JSON" in complaint(folder)
    (folder / "config.json").write_bytes(nested)
    with pytest.raises(ModelError, match="neither empty nor a model folder"):
        check_output(folder)


def test_settings_that_do_not_fit(folder):
    edit(folder / "config.json", lambda head: head["config"]["train"].update(learning_rat=1))
    reseal(folder)
    assert "did you mean 'train.learning_rate'?" in complaint(folder)
    edit(folder / "config.json", lambda head: head["config"]["train"].pop("learning_rat"))
    edit(folder / "config.json", lambda head: head["config"]["train"].update(seed="x"))
    reseal(folder)
    assert "train.seed is 'x'; give a whole number" in complaint(folder)


def test_a_damaged_state(tiny, finished, tmp_path):
    folder = tmp_path / "model"
    train(tiny.train, tiny.dev, folder, config=tiny.config, stop=lambda: True)
    assert load_state(folder).values["step"] == 1

    def resumed():
        with pytest.raises(ModelError) as error:
            train(tiny.train, tiny.dev, folder, config=tiny.config, resume=True)
        return str(error.value)

    edit(folder / "state.json", lambda values: values.pop("stale"))
    assert "checksum" in resumed()
    reseal(folder)
    assert "does not hold what --resume needs" in resumed()
    arrays = load_file(folder / "state.safetensors")
    del arrays["optimiser.0001"]
    save_file(arrays, folder / "state.safetensors")
    reseal(folder)
    assert "the tensor optimiser.0001 is missing" in resumed()


def test_figures_that_are_none(tiny, folder):
    edit(folder / "config.json", lambda head: head["figures"].update(dev_perplexity=[1]))
    reseal(folder)
    assert "is not valid for a model" in complaint(folder)
    edit(folder / "config.json", lambda head: head.update(figures={}))
    reseal(folder)
    assert "dev perplexity" not in repr(load(folder))
    with pytest.raises(ModelError, match="does not hold the figures of a run"):
        train(tiny.train, tiny.dev, folder, config=tiny.config, resume=True)


def test_a_folder_that_is_not_ours_is_left_alone(tiny, tmp_path):
    foreign = tmp_path / "thesis"
    foreign.mkdir()
    (foreign / "config.json").write_text("{}")
    neither = "the output folder is neither empty nor a model folder"
    with pytest.raises(ModelError, match=neither):
        train(tiny.train, tiny.dev, foreign, config=tiny.config)
    with pytest.raises(ModelError, match=neither):
        write_folder(foreign, {"config.json": b""})
    assert (foreign / "config.json").read_text() == "{}"
    for path, message in (
        (foreign / "config.json", "is a file"),
        (foreign / "config.json" / "model", "not a writable folder"),
        ("/", neither),
    ):
        with pytest.raises(ModelError, match=message):
            check_output(path)
    assert [p.name for p in tmp_path.rglob("*")] == ["thesis", "config.json"]


def test_ours_and_empty_folders_are_replaced(folder, tmp_path):
    (folder / "notes.txt").write_text("mine")
    (folder / "state.json").write_text("old")
    check_output(folder)
    write_folder(folder, {"config.json": b"{}", "README.md": b"new"})
    assert sorted(p.name for p in folder.iterdir()) == ["README.md", "config.json", "notes.txt"]
    empty = tmp_path / "a" / "b"
    empty.mkdir(parents=True)
    write_folder(empty, {"config.json": b"{}"})
    write_folder(tmp_path / "c" / "d", {"config.json": b"{}"})
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "c", "model"]


def test_a_failed_write_leaves_the_old_folder(folder, tmp_path, monkeypatch):
    before = (folder / "config.json").read_bytes()

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ModelError, match="No space left on device"):
        write_folder(folder, {"config.json": b"{}"})
    monkeypatch.undo()
    rename = Path.rename

    def fail_once(path, target):
        if ".new-" in path.name:
            raise OSError(5, "Input/output error")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", fail_once)
    with pytest.raises(ModelError, match="Input/output error"):
        write_folder(folder, {"config.json": b"{}"})
    assert (folder / "config.json").read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


def test_a_kill_between_the_renames_is_mended(folder):
    aside = folder.with_name(".model.old")
    folder.rename(aside)
    check_output(folder)
    assert not aside.exists()
    load(folder)
