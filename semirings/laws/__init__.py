"""The conformance kit: laws as executable equations, and the check of a semiring against them.

``check(Mine())`` draws random values and tests every law that the semiring claims. An exception
counts as a failure; no law is skipped. It needs no test framework::

    def test_laws():
        check(Mine()).raise_if_failed()
"""

from semirings.laws.catalogue import LAWS
from semirings.laws.conformance import check
from semirings.laws.law import Law
from semirings.laws.report import Failure, Report, format_values

__all__ = ["LAWS", "Failure", "Law", "Report", "check", "format_values"]
