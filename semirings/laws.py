"""The conformance kit: does a semiring keep the laws that it declares, and where does it fail?

``check(Mine())`` draws values and tries every law that the semiring claims. Whatever a law raises
is a failure; nothing is skipped. It needs no test framework::

    def test_laws():
        check(Mine()).raise_if_failed()
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterator, Mapping
from dataclasses import FrozenInstanceError, dataclass, field
from typing import Any, cast

import jax
import numpy as np

from semirings.base import Semiring, Value
from semirings.laws_array import ARRAY
from semirings.laws_draws import DRAWS
from semirings.laws_scalar import SCALAR
from semirings.laws_transform import TRANSFORM
from semirings.laws_trial import Draw, Equation, Law, Operands, differing, operands

__all__ = ["LAWS", "Failure", "Report", "check", "shown"]

LAWS: tuple[Law, ...] = (*SCALAR, *ARRAY, *TRANSFORM, *DRAWS)
"""Every law that ``Laws.broken`` may name."""

EXTREME = "extreme weights"
"""The law without which single values are not drawn from extreme weights."""


@dataclass(frozen=True)
class Failure:
    """A law that does not hold, with the first of the draws for which it does not.

    Attributes:
        law: its name.
        statement: the equation.
        counterexample: the drawn operands by name, as arrays of the host.
        left, right: what both sides gave, as ``Semiring.observe`` shows it.
        exception: what was raised instead, or None.
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
        lines += [f"  {name} = {text}" for name, text in shown(values).items()]
        return "\n".join(lines)


@dataclass(frozen=True)
class Report:
    """What the kit found out about one semiring.

    Attributes:
        semiring: its ``repr``.
        passed: the names of the laws that hold for all draws.
        not_claimed: the laws that were not tried, each with the reason.
        failures: the laws that do not hold.
    """

    semiring: str
    passed: tuple[str, ...]
    not_claimed: Mapping[str, str]
    failures: tuple[Failure, ...]

    @property
    def ok(self) -> bool:
        """Whether every law that is claimed holds."""
        return not self.failures

    def raise_if_failed(self) -> None:
        """Raise ``AssertionError`` with the whole report, unless all is well."""
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


def check(
    semiring: Semiring,
    *,
    draws: int = 1000,
    seed: int = 0,
    only: Collection[str] | None = None,
    draw: Draw | None = None,
    rtol: float = 1e-3,
    atol: float = 1e-3,
) -> Report:
    """Try every law that a semiring claims on drawn values.

    Args:
        semiring: what is tried.
        draws: how many values stand for each operand.
        seed: fixes what is drawn.
        only: names of laws, to try no others.
        draw: ``draw(generator, shape)`` makes values, for semirings that have more of them than
            ``lift``, ``plus`` and ``times`` make. Laws about ``lift`` do not use it, and laws
            about extreme weights are not tried with it.
        rtol: relative tolerance of comparisons; sums in another order differ in float32.
        atol: absolute tolerance.

    Raises:
        ValueError: if there is nothing to draw, or `only` names a law that there is not.
    """
    if draws < 1:
        raise ValueError(f"draws is {draws}; a law needs at least 1 to be tried on")
    tried = [law for law in (*DECLARATIONS, *LAWS) if only is None or law.name in only]
    if only is not None and len(tried) < len(set(only)):
        raise ValueError(f"{sorted(only)} are not all laws; {_known()}")
    trials = _Trials(semiring, draws, seed, draw)
    passed: list[str] = []
    not_claimed: dict[str, str] = {}
    failures = list(_unknown(semiring))
    for law in tried:
        reason = "" if law in DECLARATIONS else law.waived(semiring.laws)
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


def shown(values: Mapping[str, Any]) -> dict[str, str]:
    """Write values leaf by leaf: the name and the path of each leaf, and what it holds."""
    found: dict[str, str] = {}
    for name, value in values.items():
        for path, leaf in cast("list[Any]", jax.tree_util.tree_leaves_with_path(value)):
            array = np.asarray(leaf)
            text = (
                np.array2string(array, separator=", ", threshold=50) if array.ndim else str(array)
            )
            found[name + jax.tree_util.keystr(path)] = " ".join(text.split())
    return found


@dataclass(frozen=True)
class _Trials:
    """A semiring, and the operands that were drawn for it so far."""

    semiring: Semiring
    draws: int
    seed: int
    draw: Draw | None
    drawn: dict[tuple[Any, ...], Operands] = field(default_factory=dict[Any, Operands])

    def failure(self, law: Law, rtol: float, atol: float) -> Failure | None:
        """The first failure of a law, or None; whatever is raised is one."""
        try:
            drawn = self._operands(law)
            for equation in self._equations(law, drawn):
                apart = differing(equation.left, equation.right, rtol, atol)
                if apart.any():
                    return _counterexample(law, equation, drawn, apart)
        except Exception as error:  # noqa: BLE001 - whatever a stranger's method raises
            return Failure(law.name, law.statement, exception=error)
        return None

    def _operands(self, law: Law) -> Operands:
        key = law.shape, law.extreme
        if key not in self.drawn:
            # As many entries altogether, whatever the shape.
            number = max(4, self.draws // 12) if law.shape else self.draws
            shape = (number, *law.shape)
            generator = np.random.default_rng((self.seed, len(shape), law.extreme))
            extreme = law.extreme or (not law.shape and EXTREME not in self.semiring.laws.broken)
            self.drawn[key] = operands(self.semiring, shape, generator, self.draw, extreme)
        return self.drawn[key]

    def _equations(self, law: Law, drawn: Operands) -> list[Equation]:
        if not law.compiled:
            return list(law.equations(self.semiring, drawn))
        statements: list[str] = []

        def sides(drawn: Operands) -> list[tuple[Any, ...]]:
            found = list(law.equations(self.semiring, drawn))
            statements.extend(equation.statement for equation in found)
            return [equation[1:] for equation in found]

        # One compilation for a law is several times faster than one for each primitive.
        results = cast("list[tuple[Any, ...]]", jax.jit(sides)(drawn))
        return [Equation(text, *both) for text, both in zip(statements, results, strict=True)]


def _counterexample(law: Law, equation: Equation, drawn: Operands, apart: np.ndarray) -> Failure:
    words = equation.statement.split()
    # Only what an equation mentions belongs to its counterexample.
    named = {key: value for key, value in drawn._asdict().items() if key in words}
    values = ({**named, **equation.beside}, equation.left, equation.right)
    if apart.ndim:
        first = int(np.argmax(apart))
        values = jax.tree.map(lambda x: x[first], values)
    return Failure(law.name, equation.statement, *jax.tree.map(np.asarray, values))


def _unknown(semiring: Semiring) -> Iterator[Failure]:
    """A law that is declared broken and that nobody knows excuses nothing: it is a mistake."""
    for name in semiring.laws.broken:
        if name not in {law.name for law in LAWS}:
            yield Failure("unknown law", f"{name!r} is declared broken; {_known()}")


def _known() -> str:
    return f"the laws are: {', '.join(law.name for law in LAWS)}"


def _declarations(s: Semiring, o: Operands) -> Iterator[Equation]:
    for name, reason in s.laws.broken.items():
        yield Equation(f"there is a reason for breaking {name!r}", bool(reason.strip()), True)


def _parameters_only(s: Semiring, o: Operands) -> Iterator[Equation]:
    twin = copy.copy(s)
    yield Equation("a copy is equal", bool(twin == s), True)
    yield Equation("equal ones have equal hashes", hash(twin) == hash(s), True)
    try:
        twin.name = twin.name  # pyright: ignore[reportAttributeAccessIssue] - it should refuse
        frozen = False
    except FrozenInstanceError:
        frozen = True
    yield Equation("a frozen dataclass: attributes cannot be set", frozen, True)


DECLARATIONS: tuple[Law, ...] = (
    Law("declarations", "what is broken has a reason", _declarations, compiled=False),
    Law("hashable", "a frozen dataclass; equal ones hash equal", _parameters_only, compiled=False),
)
"""What no semiring may be excused from."""
