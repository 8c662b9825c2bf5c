"""Semirings over JAX arrays: one interface, many questions asked of one recursion."""

from semirings.base import Groups, Semiring, Value
from semirings.derivation import Derivation
from semirings.expectation import Expectation
from semirings.laws_declared import Laws
from semirings.log import Log
from semirings.real import Real
from semirings.sampling import Sampling
from semirings.viterbi import Viterbi

__all__ = [
    "Derivation",
    "Expectation",
    "Groups",
    "Laws",
    "Log",
    "Real",
    "Sampling",
    "Semiring",
    "Value",
    "Viterbi",
]
