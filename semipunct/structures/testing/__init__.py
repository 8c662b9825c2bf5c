"""The conformance suite of structures, which compares them with an enumeration of derivations.

A ``Case`` is a small batch of a structure with an independently computed list of all derivations of
each item. ``check`` gives the batch random log weights and compares all results of a
``Distribution`` with sums over that list. It needs no test framework; with pytest it takes three
lines::

    @pytest.mark.parametrize("name", testing.CHECKS)
    def test_mine(name):
        testing.check(CASE, [name])

It runs in double precision if JAX has that enabled.
"""

from semipunct.structures.testing.case import Case, Event
from semipunct.structures.testing.checks import CHECKS, check

__all__ = ["CHECKS", "Case", "Event", "check"]
