"""The conformance kit: laws as executable equations, and the check of a semiring against them.

``check(Mine())`` draws random values and tests every law that the semiring claims. An exception
counts as a failure; no law is skipped. It needs no test framework::

    def test_laws():
        check(Mine()).raise_if_failed()
"""

from semirings.laws.conformance import LAWS, Failure, Report, check, format_values
from semirings.laws.law import Law

__all__ = ["LAWS", "Failure", "Law", "Report", "check", "format_values"]
