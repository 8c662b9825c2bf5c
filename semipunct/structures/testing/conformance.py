"""The check of a structure against an enumeration of its derivations."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from unittest import SkipTest

from semipunct.structures.testing.answers import ANSWERS, Check
from semipunct.structures.testing.behaviour import BEHAVIOUR
from semipunct.structures.testing.case import Case
from semirings.capabilities import Divisible
from semirings.log import Log

CHECKS: Mapping[str, Check] = {**ANSWERS, **BEHAVIOUR}
"""All checks by name."""


def check(case: Case, only: Collection[str] | None = None, base: Divisible = Log()) -> None:
    """Compare all results for a structure with the enumeration.

    Args:
        case: the structure, and all its derivations.
        only: names of checks; only these are run.
        base: the semiring of sums.

    Raises:
        AssertionError: if checks failed, with their names and messages; an exception raised by the
            structure is a failure, too.
        ValueError: if ``only`` names an unknown check.
        unittest.SkipTest: if none of the checks can be made here, with the reason.
    """
    if unknown := set(only or ()) - set(CHECKS):
        raise ValueError(f"no checks: {sorted(unknown)}; there are {', '.join(CHECKS)}")
    w = case.with_weights(base)
    names = [name for name in CHECKS if only is None or name in only]
    failures: dict[str, Exception] = {}
    skipped: list[str] = []
    for name in names:
        try:
            CHECKS[name](w)
        except SkipTest as reason:
            skipped.append(str(reason))
        except Exception as error:  # noqa: BLE001 - whatever a stranger's structure raises
            failures[name] = error
    if failures:
        lines = [
            f"{case.name}, in {base.name} and {w.dtype}: {len(failures)} of {len(names)} checks "
            "fail"
        ]
        lines += [f"{name}: {_description(error)}" for name, error in failures.items()]
        raise AssertionError("\n".join(lines)) from next(iter(failures.values()))
    if skipped and len(skipped) == len(names):
        raise SkipTest("; ".join(skipped))


def _description(error: Exception) -> str:
    text = str(error).strip()
    return text if isinstance(error, AssertionError) else f"{type(error).__name__}: {text}"
