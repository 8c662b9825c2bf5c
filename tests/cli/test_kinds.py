"""Another kind of model on the command line."""

import json
from pathlib import Path

import pytest

from semipunct.models.kind import Kind
from tests.commands import Cli, sample_lines


def test_a_parser_is_evaluated_as_parse_does(cli: Cli, parser: Path, tmp_path: Path):
    few = tmp_path / "few.conllu"
    few.write_text("".join(b for b in sample_lines()[:40] if b.count("\n") < 9), "utf-8")
    value = json.loads(cli("evaluate", parser, few, "--json").out)
    assert value["schema"] == "semipunct.parse-gold/1"
    assert value == json.loads(cli("parse", parser, few, "--gold", "--json").out)
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
