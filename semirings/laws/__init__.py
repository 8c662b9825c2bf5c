"""The conformance kit: laws as executable equations, checked on random values.

An exception is a failure; no law is skipped. It needs no test framework::

    def test_laws():
        check(Mine()).raise_if_failed()
"""

from semirings.laws.conformance import LAWS, Failure, Report, check, format_values
from semirings.laws.law import Law

__all__ = ["LAWS", "Failure", "Law", "Report", "check", "format_values"]
