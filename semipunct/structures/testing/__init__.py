"""Conformance tests for structures, which compare them with an enumeration of all derivations.

A ``Case`` builds a small batch and lists all derivations of each item; ``check`` compares every
result of a ``Distribution`` with sums over that list. With pytest::

    @pytest.mark.parametrize("name", testing.CHECKS)
    def test_mine(name):
        testing.check(CASE, [name])
"""

from semipunct.structures.testing.case import Case, Event
from semipunct.structures.testing.checks import CHECKS, check

__all__ = ["CHECKS", "Case", "Event", "check"]
