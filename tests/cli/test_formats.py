"""Commands do not depend on formats: a registered format works with all of them."""

import json
from pathlib import Path

import pytest

from semipunct.formats import FORMATS
from tests.commands import Cli
from tests.formats.toy import Lines

TEXT = "“ Go , ” he said .\n. . .\nYes , he said so !\n"
FEW = ("--samples", 20)


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A file in the test format, which is registered."""
    monkeypatch.setitem(FORMATS, Lines.name, Lines())
    path = tmp_path / "some.lines"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_stats(cli: Cli, lines: Path):
    value = json.loads(cli("stats", lines, "--json").out)
    assert (value["sentences_used"], value["words"], value["punctuation"]) == (2, 7, 9)
    assert value["token_counts"] == {",": 2, "!": 1, ".": 1, "“": 1, "”": 1}


def test_restore(cli: Cli, model: Path, lines: Path, tmp_path: Path):
    out = tmp_path / "out.lines"
    result = cli("restore", model, lines, "-o", out, *FEW)
    assert result.status == 0, result.err
    restored = out.read_text("utf-8").splitlines()
    words = [[p for p in line.split() if any(map(str.isalnum, p))] for line in restored]
    assert words == [["Go", "he", "said"], [], ["Yes", "he", "said", "so"]]
    assert restored[1] == ". . ."
    texts = cli("restore", model, lines, "--format", "text", *FEW).out.splitlines()
    assert texts == [restored[0], "", restored[2]]
    # Only the words of the input matter: restored text is restored to the same text.
    assert cli("restore", model, out, *FEW).out == out.read_text("utf-8")
    kept = cli("restore", model, lines, "--keep", "keep", *FEW).out.splitlines()
    assert kept[0].startswith("“ Go , ” he")
