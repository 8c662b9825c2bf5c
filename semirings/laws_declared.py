"""What a semiring declares about itself: the laws it keeps and those it breaks."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Laws:
    """Declared properties of a semiring.

    Attributes:
        commutative: ``a * b == b * a``.
        idempotent: ``a + a == a``.
        selective: ``a + b`` is always one of ``a`` and ``b`` (the path property), so that a best
            derivation exists.
        star: has ``star``, the sum of all powers of a value.
        in_distribution: equations hold between distributions of what is drawn, not draw by draw.
        broken: laws that do not hold exactly, each with the reason.
    """

    commutative: bool = True
    idempotent: bool = False
    selective: bool = False
    star: bool = False
    in_distribution: bool = False
    broken: dict[str, str] = field(default_factory=dict[str, str], hash=False)

    @property
    def matmul_keeps_all(self) -> bool:
        """Whether ``matmul`` loses no weights but those that ``times`` and ``sum`` lose, too."""
        return "matmul of extreme weights" not in self.broken or "extreme weights" in self.broken
