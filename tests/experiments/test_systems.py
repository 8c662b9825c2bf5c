"""The table and the plot of all systems contain the stored results."""

import math
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from semipunct.evaluation.perplexity import PerplexityStatistics
from semipunct.evaluation.restoration import restoration_statistics
from semipunct.evaluation.results import Result, join_signature, write_result

GOLD = [[("«",), (",",), (".",)]] * 4
"""Four sentences of two words."""


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """English results of two systems, one with two seeds."""
    folder = tmp_path / "results"
    folder.mkdir()
    nothing, no_comma = [[(), (), ()]] * 4, [[("«",), (), (".",)]] * 4
    for system, seed, bits, restored in [
        ("trivial", 0, 2, nothing), ("r2l", 0, 1, GOLD), ("r2l", 1, 0, no_comma),
    ]:  # fmt: skip
        name = f"en-{system}-{seed}"
        scores = PerplexityStatistics(np.full(4, -3 * bits * math.log(2)), np.full(4, 3))
        stored = {"perplexity": scores, "restoration": restoration_statistics(GOLD, restored)}
        for task, statistics in stored.items():
            line = join_signature({"task": task, "system": system, "treebank": "t"})
            write_result(folder / f"{name}.{task}.json.gz", Result(name, line, statistics))
    return folder


@pytest.fixture
def run(driver, results: Path, monkeypatch: pytest.MonkeyPatch):
    """Run the driver with some options."""

    def command(*options: object) -> None:
        arguments = ["systems.py", "--results", results, *options]
        monkeypatch.setattr("sys.argv", [str(a) for a in arguments])
        driver("systems").main()

    return command


def test_rows_are_means_over_seeds_beside_the_papers(run, capsys: pytest.CaptureFixture[str]):
    run()
    rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines()[2:]]
    (*trivial, _), ours = rows
    # Four pairs of sentences can be swapped in 16 ways, two of which are as extreme.
    assert trivial == [
        "| en", "trivial", "1", "4.0000", "", "0.125", "1.0000", "0.1",
    ]  # fmt: skip
    assert ours == ["| en", "r2l", "2", "1.5000", "1.4276", "", "0.1667", "0.079", " |"]


def test_bars_are_drawn_once_for_each_system(run, tmp_path: Path):
    first, second = tmp_path / "first.svg", tmp_path / "second.svg"
    run("--plot", first)
    run("--plot", second)
    assert first.read_bytes() == second.read_bytes()
    words = [text for text in ElementTree.parse(first).getroot().itertext() if text.strip()]
    assert words.count("trivial") == words.count("r2l") == 2  # once for each measure
    assert {"en: perplexity per slot", "en: edits per slot", "paper, test"} <= set(words)


def test_bars_are_the_means(driver, results: Path):
    from matplotlib.figure import Figure

    systems = driver("systems")
    figure = Figure()
    systems.draw(figure, systems.read(results))
    heights = [[bar.get_height() for bar in panel.patches] for panel in figure.axes]
    assert heights == [
        pytest.approx([4, 1.5, 0, 1.4276]),  # the model, then the paper
        pytest.approx([1, 1 / 6, 0.1, 0.079]),
    ]
