"""The result of a check: the laws that hold, those not claimed, and counterexamples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import jax
import numpy as np

from semirings.base import Value


@dataclass(frozen=True)
class Failure:
    """A law that does not hold, with the first draw that violates it.

    Attributes:
        law: its name.
        statement: the equation.
        counterexample: the drawn operands by name, as NumPy arrays.
        left, right: both sides, as returned by ``Semiring.observe``.
        exception: the exception raised instead, or None.
    """

    law: str
    statement: str
    counterexample: Mapping[str, Value] = field(default_factory=dict[str, Value])
    left: Any = None
    right: Any = None
    exception: Exception | None = None

    def __str__(self) -> str:
        lines = [f"{self.law}: {self.statement}"]
        if self.exception is not None:
            lines.append(f"  raised {type(self.exception).__name__}: {self.exception}")
        values = {**self.counterexample, "left": self.left, "right": self.right}
        lines += [f"  {name} = {text}" for name, text in format_values(values).items()]
        return "\n".join(lines)


@dataclass(frozen=True)
class Report:
    """The results of checking one semiring.

    Attributes:
        semiring: its ``repr``.
        passed: the names of the laws that hold for all draws.
        not_claimed: the laws that were not tested, each with the reason.
        failures: the laws that do not hold.
    """

    semiring: str
    passed: tuple[str, ...]
    not_claimed: Mapping[str, str]
    failures: tuple[Failure, ...]

    @property
    def ok(self) -> bool:
        """True if every law that is claimed holds."""
        return not self.failures

    def raise_if_failed(self) -> None:
        """Raise an error with the whole report unless every claimed law holds.

        Raises:
            AssertionError: if a law failed.
        """
        if self.failures:
            raise AssertionError(str(self))

    def __str__(self) -> str:
        lines = [
            f"{self.semiring}: {len(self.passed)} laws hold, {len(self.not_claimed)} are not "
            f"claimed, {len(self.failures)} fail",
            f"holds: {', '.join(self.passed)}",
        ]
        lines += [f"not claimed: {law} ({reason})" for law, reason in self.not_claimed.items()]
        lines += [f"fails: {failure}" for failure in self.failures]
        return "\n".join(lines)


def format_values(values: Mapping[str, Any]) -> dict[str, str]:
    """Format values leaf by leaf.

    Args:
        values: pytrees of arrays by name.

    Returns:
        The content of each leaf on one line, by name and path of the leaf.
    """
    texts: dict[str, str] = {}
    for name, value in values.items():
        for path, leaf in cast("list[Any]", jax.tree_util.tree_leaves_with_path(value)):
            array = np.asarray(leaf)
            text = (
                np.array2string(array, separator=", ", threshold=50) if array.ndim else str(array)
            )
            texts[name + jax.tree_util.keystr(path)] = " ".join(text.split())
    return texts
