"""Fixtures that share the tiny model and its compiled functions between commands."""

import pytest

from tests.commands import Cli, run


@pytest.fixture(scope="module", autouse=True)
def _compiled_once(loaded_once: None) -> None:
    """Compile the functions of the tiny model once."""


@pytest.fixture
def cli() -> Cli:
    """Return the function that runs a command line."""
    return run
