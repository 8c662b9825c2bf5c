"""The table of settings names differences from the default, and compares with it."""

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


def test_the_table_compares_with_the_default(perplexity, capsys):
    visits, other = ["train.visits=8"], ["train.visits=8", "train.l2=0.004"]
    rows = [
        {"channel": "r2l", "seed": seed, "set": chosen, "perplexity": value}
        for seed, chosen, value in ((0, visits, 1.5), (1, visits, 1.75), (1, other, 2.0))
    ]
    perplexity.print_table({"en": {"rows": rows}})
    assert capsys.readouterr().out.splitlines()[2:] == [
        "| en | `train.visits=8` | 2 | 1.6250 (1.5000 to 1.7500) |  |",
        "| en | `train.visits=8`, `train.l2=0.004` | 1 | 2.0000 | +0.2500 |",
    ]
