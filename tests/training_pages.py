"""Pages whose examples train: ``make docs`` executes them, and compares what they print."""

from pathlib import Path

import pytest

from tests.examples import PAGES, execute, trains


@pytest.mark.parametrize("page", [page for page in PAGES if trains(page)])
def test_examples_print_what_is_shown(page: str, tmp_path: Path, loaded_once: None):
    """A page's examples print the output below them."""
    execute(page, tmp_path)
