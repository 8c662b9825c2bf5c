"""All laws, in the order in which a report lists them."""

from __future__ import annotations

from semirings.laws.arrays import ARRAYS
from semirings.laws.axioms import AXIOMS
from semirings.laws.choices import CHOICES
from semirings.laws.declarations import DECLARATIONS
from semirings.laws.derivatives import DERIVATIVES
from semirings.laws.distribution import DISTRIBUTION
from semirings.laws.law import Law
from semirings.laws.nan import NAN
from semirings.laws.pairs import PAIRS
from semirings.laws.scale import SCALE
from semirings.laws.transformations import TRANSFORMATIONS
from semirings.laws.weights import WEIGHTS

LAWS: tuple[Law, ...] = (
    *AXIOMS,
    *WEIGHTS,
    *CHOICES,
    *ARRAYS,
    *NAN,
    *SCALE,
    *TRANSFORMATIONS,
    *DERIVATIVES,
    *PAIRS,
    *DISTRIBUTION,
)
"""Every law that ``Laws.broken`` may name."""

EVERY: tuple[Law, ...] = (*DECLARATIONS, *LAWS)
"""These laws and those that cannot be waived."""

__all__ = ["EVERY", "LAWS", "known_laws"]


def known_laws() -> str:
    """List the laws that ``Laws.broken`` may name, for a message."""
    return f"the laws are: {', '.join(law.name for law in LAWS)}"
