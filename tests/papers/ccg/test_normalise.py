"""``semipunct normalise``: conversion of phrases to derivations, commas, messages, and errors."""

import json
from pathlib import Path

import pytest

from semipunct.papers.ccg.ccgbank import read_derivations
from tests.commands import Cli

PHRASES = (
    "( (S (PP-TMP (IN In) (NP (NNP May))) (, ,) (NP-SBJ (PRP it)) (VP (VBD rained)) (. .)))\n"
    "( (S (S (NP-SBJ-1 (NNP Ada)) (VP (VBZ sings))) (CC and) (S (NP-SBJ=1 (NNP Bea)))))\n"
)


@pytest.fixture
def phrases(tmp_path: Path) -> Path:
    path = tmp_path / "may.mrg"
    path.write_text(PHRASES, encoding="utf-8")
    return path


def test_conversion_and_commas(cli: Cli, phrases: Path, tmp_path: Path):
    out = tmp_path / "may.auto"
    result = cli("normalise", phrases, "--to", "ccg", "-o", out, "--format", "json")
    assert result.status == 0
    assert "converted 1 of 2 trees (50.0%)" in result.err
    assert f"left out 1 tree: gapping (1, first {phrases}:2)" in result.err
    assert json.loads(result.out)["conversion"]["reasons"] == {"gapping": 1}
    (before,) = read_derivations(out)
    assert before.sentence_id == "may.1"
    again = cli("normalise", out, "--commas", "ccg", "--rule", "paper")
    assert "from the left: 1 before, 0 after; from the right: 0 and 1" in again.err
    moved = tmp_path / "moved.auto"
    moved.write_text(again.out, encoding="utf-8")
    (after,) = read_derivations(moved)
    assert after.leaves == before.leaves
    assert after.derivation.categories[2] == "S/S"
    at_once = cli("normalise", phrases, "--to", "ccg", "--commas", "ccg", "--rule", "paper")
    assert at_once.out == again.out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "there is nothing to do"),
        (("--commas", "ccg", "--quotes"), "--quotes needs --to"),
        (("--commas", "ccg"), "give files of derivations"),
        (("--to", "ccg", "--rule", "paper"), "--rule needs --commas"),
        (("--to", "ccg", "--format", "json"), "cannot both go to standard output"),
        (("--to", "ccg", "--format", "html", "-o", "a"), "--format html is for treebanks"),
    ],
)
def test_wrong_usage(cli: Cli, phrases: Path, arguments: tuple[str, ...], complaint: str):
    result = cli("normalise", phrases, *arguments)
    assert result.status == 2
    assert complaint in " ".join(result.err.split())
