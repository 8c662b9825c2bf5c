"""Another kind of model on the command line."""

import json
from pathlib import Path

import pytest

from semipunct.models.kind import Kind
from semipunct.store.checkpoint import load
from tests.commands import Cli

SETTINGS = ("train.visits=96", "train.learning_rate=0.02", "model.hidden=8", "model.word=8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kinds") / "tagger"


@pytest.fixture
def tagger(cli: Cli, treebanks: dict[str, Path], folder: Path) -> Path:
    if not folder.exists():
        settings = [text for setting in SETTINGS for text in ("--set", setting)]
        result = cli(
            "train", treebanks["train"], "--dev", treebanks["dev"], "-o", folder,
            "--kind", "slot-tagger", "--seed", 1, *settings,
        )  # fmt: skip
        assert result.status == 0, result.err
        assert "dev perplexity" in result.err.splitlines()[-1]
    return folder


@pytest.mark.exhaustive
def test_a_slot_tagger_is_trained_and_evaluated(cli: Cli, tagger: Path, treebanks: dict[str, Path]):
    loaded = load(tagger)
    assert loaded.config.model.network == "crf"
    assert "--kind slot-tagger" in (tagger / "README.md").read_text("utf-8")
    value = json.loads(cli("evaluate", tagger, treebanks["dev"], "--json").out)
    assert value["perplexity"] == pytest.approx(
        min(m["dev_perplexity"] for m in loaded.metrics), rel=1e-9
    )
    assert "|network:crf|tokens:>=5|version:" in value["signature"]


@pytest.mark.exhaustive
def test_a_parser_is_evaluated_as_parse_does(cli: Cli, parser: Path, treebanks: dict[str, Path]):
    value = json.loads(cli("evaluate", parser, treebanks["dev"], "--json").out)
    assert value["schema"] == "semipunct.parse-gold/1"
    assert value == json.loads(cli("parse", parser, treebanks["dev"], "--gold", "--json").out)
    assert value["words"] > value["sentences"] > 0


def test_a_text_model_is_evaluated_by_its_criterion(
    cli: Cli, text_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    text = tmp_path / "dev.txt"
    text.write_text("is it here? yes, it is.\n" * 40, "utf-8")
    done = cli("evaluate", text_model, text, "--json")
    value = json.loads(done.out)
    assert (value["schema"], value["kind"]) == ("semipunct.evaluate-criterion/1", "text")
    assert value["figures"]["perplexity"] > 1
    assert "|kind:text|" in value["signature"]
    assert cli("evaluate", text_model, text, "--json").out == done.out
    monkeypatch.setattr(Kind, "metrics", None)  # the refusal comes before the evaluation
    stored = cli("evaluate", text_model, text, "--result", tmp_path / "r.json")
    assert (stored.status, (tmp_path / "r.json").exists()) == (2, False)
    assert "counts by sentence" in stored.message


def test_what_needs_the_punctuation_model_says_so(
    cli: Cli, tagger: Path, treebanks: dict[str, Path]
):
    result = cli("analyse", tagger, treebanks["dev"])
    assert result.status == 1
    assert "of the kind slot-tagger, but one of the kind punctuation is needed" in result.message
    result = cli("decode", tagger, treebanks["dev"])
    assert result.status == 1
    assert "of the kind slot-tagger cannot decode; name a model of the kind" in result.message
    result = cli("restore", tagger, treebanks["dev"])
    assert result.status == 1
    assert "of the kind slot-tagger cannot restore; name a model of the kind" in result.message
    assert str(tagger) in cli("restore", tagger, treebanks["dev"]).message


def test_a_setting_of_another_kind(cli: Cli, treebanks: dict[str, Path], tmp_path: Path):
    arguments = ("train", treebanks["train"], "--dev", treebanks["dev"], "-o", tmp_path / "m")
    result = cli(*arguments, "--kind", "slot-tagger", "--channel", "l2r")
    assert result.status == 2
    assert "option --channel: there is no setting 'model.channel'" in result.message
    assert "no kind of model 'tagger'" in cli(*arguments, "--kind", "tagger").message
