"""Every structure agrees with the enumeration of its derivations in every check.

A new structure requires one line in `tests.structures.cases.CASES`. By default structures are
checked in single precision; `make test-all` also checks all of them in double precision
(`test_conformance_in_double_precision`).
"""

from __future__ import annotations

from typing import Any

import pytest

from semipunct.structures import Distribution
from semipunct.structures.testing import CHECKS, check
from semirings import Log, Real
from tests.structures.cases import CASES, Known
from tests.structures.known import DEVICES, RANGE

STRUCTURES = [case for case in CASES if not case.variant]
EVERY = {"log partition", "marginals", "best"}
"""Checks made by default also of further cases of a structure."""
MOST = EVERY | {"number of derivations", "averages", "samples", "padding", "impossible"}
"""Checks made by default of costly structures."""
ONE = {
    "slopes in forward mode", "slopes in reverse mode", "ranked goes on", "longer lists",
    "ties in lists", "samples in the reverse pass", "more averages", "infinite cross entropy",
    "memory budget", *RANGE,
}  # fmt: skip
"""Checks made by default of one structure: they are slow and hardly depend on the structure."""
FEW = {"NaN", "NaN in padding"}
"""Checks made by default of one structure, because they compile every question once more."""
DETAILED = STRUCTURES[:1]
"""The structures of which all other checks are made by default."""


def by_default(name: str, case: Known) -> bool:
    """Tell whether `make test` includes the check."""
    if (case.costly and name not in MOST) or (case.draws_slowly and name == "samples"):
        return False
    if name in DEVICES:  # test_devices makes these of one structure, with two devices.
        return False
    if name in FEW:
        return case is STRUCTURES[0]
    return case in (CASES if name in EVERY else CASES[:1] if name in ONE else DETAILED)


CROSSED = [
    pytest.param(
        name, case, id=f"{name}-{case.name}",
        marks=() if by_default(name, case) else pytest.mark.exhaustive,
    )
    for name in CHECKS
    for case in CASES
]  # fmt: skip


@pytest.mark.parametrize("name, case", CROSSED)
def test_conformance(name: str, case: Known):
    check(case, [name])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_enumerations_are_as_long_as_they_should(case: Known):
    for item, length in enumerate(case.lengths):
        if length < 9:  # Longer ones are sparse.
            assert len(case.events(item)[0]) == case.count(length)


@pytest.mark.parametrize("base", [Log(), Real()], ids=lambda base: base.name)
def test_a_best_needs_a_semiring_with_winners(base: Any):
    d = Distribution(CASES[0].build())
    for ask in (lambda: d.best(base), lambda: d.top(2, base)):
        with pytest.raises(TypeError, match=r"not selective.*viterbi"):
            ask()
