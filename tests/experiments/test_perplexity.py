"""The table of settings names differences from the default, and compares with it."""

import json
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


@pytest.fixture
def table(perplexity, tmp_path, monkeypatch, capsys):
    """Return the lines printed for some runs, without the header."""

    def print_for(runs):
        rows = [
            {"channel": c, "seed": s, "perplexity": p, "set": settings}
            for c, s, p, *settings in runs
        ]
        path = tmp_path / "perplexity.json"
        path.write_text(json.dumps({"zh": {"rows": rows}}))
        monkeypatch.setattr("sys.argv", ["perplexity.py", "--table", str(path)])
        perplexity.main()
        return capsys.readouterr().out.splitlines()[2:]

    return print_for


def test_seeds_are_one_row_and_are_compared_with_the_default(table):
    length = "train.visits=7"
    runs = [
        ("none", 0, 1.5, "train.evaluate_every=9", "model.tied=true", length),
        ("none", 2, 9.5, length),
        ("r2l", 0, 1.2, length),
        ("r2l", 1, 1.4, length),
        ("l2r", 1, 1.3),
    ]
    # Runs of another length are not compared; seeds missing on one side are ignored.
    assert table(runs) == [
        "| zh | `model.channel=l2r` | 1 | 1.3000 |  |",
        "| zh | `train.visits=7` | 2 | 1.3000 (1.2000 to 1.4000) |  |",
        "| zh | `train.visits=7`, `model.channel=none` | 2 | 5.5000 (1.5000 to 9.5000) | +0.3000 |",
    ]


def test_what_is_infinite_is_said(table):
    assert table([("r2l", 0, 1.2), ("l2r", 0, None)]) == [
        "| zh | default | 1 | 1.2000 |  |",
        "| zh | `model.channel=l2r` | 1 | infinite |  |",
    ]
