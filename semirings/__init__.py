"""Semirings over JAX arrays: one interface, so that one recursion computes many quantities.

The names below, those of ``semirings.laws`` (the conformance kit) and of ``semirings.plugins``
(semirings by name) are the public interface. All other modules are private by convention, and their
contents may change in any release.

Another distribution installs a package of this name: see docs/decisions/architecture.md.
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

# By this line semipunct knows that another distribution has not overwritten the package.
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
