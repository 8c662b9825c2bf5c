"""The driver for accelerators: what is left out, and that figures are written as they come."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def module(driver: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "experiments" / "benchmarks"))
    return driver("accelerators")


def test_rows_that_would_take_too_long_or_too_much_are_left_out(
    module: Any, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module.time, "monotonic", lambda: 100.0)
    monkeypatch.setattr(module, "memory", lambda: (1000, 2000))
    before = {"first_seconds": 4.0, "milliseconds": 1000.0}
    # Compiled in four seconds, and three passes of two seconds each: ten.
    assert module.refuse(before, 64, [32, 64], 110.0) == ""
    assert module.refuse(before, 64, [32, 64], 109.0) == "time"
    assert module.refuse(before, 96, [32, 96], 200.0) == ""
    assert module.refuse(before, 128, [32, 128], 200.0) == "memory"


@pytest.mark.exhaustive
def test_structures_on_the_cpu(module: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    output = tmp_path / "figures.json"
    words = ["--parts", "structures", "--batches", "2", "4", "--seconds", "0.01"]
    words += ["--device", "cpu", "--minutes", "2", "--output", str(output)]
    monkeypatch.setattr(sys, "argv", ["accelerators.py", *words])
    module.main()
    figures = json.loads(output.read_text("utf-8"))
    assert figures["devices"] == {"cpu": "cpu"}
    assert "no accelerator" in figures["note"]
    rows = [(row["what"], row["batch"]) for row in figures["rows"]]
    assert rows == [("chain", 2), ("chain", 4), ("trees", 2), ("trees", 4)]
    assert all(row["milliseconds"] > 0 and row["passes"] >= 2 for row in figures["rows"])
