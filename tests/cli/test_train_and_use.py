"""The main workflow on the command line: train, evaluate, decode."""

import gzip
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import create_autospec

import numpy as np
import pytest

from semipunct.formats import read_treebank
from semipunct.formats.conllu.misc import attributes
from semipunct.formats.conllu.records import read_records
from semipunct.marks import EDITS
from semipunct.models.punctuation import decode as decoding
from semipunct.models.punctuation.decode import corpus_log_likelihood
from semipunct.pipelines import decoding as decode_task
from semipunct.pipelines.options import DecodeOptions
from semipunct.store import checkpoint as store
from semipunct.training.report import TrainingResult as Trained
from tests.commands import Cli, Result
from tests.trained import TINY

PUNCTUATION_ONLY = "1\t!\t!\tPUNCT\t_\t_\t0\troot\t_\t_\n\n"


@pytest.fixture(scope="session")
def test_file(treebanks: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The test part with one sentence in the middle that no model supports."""
    sentences = treebanks["test"].read_text("utf-8").split("\n\n")
    sentences[10:10] = [PUNCTUATION_ONLY.strip()]
    path = tmp_path_factory.mktemp("test") / "test.conllu"
    path.write_text("\n\n".join(sentences), encoding="utf-8")
    return path


def test_training_tells_people_and_leaves_a_model(training_run: tuple[Result, Path]):
    result, folder = training_run
    assert result.out == ""
    assert "training: 120 sentences" in result.err
    assert "development: 20 sentences" in result.err
    assert "dev perplexity" in result.err
    assert str(folder) in result.err.splitlines()[-1]
    loaded = store.load(folder)
    assert loaded.config.train.seed == 1
    assert loaded.config.train.visits == 96
    card = (folder / "README.md").read_text("utf-8")
    assert f"-o {folder} --seed 1 --set train.visits=96" in card
    pruned, weights = (loaded.figures[name] for name in ("pruned_weights", "weights"))
    assert weights == sum(array.size for array in loaded.parameters.values())
    assert loaded.figures["pruning_cost"] <= loaded.config.train.prune
    assert f"; {pruned:,} of {pruned + weights:,} weights pruned for " in result.err
    assert "| pruning cost | " in card


def test_a_finished_run_is_resumed_as_it_is(
    cli: Cli, model: Path, treebanks: dict[str, Path], tmp_path: Path
):
    model = shutil.copytree(model, tmp_path / "tiny")
    before = (model / "model.safetensors").read_bytes()
    settings = [text for setting in TINY for text in ("--set", setting)]
    result = cli(
        "train", treebanks["train"], "--dev", treebanks["dev"], "-o", model, "--seed", 1,
        "--resume", *settings,
    )  # fmt: skip
    assert result.status == 0, result.err
    assert "weights pruned for " in result.err
    assert (model / "model.safetensors").read_bytes() == before


@pytest.mark.parametrize("command", ["train", "quickstart"])
def test_a_folder_that_holds_a_model_is_left_alone(
    cli: Cli, model: Path, tmp_path: Path, command: str
):
    """The message appears before anything is read."""
    folder = shutil.copytree(model, tmp_path / "tiny")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    files = ("absent.conllu", "--dev", "absent.conllu") if command == "train" else ()
    result = cli(command, *files, "-o", folder)
    assert result.status == 1
    assert "there is a model already" in result.message
    assert "--force" in result.message
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    if files:
        both = cli(command, *files, "-o", folder, "--force", "--resume")
        assert both.status == 2
        assert "absent.conllu" in cli(command, *files, "-o", folder, "--force").message


def test_an_interrupted_training_says_how_to_go_on(
    cli: Cli, model: Path, treebanks: dict[str, Path], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):  # fmt: skip
    loaded = store.load(model)
    ended = Trained(loaded.model, loaded.parameters, (), {}, 32, True, False, 1, 0.5, 61.0)
    monkeypatch.setattr("semipunct.training.train.train", lambda *_, **__: ended)
    folder = tmp_path / "model"
    result = cli("train", treebanks["train"], "--dev", treebanks["dev"], "-o", folder)
    assert result.status == 130
    assert "--resume" in result.err
    assert "not evaluated yet" in result.err
    assert "1:01" in result.err


def test_evaluate_prints_what_the_library_computes(cli: Cli, model: Path, test_file: Path):
    result = cli("evaluate", model, test_file, "--json")
    assert (result.status, result.told) == (0, "")
    value = json.loads(result.out)
    loaded = store.load(model)
    sentences = read_treebank([test_file]).sentences
    log_p = corpus_log_likelihood(loaded.model, loaded.parameters, sentences)
    slots = sum(s.choices for s in sentences)
    assert value["log_likelihood"] == pytest.approx(log_p.sum(), rel=1e-5)
    assert value["perplexity"] == pytest.approx(np.exp(-log_p.sum() / slots), rel=1e-5)
    assert (value["slots"], value["sentences"], value["unscorable"]) == (slots, 20, 0)
    assert value["omitted"] == {"punctuation has dependents": 0, "nothing but punctuation": 1}
    assert value["signature"].startswith("task:perplexity|model:")

    shown = cli("evaluate", model, test_file)
    assert f"{value['perplexity']:.4f}" in shown.out
    assert value["signature"] in shown.out
    assert "1 sentence omitted: 1 with nothing but punctuation" in shown.err


def test_conllu_is_the_input_with_annotations(
    cli: Cli, model: Path, test_file: Path, tmp_path: Path
):
    out = tmp_path / "out.conllu.gz"
    result = cli("decode", model, test_file, "-o", out)
    assert (result.status, result.out) == (0, "")
    assert result.told == "1 sentence not analysed: nothing but punctuation\n"
    text = gzip.decompress(out.read_bytes()).decode()
    kept = [line for line in text.splitlines(keepends=True) if "# semipunct_" not in line]
    original = test_file.read_text("utf-8").splitlines(keepends=True)
    assert len(kept) == len(original)
    annotated = 0
    for line, before in zip(kept, original, strict=True):
        if line == before:
            continue
        *columns, misc = line.rstrip("\n").split("\t")
        *columns_before, misc_before = before.rstrip("\n").split("\t")
        assert columns == columns_before
        ours = [item for item in misc.split("|") if item.startswith("Semipunct")]
        others = [item for item in misc.split("|") if not item.startswith("Semipunct")]
        assert ours
        assert "|".join(others) == misc_before.removeprefix("_")
        annotated += 1
    assert annotated
    assert text.count("# semipunct_log_joint = ") == 20
    assert text.count("# semipunct_log_posterior = ") == 20
    assert text.count("# semipunct_omitted = nothing but punctuation") == 1


def test_the_three_formats_tell_the_same(cli: Cli, model: Path, test_file: Path, tmp_path: Path):
    outputs = {
        form: cli("decode", model, "-", "--format", form, stdin=test_file.read_bytes()).out
        for form in ("conllu", "json", "brackets")
    }
    page = cli("decode", model, "-", "--format", "html", stdin=test_file.read_bytes()).out
    assert page.count("<section id=") == 21
    assert page.count("<svg ") == 20
    values = [json.loads(line) for line in outputs["json"].splitlines()]
    lines = outputs["brackets"].splitlines()
    path = tmp_path / "out.conllu"
    path.write_text(outputs["conllu"], encoding="utf-8")
    records = list(read_records(path))
    assert len(values) == len(lines) == len(records) == 21
    for value, line, record in zip(values, lines, records, strict=True):
        if "omitted" in value:
            assert value.pop("schema") == "semipunct.omitted/1"
            assert value == {"sent_id": record.sentence_id, "omitted": "nothing but punctuation"}
            assert "nothing but punctuation" in line
            continue
        assert value["log_joint"] < value["log_posterior"] <= 0
        difference = value["log_joint"] - value["log_posterior"]
        assert value["log_likelihood"] == pytest.approx(difference, abs=1e-9)
        assert [piece for piece in line.split() if piece in value["words"]]
        for word_id, node in zip(value["word_ids"], value["nodes"], strict=True):
            position = record.tokens[word_id - 1].position
            told = attributes(record.lines[position].split("\t")[9])
            assert told.get("SemipunctLeft", "").split() == node["left"]
            assert told.get("SemipunctRight", "").split() == node["right"]
        assert all(edit["edit"] in EDITS for slot in value["slots"] for edit in slot["edits"])


def test_samples_are_numbered_and_reproducible(
    cli: Cli, model: Path, test_file: Path, monkeypatch: pytest.MonkeyPatch
):
    # Compiling the sampler is slower than the rest of the test, and tests/models/punctuation covers
    # it; the replacement has the same signature.
    def draw(fitted: Any, parameters: Any, sentences: Any, samples: int, seed: int) -> Any:
        generator = np.random.default_rng(seed)
        best = decoding.best(fitted, parameters, sentences)
        return [
            [replace(a, log_posterior=-generator.random()) for _ in range(samples)]
            for a in best
            if a
        ]

    stand_in = create_autospec(decoding.sample, side_effect=draw)
    monkeypatch.setattr(decoding, "sample", stand_in)
    arguments = ("decode", model, test_file, "--semiring", "sampling", "--samples", 2)
    result = cli(*arguments, "--seed", 7, "--format", "json")
    assert result.status == 0, result.err
    values = [json.loads(line) for line in result.out.splitlines()]
    assert [v["sample"] for v in values if "sample" in v] == [1, 2] * 20
    assert sum("omitted" in v for v in values) == 1
    assert cli(*arguments, "--seed", 7, "--format", "json").out == result.out
    conllu = cli(*arguments, "--seed", 8).out
    assert [conllu.count(f"# semipunct_sample = {k}\n") for k in (1, 2, 3)] == [20, 20, 0]
    posteriors = [f"{v['log_posterior']:.6f}" for v in values if "sample" in v]
    assert not any(f"log_posterior = {p}\n" in conllu for p in posteriors)
    assert len(set(re.findall(r"(?m)^# sent_id = .*\.sample[12]$", conllu))) == 40
    lines = cli(*arguments, "--seed", 7, "--format", "brackets").out.splitlines()
    assert len(lines) == len(values)
    for value, line in zip(values, lines, strict=True):
        if "omitted" in value:
            continue
        name, number, posterior, tree = line.split("\t")
        assert (name, number) == (value["sent_id"], f"{value['sample']}")
        assert posterior == f"{value['log_posterior']:.6f}"
        assert tree.startswith("^ ")


def test_chunks_do_not_share_their_random_numbers(monkeypatch: pytest.MonkeyPatch):
    seeds: list[int] = []

    def sample(_model: object, _p: object, sentences: list[object], _m: int, seed: int):
        seeds.append(seed)
        return [[] for _ in sentences]

    monkeypatch.setattr(decoding, "sample", sample)
    decoder = decode_task.choose_decoder(DecodeOptions(semiring="sampling", samples=3))
    for chunk in (0, 1, 0):
        decoder.analyse(None, {}, [], chunk)  # type: ignore[arg-type]
    assert seeds[0] == seeds[2] != seeds[1]


def test_a_sentence_without_an_analysis_is_passed_through(
    cli: Cli, model: Path, test_file: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(decoding, "best", lambda _m, _p, sentences, _s: [None] * len(sentences))
    monkeypatch.setattr(decode_task, "CHUNK", 4)
    result = cli("decode", model, test_file)
    kept = [line for line in result.out.splitlines(True) if "# semipunct_" not in line]
    assert "".join(kept) == test_file.read_text("utf-8")
    assert "20 sentences not analysed: no analysis under the model" in result.err
