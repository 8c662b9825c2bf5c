"""Commands on installed models."""

import json
from pathlib import Path

from tests.commands import Cli


def test_commands(cli: Cli, models_of_xx: Path):
    listed = cli("models", "list", "--json")
    (row,) = json.loads(listed.out)["models"]
    assert (row["name"], row["kind"]) == ("xx/text", "text")
    assert row["bytes"] == sum(p.stat().st_size for p in (models_of_xx / "text").iterdir())
    assert "xx/text" in cli("models", "list").out
    assert cli("models", "where", "xx").out == f"{models_of_xx / 'text'}\n"
    assert cli("models", "show", "xx").out == (models_of_xx / "text/README.md").read_text("utf-8")
    Path("a.txt").write_text("so ba but do\n", "utf-8")
    assert cli("restore", "xx", "a.txt").out == "So ba, but do.\n"
    wrong = cli("models", "where", "zz")
    assert (wrong.status, wrong.out) == (1, "")
    assert "no installed model of that name (xx/text)" in wrong.err
