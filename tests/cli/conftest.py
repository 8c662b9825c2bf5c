"""Commands that load the one tiny model share it, and what was compiled for it."""

import pytest

from tests.commands import Cli, run


@pytest.fixture(scope="module", autouse=True)
def _compiled_once(loaded_once: None) -> None:
    """Compile for the one tiny model once."""


@pytest.fixture
def cli() -> Cli:
    """The command line."""
    return run
