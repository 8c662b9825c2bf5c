"""Drivers are scripts: tests load them like Python, with their folder on the import path."""

import importlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

EXPERIMENTS = Path(__file__).resolve().parents[2] / "experiments"


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Import a driver by name."""
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    return importlib.import_module
