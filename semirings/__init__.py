"""Semirings over JAX arrays: one interface, many questions asked of one recursion."""

from semirings.base import Groups, Semiring, Value
from semirings.boolean import Boolean
from semirings.counting import Counting
from semirings.derivation import Derivation
from semirings.divergence import Divergence, Entropy
from semirings.expectation import Covariance, Expectation
from semirings.kbest import KBest
from semirings.laws_declared import Laws
from semirings.log import Log, SignedLog
from semirings.product import Product
from semirings.provenance import Provenance
from semirings.real import Real
from semirings.risk import Risk
from semirings.sampling import Sampling
from semirings.strings import Strings
from semirings.tropical import Tropical
from semirings.viterbi import Viterbi

__all__ = [
    "Boolean",
    "Counting",
    "Covariance",
    "Derivation",
    "Divergence",
    "Entropy",
    "Expectation",
    "Groups",
    "KBest",
    "Laws",
    "Log",
    "Product",
    "Provenance",
    "Real",
    "Risk",
    "Sampling",
    "Semiring",
    "SignedLog",
    "Strings",
    "Tropical",
    "Value",
    "Viterbi",
]
