"""Every structure agrees with the enumeration of its derivations in double precision, too.

A module of its own, since the workers of a test run divide modules.
"""

import jax
import pytest

from semipunct.structures.testing import CHECKS, check
from tests.structures.cases import CASES, Known

FAST = {"log partition", "marginals", "best", "averages", "samples"}
"""Checks made by default of one structure."""

CROSSED = [
    pytest.param(
        name, case, id=f"{name}-{case.name}",
        marks=() if name in FAST and case == CASES[0] else pytest.mark.exhaustive,
    )
    for name in CHECKS
    for case in CASES
    # The effect of a memory budget is known for sums in single precision.
    if name != "memory budget"
]  # fmt: skip


@pytest.mark.parametrize("name, case", CROSSED)
def test_conformance_in_double_precision(name: str, case: Known):
    with jax.enable_x64(True):
        check(case, [name])
