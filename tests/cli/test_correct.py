"""``semipunct correct``: planted errors are corrected, the rest is kept, bad input reported."""

import json
import re
from pathlib import Path

import pytest

from semipunct.formats import read_treebank
from semipunct.formats.m2 import read_m2_records
from tests.commands import Cli

Paths = dict[str, Path]


@pytest.fixture(scope="module")
def found(corrector: Path, parallel_treebanks: Paths) -> list[dict]:
    """Corrected sentences as JSON."""
    from tests.commands import run

    result = run("correct", corrector, parallel_treebanks["test"], "--format", "json")
    assert result.status == 0, result.err
    return [json.loads(line) for line in result.out.splitlines()]


def test_a_planted_error_is_corrected(
    cli: Cli, corrector: Path, treebanks: Paths, parallel_treebanks: Paths, tmp_path: Path
):
    stored = tmp_path / "result.json"
    arguments = (corrector, parallel_treebanks["test"], "--gold", treebanks["test"])
    value = json.loads(cli("correct", *arguments, "--json", "--result", stored).out)
    assert value["errors"]["replaced ; by ,"]["recall"] > 0.9
    assert value["precision"] > 0.9
    assert value["f05"] > 0.9
    assert value["average_edit_distance"] < 0.02
    assert value["sentences"] == len(read_treebank([treebanks["test"]]))
    assert value["signature"].startswith("task:correction|model:")
    assert json.loads(stored.read_text("utf-8"))["task"] == "correction"
    table = cli("correct", *arguments).out
    assert "replaced ; by ," in table
    assert "F0.5 of edits" in table


def test_every_correction_has_its_place_and_its_reason(found: list[dict]):
    corrections = [(s, c) for s in found for c in s["corrections"]]
    assert len(corrections) > 5
    for sentence, one in corrections:
        start, end = one["start"], one["end"]
        assert sentence["input"][start:end] == " ".join(one["before"])
        assert one["error"] == "replaced ; by ,"
        assert 0.5 <= one["probability"] <= 1
        assert one["probability"] + one["probability_of_written"] <= 1 + 1e-9
        assert re.fullmatch(r"[A-Z“].*\.", one["reason"]), one["reason"]
        assert all(a["word"] <= len(sentence["words"]) for a in one["underlying"])
    assert any("This replaces the semicolon." in one["reason"] for _, one in corrections)
    assert any(one["underlying"] for _, one in corrections)
    for sentence in found:
        # Positions refer to the input: applying the corrections there yields the text.
        text = sentence["input"]
        for one in reversed(sentence["corrections"]):
            text = text[: one["start"]] + "".join(one["after"]) + text[one["end"] :]
        assert text == sentence["text"]


def test_nothing_but_punctuation_changes(
    cli: Cli, corrector: Path, treebanks: Paths, parallel_treebanks: Paths, found: list[dict]
):
    before = parallel_treebanks["test"].read_text("utf-8")
    after = cli("correct", corrector, parallel_treebanks["test"]).out
    assert after != before
    same = [(a, b) for a, b in zip(before.splitlines(), after.splitlines(), strict=True) if a != b]
    assert all(a.startswith("#") or a.split("\t")[3] == "PUNCT" for a, _ in same)
    corrected = sum(len(s["corrections"]) for s in found)
    assert sum("\tPUNCT\t" in a for a, _ in same) == corrected


def test_differences_m2_and_text(
    cli: Cli, corrector: Path, parallel_treebanks: Paths, found: list[dict], tmp_path: Path
):
    changed = [s for s in found if s["corrections"]]
    lines = cli("correct", corrector, parallel_treebanks["test"], "--format", "diff").out
    assert [line[1:] for line in lines.splitlines() if line[0] == "-"] == [
        s["input"] for s in changed
    ]
    assert [line[1:] for line in lines.splitlines() if line[0] == "+"] == [
        s["text"] for s in changed
    ]
    text = cli("correct", corrector, parallel_treebanks["test"], "--format", "text").out
    assert text.splitlines() == [s["text"] for s in found]
    m2 = tmp_path / "found.m2"
    cli("correct", corrector, parallel_treebanks["test"], "--format", "m2", "-o", m2)
    edits = [edit for record in read_m2_records(m2) for edit in record.edits]
    real = [edit for edit in edits if edit.kind != "noop"]
    assert len(real) == sum(len(s["corrections"]) for s in found)
    assert {edit.tokens for edit in real} == {(",",)}


def test_text_comes_back_byte_for_byte(cli: Cli, corrector: Path, parser: Path, tmp_path: Path):
    text = "\n  I  see\t; said he .\r\n\n. . .\nno marks at all\n see http://a.b/;x ;\n"
    path = tmp_path / "in.txt"
    path.write_bytes(text.encode())
    result = cli("correct", corrector, path, "--parser", parser, "--samples", 20)
    assert result.status == 0, result.err
    # Only marks and the blanks next to inserted or removed marks change.
    assert re.sub(r"[^\w\n\r/:]", "", result.out) == re.sub(r"[^\w\n\r/:]", "", text)
    assert "http://a.b/;x" in result.out
    assert result.out.startswith("\n  I  see")
    assert "\n. . .\n" in result.out
    assert "1 sentence left unchanged: nothing but punctuation" in result.err
    unchanged = cli("correct", corrector, path, "--parser", parser, "--only", "?")
    assert unchanged.out == text
    rows = [
        json.loads(line)
        for line in cli(
            "correct", corrector, path, "--parser", parser, "--format", "json"
        ).out.splitlines()
    ]
    for row in rows:
        if "omitted" not in row:
            at = row["offset"]
            assert text[at : at + len(row["input"])] == row["input"]
    twice = cli("correct", corrector, path, path, "--parser", parser, "--format", "json").out
    assert [json.loads(line).get("offset") for line in twice.splitlines()] == [
        row.get("offset") for row in (*rows, *rows)
    ]


def test_what_does_not_fit_is_said(
    cli: Cli, corrector: Path, model: Path, treebanks: Paths, parallel_treebanks: Paths,
    tmp_path: Path,
):  # fmt: skip
    test = parallel_treebanks["test"]
    assert "cannot correct; name a model of the kind" in cli("correct", model, test).message
    assert "of the kind correction" not in cli("correct", corrector, test).err
    for options, status, told in (
        (("--json",), 2, "--json needs --gold"),
        (("--tokeniser", corrector), 2, "give --parser as well"),
        (("--analyses", 2), 2, "--analyses needs --analysis"),
        (("--analysis", model), 2, "does not use an underlying tree"),
        (("--gold", treebanks["dev"]), 1, "has no counterpart|is "),
        (("--align", "trees"), 2, "--align needs --gold"),
        (("--errors", 3), 2, "--errors needs --gold"),
        (("--gold", test, "--format", "json"), 2, "--format has no effect"),
        (("--gold", test, "-o", "a", "--result", "a"), 2, "is named for two outputs"),
        (("--gold", test, "--result", test), 2, "is an input and would be overwritten"),
        (("--only", " "), 2, "the set of marks to correct is empty"),
        (("--gold", test, "--json", "-o", "-"), 2, "give --output the name of a file"),
    ):
        result = cli("correct", corrector, test, *options)
        assert result.status == status, result.err
        assert re.search(told, result.message), result.message
    result = cli("restore", corrector, test)
    assert result.status == 1
    assert "kind correction cannot restore; name a model of the kind punctuation" in result.message
    result = cli("evaluate", corrector, test)
    assert result.status == 1
    bare = tmp_path / "text.txt"
    bare.write_text("I see ;\n", "utf-8")
    assert cli("correct", corrector, bare).status == 1


def test_a_model_to_stay_near_is_loaded_before_sentences_are_analysed(
    cli: Cli, model: Path, treebanks: Paths, parallel_treebanks: Paths, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):  # fmt: skip
    def analysed(*_: object) -> None:
        pytest.fail("this takes minutes")

    monkeypatch.setattr("semipunct.pipelines.versions.with_underlying_trees", analysed)
    result = cli(
        "train", parallel_treebanks["dev"], "--corrected", treebanks["dev"], "--dev",
        parallel_treebanks["dev"], "--dev-corrected", treebanks["dev"], "-o", tmp_path / "m",
        "--kind", "correction", "--set", "preset=paper-correction", "--analysis", model, "--near",
        tmp_path / "nowhere",
    )  # fmt: skip
    assert result.status == 1, result.err
    assert "nowhere" in result.err.splitlines()[-1]


def test_training_needs_both_versions(
    cli: Cli, treebanks: Paths, parallel_treebanks: Paths, tmp_path: Path
):
    start = ("train", parallel_treebanks["train"], "--dev", parallel_treebanks["dev"], "-o",
             tmp_path / "m")  # fmt: skip
    for options, status, told in (
        (("--kind", "correction"), 2, "give the latter as --corrected and --dev-corrected"),
        (("--kind", "correction", "--corrected", treebanks["train"]), 2, "--dev-corrected is mis"),
        (("--analysis", tmp_path), 2, "--analysis needs --corrected"),
        (("--align", "words"), 2, "leave out --align"),
        (("--kind", "slot-tagger", "--align", "trees"), 2, "leave out --align"),
        (
            (
                "--kind", "tokeniser", "--corrected", treebanks["train"], "--dev-corrected",
                treebanks["dev"],
            ),
            2,
            "--corrected is not for --kind tokeniser",
        ),
        (
            (
                "--kind", "correction", "--corrected", treebanks["dev"], "--dev-corrected",
                treebanks["dev"],
            ),
            1,
            "no counterpart",
        ),
    ):  # fmt: skip
        result = cli(*start, *options)
        assert result.status == status, result.err
        assert told in result.message
