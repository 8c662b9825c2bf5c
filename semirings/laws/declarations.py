"""Laws that cannot be waived: a semiring is hashable, and gives reasons for its exceptions."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import FrozenInstanceError

import jax
import jax.numpy as jnp

from semirings.base import Semiring
from semirings.capabilities import Selective
from semirings.laws.law import Equation, Law, Operands


def _declared(s: Semiring, o: Operands) -> Iterator[Equation]:
    chooses = isinstance(s, Selective)
    yield Equation("laws.selective is declared of a Selective alone", s.laws.selective, chooses)
    bare, featured = (jax.tree.leaves(x) for x in (s.lift(o.w), s.lift(o.w, o.n)))
    is_unchanged = all(bool(jnp.all(x == y)) for x, y in zip(bare, featured, strict=True))
    statement = "laws.features is declared just where lift puts its feature into the value"
    yield Equation(statement, s.laws.features, not is_unchanged)
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
    Law(
        "declarations",
        "classes agree with laws, and what is broken has a reason",
        _declared,
        compiled=False,
    ),
    Law("hashable", "a frozen dataclass; equal ones hash equal", _parameters_only, compiled=False),
)
"""The laws that no semiring may declare broken."""
