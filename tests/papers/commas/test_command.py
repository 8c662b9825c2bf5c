"""Commas and phrases on the command line."""

import json
from pathlib import Path

import pytest

import semipunct
from semipunct.errors import UsageError
from tests.commands import Cli
from tests.papers.commas.phrases import files
from tests.trained import Once


@pytest.fixture(scope="session")
def phrases(once: Once) -> dict[str, Path]:
    """Files of bracketed trees."""
    folder = once("phrases", lambda folder: files(folder))
    return {name: folder / f"{name}.mrg" for name in ("train", "dev")}


@pytest.fixture(scope="module")
def commas(
    cli_once: Cli, phrases: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The folder of a comma model that has learned the rule."""
    folder = tmp_path_factory.mktemp("commas") / "model"
    result = cli_once(
        "train", phrases["train"], "--dev", phrases["dev"], "-o", folder, "--kind", "commas",
        "--set", "preset=crf", "--set", "train.learning_rate=0.1",
    )  # fmt: skip
    assert result.status == 0, result.err
    assert "dev perplexity of commas" in result.err
    return folder


@pytest.fixture(scope="module")
def cli_once() -> Cli:
    from tests.commands import run

    return run


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


def test_a_file_without_a_word_is_left_alone(cli: Cli, commas: Path, tmp_path: Path):
    path = tmp_path / "comma.mrg"
    path.write_text("( (S (, ,)) )\n", "utf-8")
    result = cli("restore", commas, path)
    assert (result.status, result.out) == (0, path.read_text("utf-8"))
    assert result.err == "1 sentence left unchanged: nothing but punctuation\n"


def test_restored_commas_are_compared(
    cli: Cli, commas: Path, phrases: dict[str, Path], tmp_path: Path
):
    stored = [tmp_path / f"{name}.json" for name in ("slots", "draws")]
    for path in stored:
        command = ("restore", commas, phrases["dev"], "--gold", "--json", "--result", path)
        result = cli(*command, "--minimise", path.stem)
        value = json.loads(result.out)
        assert value["sentences"] == 16
        assert {*value["marks"]} == {","}
        assert value["micro"]["f1"] == value["slot_accuracy"] == value["sentence_accuracy"] == 1.0
        assert "|marks:commas|" in value["signature"]
    compared = json.loads(cli("compare", *stored, "--json").out)
    measures = {"micro_precision", "micro_recall", "slot_accuracy", "sentence_accuracy"}
    assert measures < {*compared["measures"]}


@pytest.mark.exhaustive
def test_phrases_are_parsed_and_compared(
    cli: Cli, phrase_parser: Path, phrases: dict[str, Path], tmp_path: Path
):
    out = tmp_path / "parsed.mrg"
    result = cli("parse", phrase_parser, phrases["dev"], "-o", out)
    assert result.status == 0, result.err
    assert out.read_text("utf-8").count("(, ,)") == phrases["dev"].read_text("utf-8").count("(, ,)")
    value = json.loads(cli("parse", phrase_parser, out, "--gold", "--json").out)
    # Parsing its own output gives the same result.
    assert value["labelled"]["f1"] == value["tags"] == 1.0
    assert value["schema"] == "semipunct.parse-phrases-gold/1"


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
    damaged = tmp_path / "damaged.mrg"
    damaged.write_text("( (S (NP (NN dog)) )\n(S (VP (VB go)))\n", "utf-8")
    dev = phrases["dev"]
    for command, complaint in (
        (("restore", commas, words), "a.conllu: files of the format conllu have no phrases"),
        (("restore", commas, damaged), "damaged.mrg:1: sentence #1: 1 bracket is not closed"),
        (("restore", commas, dev, "--marks", ". ,"), "restores only commas, not ."),
        (("restore", commas, dev, "--samples", "5"), "does not draw"),
        (("restore", commas, dev, "--parser", commas), "but one of the kind phrase-parser"),
        (
            ("restore", commas, dev, "--parser", phrase_parser, "--trees", "3"),
            "does not support --trees",
        ),
        (("parse", phrase_parser, dev, "--nbest", "3"), "does not support --nbest"),
        (("parse", phrase_parser, "-", "--gold", "-o", "x.mrg"), "can be read only once"),
        (("parse", phrase_parser, damaged), "damaged.mrg:1: sentence #1"),
        (("evaluate", commas, words), "have no phrases"),
        (("decode", commas, dev), "cannot decode; name a model of the kind punctuation"),
        (
            ("train", words, "--dev", dev, "-o", tmp_path / "m", "--kind", "commas"),
            "have no phrases",
        ),
        (
            (
                "train", dev, "--dev", dev, "-o", tmp_path / "m", "--kind", "commas",
                "--set", 'model.templates=["verbs"]',
            ),
            "there is no group 'verbs'",
        ),
    ):  # fmt: skip
        result = cli(*command)
        assert result.status in (1, 2), command
        assert complaint in result.message, command
    assert not (tmp_path / "m").exists()


@pytest.mark.exhaustive
def test_a_parser_of_phrases_is_not_chosen_by_trees_without_words(cli: Cli, tmp_path: Path):
    bare = tmp_path / "bare.mrg"
    bare.write_text("( (S (, ,)) )\n", "utf-8")
    result = cli(
        "train", bare, "--dev", bare, "--kind", "phrase-parser", "-o", tmp_path / "parser",
        "--set", "train.visits=8",
    )  # fmt: skip
    assert result.status == 1
    assert "no phrases with words" in result.err
    assert "Traceback" not in result.err


def test_texts_get_commas_with_one_parser(commas: Path, phrase_parser: Path):
    model, parser = semipunct.load(commas), semipunct.load(phrase_parser)
    text = semipunct.restore_text(model, "the cat sat .\n...\n", parser=parser)
    assert text.replace(",", "").replace(" .", ".") == "the cat sat.\n...\n"
    with pytest.raises(UsageError, match="only one parser"):
        semipunct.restore_text(model, "the cat sat", parser=[parser, parser])
