import json

import pytest

from semirings import plugins
from semirings.plugins import Plugin
from tests.cli.conftest import Cli


def test_json_names_ours_with_what_they_declare(cli: Cli):
    result = cli("semirings", "list", "--json")
    assert (result.status, result.err) == (0, "")
    found = {entry["name"]: entry for entry in json.loads(result.out)["semirings"]}
    ours = {"real", "log", "viterbi", "derivation", "sampling", "expectation"}
    assert ours <= found.keys()
    assert found["viterbi"]["properties"]["selective"] is True
    assert found["real"]["properties"]["selective"] is False
    assert found["real"]["distribution"] == "semipunct"
    assert all(found[name]["loaded"] for name in ours)


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
