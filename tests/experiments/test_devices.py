"""A run on several devices, or in several processes, gives what a run on one device gives."""

from pathlib import Path
from typing import Any

import pytest


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["text", "punctuation", "parser"])
def test_devices_and_processes_change_rounding_only(kind: str, driver: Any, tmp_path: Path):
    module = driver("devices")
    figures = module.compared(kind, tmp_path, 24)
    for name in module.RUNS:
        assert figures[name]["steps"] >= 16  # batches of a parser are filled with words
        assert figures[name]["loss"] < 1e-5, name
        # Adam divides by the size of gradients: those that are rounding move a weight by a step.
        assert figures[name]["weight"] < 1e-2, name
    assert 0 < figures[module.KILLED]["steps before"] < 24
    assert figures[module.KILLED]["equal bit for bit"]
