"""Which parameters of a test `make test` includes; `make test-all` has them all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def thorough(value: Any, *values: Any) -> Any:
    """Return the values of a test that only `make test-all` runs."""
    return pytest.param(value, *values, marks=pytest.mark.exhaustive)


def selected(values: Iterable[Any], includes: Callable[[Any], bool]) -> list[Any]:
    """Return all values; `make test` runs those that ``includes`` is true of."""
    return [value if includes(value) else thorough(value) for value in values]
