"""A new task requires only a function, a metric and a command: `docs/examples/questions`.

It is registered with the two lines in the fixture. Errors, help, stored results and ``semipunct
compare`` then work.
"""

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from semipunct.cli.app import app
from semipunct.evaluation.registry import METRICS
from semipunct.evaluation.results import read_result
from tests.cli.conftest import Cli

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "questions"
TEXT = (
    "1\tWho\twho\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\tcame\tcome\tVERB\t_\t_\t0\troot\t_\t_\n"
    "3\t?\t?\tPUNCT\t_\t_\t2\tpunct\t_\t_\n\n"
    "1\tShe\tshe\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\tcame\tcome\tVERB\t_\t_\t0\troot\t_\t_\n"
    "3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_\n\n"
    "1\tReally\treally\tADV\t_\t_\t0\troot\t_\t_\n2\t?\t?\tPUNCT\t_\t_\t1\tpunct\t_\t_\n\n"
)


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(EXAMPLE.parent))
    commands = list(app.registered_commands)
    monkeypatch.setitem(METRICS, "questions", import_module("questions.metric").QuestionStatistics)
    app.command()(import_module("questions.command").questions)
    yield
    app.registered_commands[:] = commands


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    path = tmp_path / "three.conllu"
    path.write_text(TEXT, "utf-8")
    return path


def test_the_command_runs_and_stores(cli: Cli, treebank: Path, tmp_path: Path):
    done = cli("questions", treebank, "--result", tmp_path / "r.json")
    assert (done.status, done.err) == (0, "")
    assert json.loads(done.out) == {"sentences": 3, "questions": 2, "accuracy": 2 / 3}
    stored = read_result(tmp_path / "r.json")
    assert isinstance(stored.statistics, METRICS["questions"])
    assert stored.statistics.column("right").tolist() == [1, 1, 0]
    assert repr(stored) == "<Result of rule: accuracy 0.6667>"
