"""Trees that cannot be read are left out, and every command says how many, where and why."""

import json
from pathlib import Path

import pytest

from tests.commands import Cli

TREES = "a header\n\n(S (NP (NN rain)) (VP (VBD fell)) (. .))\n(())\n(S (NP (PRP (Dia))) (Z (.)))\n"


@pytest.fixture
def trees(tmp_path: Path) -> Path:
    path = tmp_path / "some.mrg"
    path.write_text(TREES, "utf-8")
    return path


def outside(path: Path) -> str:
    return f"text outside of trees, first {path}:1: after 0 trees 'a' stands outside of brackets"


def malformed(path: Path) -> str:
    return f"a malformed tree, first {path}:4: sentence #2: the bracket ( has no word in it"


def test_stats(cli: Cli, trees: Path):
    result = cli("stats", trees)
    assert result.status == 0
    assert f"omitted: {outside(trees)}\nomitted: {malformed(trees)}; " in result.err
    found = json.loads(cli("stats", trees, "--json").out)
    assert (found["sentences_used"], found["words"]) == (1, 2)
    assert found["omitted"]["a malformed tree"] == 2
    assert found["first_faults"]["a malformed tree"].startswith(f"{trees}:4: ")


@pytest.mark.parametrize("command", ["decode", "restore"])
def test_commands_that_pass_sentences_on(cli: Cli, model: Path, trees: Path, command: str):
    form = {"decode": "brackets", "restore": "json"}[command]
    result = cli(command, model, trees, "--format", form)
    assert result.status == 0, result.err
    outcome = {"decode": "not analysed", "restore": "left unchanged"}[command]
    assert f"1 sentence {outcome}: {outside(trees)}\n" in result.err
    assert f"2 sentences {outcome}: {malformed(trees)}; " in result.err
    if command == "restore":
        rows = [json.loads(line) for line in result.out.splitlines()]
        assert [row.get("omitted") for row in rows] == [
            "text outside of trees", None, "a malformed tree", "a malformed tree",
        ]  # fmt: skip
