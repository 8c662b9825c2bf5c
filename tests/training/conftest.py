"""Equal runs in one process compile once."""

import pytest


@pytest.fixture(scope="session", autouse=True)
def _compiled_once(trained_alike: None) -> None:
    """Share what is compiled between equal models."""
