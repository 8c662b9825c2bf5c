import json
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import jax
import pytest

from semirings import Laws, Viterbi, laws, plugins
from semirings.plugins import Plugin
from tests.commands import Cli


@dataclass(frozen=True)
class Lopsided(Viterbi):
    """Keeps the left summand, and declares no law."""

    laws: ClassVar[Laws] = Laws(broken={"matmul": "nobody multiplies matrices"})

    def plus(self, a: jax.Array, b: jax.Array) -> jax.Array:
        return a


@pytest.fixture
def lopsided(monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed but incorrect plugin, of which only a few laws are checked."""
    found = plugins.available()
    wrong = Plugin("lopsided", "elsewhere", "1.0", Lopsided())
    monkeypatch.setattr(plugins, "available", lambda: {**found, "lopsided": wrong})
    few = partial(laws.check, only=["plus commutative", "plus associative", "matmul"])
    monkeypatch.setattr(laws, "check", few)


def test_one_that_fails_to_load_is_named_and_harms_no_other(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
):
    good = plugins.available()
    bad = Plugin("broken", "elsewhere", "1.0", None, "ImportError: no module named nothing")
    monkeypatch.setattr(plugins, "available", lambda: {**good, "broken": bad})
    result = cli("semirings", "list")
    assert result.status == 0
    assert "viterbi" in result.out
    assert "broken" in result.out
    assert "broken (elsewhere 1.0) cannot be loaded: ImportError" in result.err
    entries = json.loads(cli("semirings", "list", "--json").out)["semirings"]
    assert {e["name"]: e["fault"] for e in entries}["broken"].startswith("ImportError")
    refused = cli("decode", "no-model", "no-file", "--semiring", "broken")
    assert refused.status == 1
    assert "cannot be loaded" in refused.message


@pytest.mark.usefixtures("lopsided")
def test_a_wrong_one_is_shown_with_a_counterexample(cli: Cli):
    result = cli("semirings", "check", "lopsided", "--draws", 50)
    assert result.status == 1
    lines = [line.split() for line in result.out.splitlines()]
    assert ["plus", "commutative", "fails"] in lines
    assert ["plus", "associative", "holds"] in lines
    assert ["matmul", "not", "claimed:", "nobody", "multiplies", "matrices"] in lines
    shown = result.out[result.out.index("plus commutative: a + b = b + a") :].splitlines()
    assert [line.split("=")[0].strip() for line in shown[1:5]] == ["a", "b", "left", "right"]
    assert "Traceback" not in result.err


@pytest.mark.usefixtures("lopsided")
def test_json_has_the_same_counterexample_for_the_same_seed(cli: Cli):
    command = ("semirings", "check", "lopsided", "--draws", 50, "--json", "--seed")
    first, again, other = (cli(*command, seed) for seed in (1, 1, 2))
    assert first.status == 1
    assert first.out == again.out != other.out
    report = json.loads(first.out)
    assert next(iter(report.items())) == ("schema", "semipunct.semirings-check/1")
    assert (report["name"], report["version"], report["ok"]) == ("lopsided", "1.0", False)
    assert report["not_claimed"]["matmul"] == "nobody multiplies matrices"
    failure = next(f for f in report["failures"] if f["law"] == "plus commutative")
    assert failure["counterexample"] == {
        "a": failure["left"]["left"],
        "b": failure["right"]["right"],
    }
    assert failure["exception"] is None


def test_an_unknown_one_gets_the_nearest_name(cli: Cli):
    result = cli("semirings", "check", "viterby")
    assert result.status == 2
    assert "there is no semiring 'viterby'; did you mean 'viterbi'?" in result.message
