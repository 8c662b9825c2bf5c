"""Checks of the conformance suite detect faults of range, precision and compilation."""

from __future__ import annotations

import pytest

from semipunct.structures import LinearChain
from semipunct.structures.testing import check
from tests.structures.mutants import OF_RANGE
from tests.structures.test_testing import case_of


@pytest.mark.parametrize("kind", OF_RANGE, ids=lambda kind: kind.__name__)
def test_the_intended_check_finds_a_mutant(kind: type[LinearChain]):
    with pytest.raises(AssertionError, match=f"\n{OF_RANGE[kind]}: "):
        check(case_of(kind), [OF_RANGE[kind]])
    check(case_of(kind), ["log partition", "best", "impossible"])
