"""The check of a semiring against the laws that it claims, and its report."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import jax
import numpy as np

from semirings.base import Semiring, Value, take
from semirings.laws.arrays import ARRAYS, NAN
from semirings.laws.axioms import AXIOMS, EXTREME, SCALE
from semirings.laws.choices import CHOICES, DISTRIBUTION
from semirings.laws.derivatives import DERIVATIVES
from semirings.laws.law import Draw, Equation, Law, Operands, draw_operands, evaluate
from semirings.laws.transformations import TRANSFORMATIONS
from semirings.laws.weights import DECLARATIONS, PAIRS, WEIGHTS


def check(
    semiring: Semiring,
    *,
    draws: int = 1000,
    seed: int = 0,
    only: Collection[str] | None = None,
    draw: Draw | None = None,
    rtol: float = 1e-4,
    atol: float = 1e-4,
) -> Report:
    """Test every law that a semiring claims on random values.

    Args:
        draws: number of random values for each operand.
        only: names of the laws to test.
        draw: ``draw(generator, shape)`` returns values, for semirings whose values ``lift``,
            ``plus`` and ``times`` do not all produce; laws about extreme weights are not tested
            with it.

    Raises:
        ValueError: if ``draws`` is not positive, or ``only`` names an unknown law.
    """
    if draws < 1:
        raise ValueError(f"draws is {draws}; give 1 or more")
    tried = [law for law in EVERY if only is None or law.name in only]
    if only is not None and len(tried) < len(set(only)):
        raise ValueError(f"{sorted(only)} are not all laws; {known_laws()}")
    trials = _Trials(semiring, draws, seed, draw)
    not_claimed: dict[str, str] = {}
    for law in tried:
        reason = "" if law in DECLARATIONS else law.waiver(semiring)
        if draw is not None and (law.extreme or law.name == EXTREME):
            reason = reason or "the values that are tried are the caller's"
        if reason:
            not_claimed[law.name] = reason
    claimed = [law for law in tried if law.name not in not_claimed]
    results = trials.failures(claimed, rtol, atol)
    passed = tuple(law.name for law, failure in results.items() if failure is None)
    failures = (*_unknown(semiring), *filter(None, results.values()))
    return Report(repr(semiring), passed, not_claimed, failures)


@dataclass(frozen=True)
class _Trials:
    """A semiring, and the operands drawn for it so far."""

    semiring: Semiring
    draws: int
    seed: int
    draw: Draw | None
    drawn: dict[tuple[Any, ...], Operands] = field(default_factory=dict[Any, Operands])

    def failures(self, laws: list[Law], rtol: float, atol: float) -> dict[Law, Failure | None]:
        """Return the first failure of each law, an exception included, or None."""
        results: dict[Law, tuple[list[Equation], Operands] | Exception] = {}
        compiled: dict[Law, Operands] = {}
        for law in laws:
            try:
                drawn = self._operands(law)
                if law.compiled:
                    compiled[law] = drawn
                else:
                    results[law] = list(law.equations(self.semiring, drawn)), drawn
            except Exception as error:  # noqa: BLE001 - third-party methods raise anything
                results[law] = error
        results |= evaluate(self.semiring, compiled)
        return {law: _first_failure(law, results[law], rtol, atol) for law in laws}

    def _operands(self, law: Law) -> Operands:
        key = law.shape, law.extreme
        if key not in self.drawn:
            # The same total number of entries for every shape.
            number = max(4, self.draws // 12) if law.shape else self.draws
            shape = (number, *law.shape)
            generator = np.random.default_rng((self.seed, len(shape), law.extreme))
            extreme = law.extreme or (not law.shape and EXTREME not in self.semiring.laws.broken)
            self.drawn[key] = draw_operands(shape, generator, self.draw, extreme)
        return self.drawn[key]


def _first_failure(
    law: Law, result: tuple[list[Equation], Operands] | Exception, rtol: float, atol: float
) -> Failure | None:
    if isinstance(result, Exception):
        return Failure(law.name, law.statement, exception=result)
    equations, drawn = result
    for equation in equations:
        apart = differing(equation.left, equation.right, rtol, atol)
        if apart.any():
            return _counterexample(law, equation, drawn, apart)
    return None


def differing(left: Any, right: Any, rtol: float, atol: float) -> np.ndarray:
    """Return ``[draws]`` whether two pytrees differ; one true value if structures or shapes differ.

    Equal infinities are equal, and NaN equals nothing.
    """
    if jax.tree.structure(left) != jax.tree.structure(right):
        return np.array(True)
    differs = np.array(False)
    for x, y in zip(jax.tree.leaves(left), jax.tree.leaves(right), strict=True):
        a, b = np.asarray(x), np.asarray(y)
        if a.shape != b.shape:
            return np.array(True)
        if a.dtype.kind in "fiub" and b.dtype.kind in "fiub":
            apart = ~np.isclose(a.astype(np.float64), b.astype(np.float64), rtol, atol)
        else:
            apart = np.asarray(a != b)
        differs = differs | (apart.reshape(len(apart), -1).any(1) if apart.ndim else apart)
    return differs


def _counterexample(law: Law, equation: Equation, drawn: Operands, apart: np.ndarray) -> Failure:
    words = equation.statement.split()
    # A counterexample has only the operands that the equation mentions.
    mentioned = {key: value for key, value in drawn._asdict().items() if key in words}
    values = ({**mentioned, **equation.beside}, equation.left, equation.right)
    if apart.ndim:
        first = int(np.argmax(apart))
        values = take[first](values)
    return Failure(law.name, equation.statement, *jax.tree.map(np.asarray, values))


def _unknown(semiring: Semiring) -> Iterator[Failure]:
    """Report unknown laws that are declared broken as failures."""
    for name in semiring.laws.broken:
        if name not in {law.name for law in LAWS}:
            yield Failure("unknown law", f"{name!r} is declared broken; {known_laws()}")


# Every law that ``Laws.broken`` may name.
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

# These laws and those that cannot be waived.
EVERY: tuple[Law, ...] = (*DECLARATIONS, *LAWS)


def known_laws() -> str:
    """List the laws that ``Laws.broken`` may name, for a message."""
    return f"the laws are: {', '.join(law.name for law in LAWS)}"


@dataclass(frozen=True)
class Failure:
    """A law that does not hold, with the first draw that violates it.

    Attributes:
        statement: the equation.
        counterexample: the drawn operands by name.
        left, right: both sides, as returned by ``Semiring.observe``.
        exception: raised instead of a result.
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
        passed: names of the laws that hold for all draws.
        not_claimed: laws that were not tested, with reasons.
    """

    semiring: str
    passed: tuple[str, ...]
    not_claimed: Mapping[str, str]
    failures: tuple[Failure, ...]

    @property
    def ok(self) -> bool:
        """Whether every claimed law holds."""
        return not self.failures

    def raise_if_failed(self) -> None:
        """Raise ``AssertionError`` with the whole report unless every claimed law holds."""
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
    """Format pytrees of arrays, one line per leaf, by name and path."""
    texts: dict[str, str] = {}
    for name, value in values.items():
        for path, leaf in cast("list[Any]", jax.tree_util.tree_leaves_with_path(value)):
            array = np.asarray(leaf)
            text = (
                np.array2string(array, separator=", ", threshold=50) if array.ndim else str(array)
            )
            texts[name + jax.tree_util.keystr(path)] = " ".join(text.split())
    return texts
