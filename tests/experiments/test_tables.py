"""Tables of systems, and that what the documentation prints is what is stored."""

import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from semipunct.evaluation.perplexity import PerplexityStatistics
from semipunct.evaluation.results import Result

ROOT = Path(__file__).resolve().parents[2]
RESULTS = sorted((ROOT / "experiments" / "results").glob("*"))


@pytest.fixture
def tables(driver) -> ModuleType:
    return driver("tables")


def result(system: str, seed: int, log_likelihood: float) -> Result[Any]:
    signature = f"task:perplexity|system:{system}|seed:{seed}|treebank:x"
    totals = np.array([log_likelihood, log_likelihood])
    return Result(system, signature, PerplexityStatistics(totals, np.array([2, 2])))


def test_systems_are_compared_over_the_seeds_of_both(tables: ModuleType):
    systems = {
        "ours": {0: result("ours", 0, -1.0), 1: result("ours", 1, -2.0)},
        "other": {1: result("other", 1, -2.0)},
        "third": {5: result("third", 5, -2.0)},
    }
    ours, other, third = tables.compared(systems, "ours", lambda r: {"slots": 4})
    assert ours["scores"] == pytest.approx([np.exp(0.5), np.exp(1.0)])
    assert ours["score"] == pytest.approx(np.mean(ours["scores"]))
    assert ours["signature"] == "task:perplexity|system:ours|treebank:x|seed:0+1"
    assert "p" not in ours
    assert (other["p"], other["seeds"], third["p"]) == (1.0, [1], None)
    assert tables.markdown([ours, other]).splitlines() == [
        "| system | seeds | score | slots | p |",
        "| --- | --- | --- | --- | --- |",
        "| ours | 0, 1 | 2.1835 | 4 |  |",
        "| other | 1 | 2.7183 | 4 | 1.000 |",
    ]
    assert [tables.cell("p of uas", p) for p in (0.0002, 0.25)] == ["< 0.001", "0.250"]


def test_figures_are_stored_beside_others_with_their_command(driver, tmp_path: Path, monkeypatch):
    figures = driver("benchmarks.figures")
    path = tmp_path / "results" / "table.json"
    for name, value in (("en", 1), ("zh", 2), ("en", 3)):
        monkeypatch.setattr("sys.argv", ["driver.py", name])
        figures.report(name, {"rows": [value]}, path)
    stored = json.loads(path.read_text("utf-8"))
    assert stored["en"].items() >= {"command": "driver.py en", "rows": [3]}.items()
    assert (stored["zh"]["rows"], [*stored["zh"]]) == ([2], ["command", "commit", "rows"])


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_every_figure_has_its_command_and_its_commit(path: Path):
    for figures in json.loads(path.read_text("utf-8")).values():
        for command in figures["command"].split("; "):
            assert (ROOT / command.split(" ")[0]).exists()
        assert re.fullmatch("[0-9a-f]{8}", figures["commit"])
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    assert any(path.name in page.read_text("utf-8") for page in pages)


def test_the_pages_have_every_table_once(driver):
    documentation = driver("documentation")
    text = "".join(path.read_text("utf-8") for path in (ROOT / "docs").rglob("*.md"))
    named = re.findall(r"(?m)^```\{results\} (\S+)$", text)
    assert sorted(named) == sorted(documentation.TABLES)
    for name in named:
        heads, rows = documentation.TABLES[name]()
        assert {len(row) for row in rows} == {len(heads)}


def test_the_table_of_competitors_is_what_is_stored(driver, tables: ModuleType):
    printed = driver("documentation").markdown("competitors").splitlines()[2:]
    runs = json.loads((RESULTS[0].parent / "competitors.json").read_text("utf-8")).values()
    scores = [
        [tables.cell("score", row["score"]) for row in rows]
        for run in runs
        for rows in zip(run["perplexity"], run["edits per slot"], strict=True)
    ]
    cells = [line.split(" | ") for line in printed]
    assert [[line[2], line[5]] for line in cells] == scores
