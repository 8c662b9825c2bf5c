"""The conformance suite of structures: every question, against an enumeration of derivations.

A ``Case`` is a small batch of a structure with the list of all derivations of each item, found
without it. ``check`` gives the batch random log weights and compares all that a ``Distribution``
answers with sums over that list. It needs no test framework; with pytest it is three lines::

    @pytest.mark.parametrize("name", testing.CHECKS)
    def test_mine(name):
        testing.check(CASE, [name])

In double precision it asks the same where jax has that enabled.
"""

from semipunct.structures.testing.case import Case
from semipunct.structures.testing.conformance import CHECKS, check
from semipunct.structures.testing.enumeration import Event

__all__ = ["CHECKS", "Case", "Event", "check"]
