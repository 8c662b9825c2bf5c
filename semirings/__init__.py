"""Semirings over JAX arrays: one interface, so that one recursion computes many quantities.

Public are these names, ``semirings.laws`` (the conformance kit) and ``semirings.plugins``.
"""

from semirings.base import Groups, Laws, Semiring, Value
from semirings.boolean import Boolean
from semirings.capabilities import Divisible, Marking, Selective, Stochastic
from semirings.counting import Counting
from semirings.derivation import Derivation
from semirings.divergence import Divergence, Entropy
from semirings.expectation import Covariance, Expectation
from semirings.kbest import KBest
from semirings.log import Log, SignedLog
from semirings.product import Product
from semirings.provenance import Provenance
from semirings.real import Real
from semirings.risk import Risk
from semirings.sampling import Sampling
from semirings.tropical import Tropical
from semirings.viterbi import Viterbi

# Another distribution installs a package of this name (docs/decisions/architecture.md); semipunct
# recognises its own by this line.
__distribution__ = "semipunct"

__all__ = [
    "Boolean",
    "Counting",
    "Covariance",
    "Derivation",
    "Divergence",
    "Divisible",
    "Entropy",
    "Expectation",
    "Groups",
    "KBest",
    "Laws",
    "Log",
    "Marking",
    "Product",
    "Provenance",
    "Real",
    "Risk",
    "Sampling",
    "Selective",
    "Semiring",
    "SignedLog",
    "Stochastic",
    "Tropical",
    "Value",
    "Viterbi",
]
