"""The check of a semiring against the laws that it claims, on random values."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np

from semirings.base import Semiring
from semirings.laws.axioms import EXTREME
from semirings.laws.catalogue import EVERY, LAWS, known_laws
from semirings.laws.declarations import DECLARATIONS
from semirings.laws.law import Equation, Law, Operands, compile_equations
from semirings.laws.operands import Draw, draw_operands
from semirings.laws.report import Failure, Report


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
        semiring: the semiring to test.
        draws: the number of random values for each operand.
        seed: the seed of the random values.
        only: names of laws; only these are tested.
        draw: ``draw(generator, shape)`` returns values, for semirings with values that ``lift``,
            ``plus`` and ``times`` do not produce. Laws about ``lift`` do not use it, and laws about
            extreme weights are not tested with it.
        rtol: relative tolerance of comparisons; sums in a different order differ in float32.
        atol: absolute tolerance.

    Raises:
        ValueError: if ``draws`` is not positive, or ``only`` names an unknown law.
    """
    if draws < 1:
        raise ValueError(f"draws is {draws}; give 1 or more")
    tried = [law for law in EVERY if only is None or law.name in only]
    if only is not None and len(tried) < len(set(only)):
        raise ValueError(f"{sorted(only)} are not all laws; {known_laws()}")
    trials = _Trials(semiring, draws, seed, draw)
    passed: list[str] = []
    not_claimed: dict[str, str] = {}
    failures = list(_unknown(semiring))
    for law in tried:
        reason = "" if law in DECLARATIONS else law.waiver(semiring)
        if draw is not None and (law.extreme or law.name == EXTREME):
            reason = reason or "the values that are tried are the caller's"
        if reason:
            not_claimed[law.name] = reason
            continue
        failure = trials.failure(law, rtol, atol)
        if failure is None:
            passed.append(law.name)
        else:
            failures.append(failure)
    return Report(repr(semiring), tuple(passed), not_claimed, tuple(failures))


@dataclass(frozen=True)
class _Trials:
    """A semiring, and the operands drawn for it so far."""

    semiring: Semiring
    draws: int
    seed: int
    draw: Draw | None
    drawn: dict[tuple[Any, ...], Operands] = field(default_factory=dict[Any, Operands])

    def failure(self, law: Law, rtol: float, atol: float) -> Failure | None:
        """Return the first failure of a law, an exception included, or None."""
        try:
            drawn = self._operands(law)
            equations = compile_equations(law.equations) if law.compiled else law.equations
            for equation in equations(self.semiring, drawn):
                apart = differing(equation.left, equation.right, rtol, atol)
                if apart.any():
                    return _counterexample(law, equation, drawn, apart)
        except Exception as error:  # noqa: BLE001 - whatever a stranger's method raises
            return Failure(law.name, law.statement, exception=error)
        return None

    def _operands(self, law: Law) -> Operands:
        key = law.shape, law.extreme
        if key not in self.drawn:
            # The same total number of entries for every shape.
            number = max(4, self.draws // 12) if law.shape else self.draws
            shape = (number, *law.shape)
            generator = np.random.default_rng((self.seed, len(shape), law.extreme))
            extreme = law.extreme or (not law.shape and EXTREME not in self.semiring.laws.broken)
            self.drawn[key] = draw_operands(self.semiring, shape, generator, self.draw, extreme)
        return self.drawn[key]


def differing(left: Any, right: Any, rtol: float, atol: float) -> np.ndarray:
    """Return for each draw whether two pytrees differ anywhere.

    Equal infinities are equal, and NaN equals nothing.

    Args:
        left: a pytree of arrays ``[draws, ...]``.
        right: another.
        rtol: relative tolerance.
        atol: absolute tolerance.

    Returns:
        Booleans ``[draws]``, or a single one where structures or shapes differ.
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
    # A counterexample contains only the operands that the equation mentions.
    mentioned = {key: value for key, value in drawn._asdict().items() if key in words}
    values = ({**mentioned, **equation.beside}, equation.left, equation.right)
    if apart.ndim:
        first = int(np.argmax(apart))
        values = jax.tree.map(lambda x: x[first], values)
    return Failure(law.name, equation.statement, *jax.tree.map(np.asarray, values))


def _unknown(semiring: Semiring) -> Iterator[Failure]:
    """Report unknown laws that are declared broken as failures."""
    for name in semiring.laws.broken:
        if name not in {law.name for law in LAWS}:
            yield Failure("unknown law", f"{name!r} is declared broken; {known_laws()}")
