"""The driver that counts the errors of learners, on two sentences."""

import json
from pathlib import Path

import pytest

from semipunct.corpus.learners import LearnerErrors

JFLEG = {
    "dev.src": "Well I know\nBut he came late .\n",
    "dev.ref0": "Well , I know .\nBut he came , late .\n",
    "dev.ref1": "Well I know .\nBut he came late .\n",
    "dev.ref2": "Well , I knew .\nBut he came late .\n",
    "dev.ref3": "Oh I know .\nBut he came late .\n",
}


@pytest.fixture
def run(driver, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Run a driver and return its output."""

    def command(name: str, *options: object) -> str:
        monkeypatch.setattr("sys.argv", [name, *map(str, options)])
        driver(name).main()
        return capsys.readouterr().out

    return command


@pytest.fixture
def jfleg(tmp_path: Path) -> Path:
    for name, text in JFLEG.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def test_errors_are_counted(run, jfleg: Path):
    table = jfleg / "table.json"
    printed = run("learner_errors", "count", jfleg, "--output", table).splitlines()
    # Of 4 x 4 and 4 x 5 slots, two next to "Oh" and two next to "knew" are not annotated.
    assert printed[0].startswith("2 sentences, 4 references: 6 errors in 32 slots")
    assert sorted(printed[1:3]) == ["     3  missing ,", "     3  missing ."]
    written = json.loads(table.read_text("utf-8"))
    errors = LearnerErrors.from_dict(written["counts"])
    assert sum(errors.occurrences.values()) == written["slots"] == 32
    assert sum(e.times for row in errors.errors.values() for e in row.values()) == written["errors"]
