import json
import math
import shutil
from pathlib import Path

import pytest

from semipunct.evaluation.comparison import aggregate, compare
from semipunct.evaluation.results import read_result, write_result
from tests.commands import Cli
from tests.evaluation.cases import GOLD, PARSED, PREDICTED, TREEBANK, parsed, restored, scored

RESULTS = {
    "a": scored([-1.0, -2.5, -0.5], [3, 5, 2]),
    "b": scored([-1.5, -2.0, -1.0], [3, 5, 2]),
    "zero": scored([-1.5, -math.inf, -1.0], [3, 5, 2]),
    "elsewhere": scored([-1.5, -2.0, -1.0], [3, 5, 2], treebank="t2"),
    "gold": restored(GOLD, GOLD),
    "restored": restored(GOLD, PREDICTED),
    "treebank": parsed(TREEBANK, TREEBANK),
    "parsed": parsed(TREEBANK, PARSED),
}


@pytest.fixture
def stored(tmp_path: Path) -> dict[str, Path]:
    """Return a stored result by name."""
    paths = {name: tmp_path / f"{name}.json" for name in RESULTS}
    for name, path in paths.items():
        write_result(path, RESULTS[name])
    return paths


@pytest.mark.parametrize(
    "names",
    [("a", "b"), ("zero", "b"), ("gold", "restored"), ("treebank", "parsed")],
    ids="-".join,
)
def test_json_is_what_the_library_says(cli: Cli, stored: dict[str, Path], names: tuple[str, str]):
    a, b = (stored[name] for name in names)
    result = cli("compare", a, b, "--json", "--resamples", 50, "--seed", 3)
    assert (result.status, result.err) == (0, "")
    expected = compare(read_result(a), read_result(b), resamples=50, seed=3).as_dict()
    named = {"schema": "semipunct.compare/1", "files": [str(a), str(b)]}
    assert json.loads(result.out) == {**named, **expected}


def test_folders_are_runs_counted_together(cli: Cli, stored: dict[str, Path], tmp_path: Path):
    sides = {"a": ("a", "b"), "b": ("b", "zero"), "fewer": ("a",), "none": ()}
    for side, names in sides.items():
        (tmp_path / side).mkdir()
        for name in names:
            shutil.copy(stored[name], tmp_path / side)
    a, b, fewer, none = (tmp_path / side for side in sides)
    result = cli("compare", a, b, "--json", "--resamples", 50)
    assert (result.status, result.err) == (0, "")
    together = [aggregate([RESULTS[name] for name in sides[side]]) for side in ("a", "b")]
    expected = compare(*together, resamples=50).as_dict()
    named = {"schema": "semipunct.compare/1", "files": [str(a), str(b)]}
    assert json.loads(result.out) == {**named, **expected}
    result = cli("compare", a, fewer)
    assert result.status != 0
    assert f"A = {a} has 2 runs, B = {fewer} has 1; give the same number of runs" in result.err
    result = cli("compare", a, none)
    assert result.status != 0
    assert f"{none}: a folder without results (.json or .json.gz); name another one" in result.err


def test_the_table_is_for_people(cli: Cli, stored: dict[str, Path]):
    result = cli("compare", stored["a"], stored["b"])
    assert result.status == 0
    heading, _, row = [line.split() for line in result.out.splitlines() if line.strip()][:3]
    assert heading == ["measure", "A", "B", "A", "-", "B", "95%", "interval", "p"]
    a, b = math.exp(4 / 10), math.exp(4.5 / 10)
    assert row[:3] == ["perplexity", "per", "slot"]
    assert row[3:6] == [f"{a:.4f}", f"{b:.4f}", f"{a - b:.4f}"]
    assert row[-1] == "1.0000"
    assert RESULTS["a"].signature in result.out
    assert "permutation test and bootstrap over 3 sentences, 10,000 resamples" in result.err


def test_results_over_different_treebanks(cli: Cli, stored: dict[str, Path]):
    result = cli("compare", stored["a"], stored["elsewhere"])
    assert result.status == 1
    assert str(stored["elsewhere"]) in result.message
    assert "the treebank of their signatures is t1 for A and t2 for B" in result.message
