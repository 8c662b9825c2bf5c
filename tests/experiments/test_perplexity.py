"""The table of settings names differences from the default, and compares with it."""

from pathlib import Path

import pytest

from semipunct.training.config import load_config


@pytest.fixture
def perplexity(driver):
    return driver("perplexity")


def test_templates_are_said_by_what_differs(perplexity):
    default = list(load_config(None, []).model.templates)
    fewer = ",".join(t for t in default if t not in ("side", "history"))
    assert perplexity.say(f"model.templates={fewer}") == "templates without `side` `history`"
    other = ",".join("c" if t == "history" else t for t in default)
    assert perplexity.say(f"model.templates={other}") == "templates without `history` and with `c`"
    assert perplexity.say("train.xi=1.0") == "`train.xi=1.0`"


def test_the_table_of_the_documentation_is_what_is_stored(perplexity, monkeypatch, capsys):
    root = Path(__file__).resolve().parents[2]
    path = root / "experiments" / "results" / "perplexity.json"
    monkeypatch.setattr("sys.argv", ["perplexity.py", "--table", str(path)])
    perplexity.main()
    assert capsys.readouterr().out in (root / "docs" / "accuracy.md").read_text("utf-8")
