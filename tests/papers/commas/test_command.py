"""Commas and phrases on the command line."""

import json
from pathlib import Path

import pytest

from tests.commands import Cli, run
from tests.papers.commas.phrases import files
from tests.trained import Once


@pytest.fixture(scope="session")
def phrases(once: Once) -> dict[str, Path]:
    """Files of bracketed trees."""
    folder = once("phrases", lambda folder: files(folder))
    return {name: folder / f"{name}.mrg" for name in ("train", "dev")}


@pytest.fixture(scope="module")
def commas(phrases: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a comma model that has learned the rule."""
    folder = tmp_path_factory.mktemp("commas") / "model"
    result = run(
        "train", phrases["train"], "--dev", phrases["dev"], "-o", folder, "--kind", "commas",
        "--set", "preset=crf", "--set", "train.learning_rate=0.1",
    )  # fmt: skip
    assert result.status == 0, result.err
    assert "dev perplexity of commas" in result.err
    return folder


def bare(path: Path, to: Path) -> Path:
    to.write_text(path.read_text("utf-8").replace(" (, ,)", ""), encoding="utf-8")
    return to


def test_commas_come_back_into_brackets(
    cli: Cli, commas: Path, phrases: dict[str, Path], tmp_path: Path
):
    without = bare(phrases["dev"], tmp_path / "bare.mrg")
    result = cli("restore", commas, without, "--marks", ",")
    assert result.status == 0, result.err
    assert result.out == phrases["dev"].read_text("utf-8")
    assert cli("restore", commas, phrases["dev"]).out == result.out


def test_restored_commas_are_evaluated(cli: Cli, commas: Path, phrases: dict[str, Path]):
    for minimise in ("slots", "draws"):
        command = ("restore", commas, phrases["dev"], "--gold", "--json", "--minimise", minimise)
        value = json.loads(cli(*command).out)
        assert value["sentences"] == 16
        assert {*value["marks"]} == {","}
        assert value["micro"]["f1"] == value["slot_accuracy"] == value["sentence_accuracy"] == 1.0
        assert f"|minimise:{minimise}|" in value["signature"]
        assert "|marks:commas|" in value["signature"]


def test_commas_of_text(cli: Cli, commas: Path, phrase_parser: Path, tmp_path: Path):
    text = tmp_path / "a.txt"
    text.write_text("near a dog the cat sees a bird .\n", "utf-8")
    result = cli("restore", commas, text, "--parser", phrase_parser, "--marks", ",")
    assert result.status == 0, result.err
    assert result.out == "near a dog, the cat sees a bird .\n"
    listed = cli("restore", commas, text, "--parser", phrase_parser, "--format", "json")
    assert json.loads(listed.out)["slots"][3]["surface"] == [","]


def test_what_cannot_be_done_is_said(
    cli: Cli, commas: Path, phrase_parser: Path, phrases: dict[str, Path], tmp_path: Path
):
    words = tmp_path / "a.conllu"
    words.write_text("1\tdog\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n", "utf-8")
    dev = phrases["dev"]
    for command, complaint in (
        (("restore", commas, words), "a.conllu: files of the format conllu have no phrases"),
        (("restore", commas, dev, "--marks", ". ,"), "restores only commas, not ."),
        (("restore", commas, dev, "--parser", commas), "but one of the kind phrase-parser"),
        (("parse", phrase_parser, dev, "--nbest", "3"), "does not support --nbest"),
        (("decode", commas, dev), "cannot decode; name a model of the kind punctuation"),
    ):  # fmt: skip
        result = cli(*command)
        assert result.status in (1, 2), command
        assert complaint in result.message, command
