"""The table of settings names what differs from the default, and gives means over seeds."""

import json

import pytest

from semipunct.training.config import load_config


@pytest.fixture
def tables(driver):
    return driver("tables")


def test_templates_are_said_by_what_differs(tables):
    default = list(load_config(None, []).model.templates)
    fewer = ",".join(t for t in default if t not in ("side", "history"))
    assert tables.say(f"model.templates={fewer}") == "templates without `side` `history`"
    other = ",".join("c" if t == "history" else t for t in default)
    assert tables.say(f"model.templates={other}") == "templates without `history` and with `c`"
    assert tables.say("train.xi=1.0") == "`train.xi=1.0`"


def test_a_cell_is_the_mean_over_seeds(tables, tmp_path, monkeypatch, capsys):
    settings = ["train.evaluate_every=9", "model.tied=true", "train.visits=7"]
    runs = [("none", 0, 1.5), ("r2l", 0, 1.2), ("r2l", 1, 1.4)]
    rows = [
        {"name": "zh", "channel": c, "seed": s, "set": settings, "perplexity": p}
        for c, s, p in runs
    ]
    path = tmp_path / "perplexity.json"
    path.write_text(json.dumps(rows))
    monkeypatch.setattr("sys.argv", ["tables.py", str(path)])
    tables.main()
    *_, line = capsys.readouterr().out.splitlines()
    assert line == (
        "| zh | `train.visits=7` | 1.5000 |  | 1.3000 (1.2000 to 1.4000, 2 seeds) "
        "| 1.1921 (none) / 1.1464 (l2r) |"
    )
