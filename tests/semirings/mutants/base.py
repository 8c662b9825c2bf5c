"""How an incorrect semiring is made of a correct one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from semirings import (
    Laws,
    Semiring,
    Value,
)


class Mutant(NamedTuple):
    """The law that must detect the fault, and the function that creates the semiring."""

    law: str
    make: Callable[[], Semiring]


def mutant(base: type[Semiring], laws: Laws | None = None, **methods: Any) -> Semiring:
    """Create an object of a class with some methods of its base replaced."""
    body = {**methods, **({"laws": laws} if laws else {})}
    return dataclass(frozen=True)(type("Mutant", (base,), body))()


def of(law: str, base: type[Semiring], laws: Laws | None = None, **methods: Any) -> Mutant:
    return Mutant(law, lambda: mutant(base, laws, **methods))


def cut(a: Value, axis: int, start: int | None, stop: int | None) -> Value:
    """Take some entries along one axis."""
    size = jax.tree.leaves(a)[0].shape[axis]
    start, stop, _ = slice(start, stop).indices(size)
    return jax.tree.map(lambda x: jax.lax.slice_in_dim(x, start, max(start, stop), axis=axis), a)


def flipped(a: Value, axis: int) -> Value:
    return jax.tree.map(lambda x: jnp.flip(x, axis), a)


def length(a: Value, axis: int) -> int:
    return jax.tree.leaves(a)[0].shape[axis]
