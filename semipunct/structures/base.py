"""The interface of structures: a sum over all derivations in any semiring.

A structure is a pytree that holds log weights of *parts*: arrays such as the transitions of a chain
or the arcs of trees. A derivation is a set of parts, its weight their product. A structure has to
implement only ``total``; all methods in ``distribution`` are computed from it, by questions that
are compiled once for each shape, wherever they are asked (``compile_once``; why, and what stays
outside: docs/decisions/recursions.md).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar, cast

import jax
import jax.numpy as jnp

from semipunct.errors import UsageError
from semipunct.structures.recursion import Recursion
from semirings.base import Semiring, Value

Parts = Any
"""A pytree of arrays, one entry for every part: log weights, marks of a derivation, features."""


class Total(NamedTuple):
    """The sum over each item's derivations: ``value * exp(log_scale)``, ``[batch]``."""

    value: Value
    log_scale: jax.Array


class Structure(Protocol):
    """A batch of weighted sets of derivations."""

    @property
    def log_weights(self) -> Parts:
        """The log weights of all parts; minus infinity forbids one."""
        ...

    def with_log_weights(self, log_weights: Parts) -> Self:
        """Return the same structure with other weights of the same shapes."""
        ...

    def expand(self) -> Self:
        """Return the same structure with shared log weights broadcast to every place of use."""
        ...

    def by_item(self, parts: Parts) -> jax.Array:
        """Sum arrays of an expanded structure over the parts of each item: ``[batch]``."""
        ...

    def score(self, parts: Parts) -> jax.Array:
        """Return the log weights ``[batch]`` of a derivation of an expanded structure."""
        ...

    def total(
        self, semiring: Semiring, feature: Parts | None = None, recursion: Recursion = ...
    ) -> Total:
        """Sum over all derivations of each item.

        Args:
            semiring: defines sums and products.
            feature: an additive quantity of each part, shaped like ``log_weights`` (or a tuple of
                such), for semirings whose ``lift`` uses it.
            recursion: memory budget of the steps.
        """
        ...


P = TypeVar("P")


@dataclass(frozen=True)
class PartWise(ABC, Generic[P]):
    """A structure in which the weight of a derivation is the product of its parts.

    Attributes:
        weights: log weights of the parts, arrays ``[batch, ...]``; with a first axis of size 1 if
            all items share them.
        lengths: ``[batch]`` the length of each item; ``[batch, 2]`` for items with two lengths, and
            so on. Only ``total`` uses it.
    """

    weights: P
    lengths: jax.Array

    @property
    def log_weights(self) -> P:
        return self.weights

    def with_log_weights(self, log_weights: P) -> Self:
        return replace(self, weights=log_weights)

    def expand(self) -> Self:
        return self

    def by_item(self, parts: P) -> jax.Array:
        return per_item(parts)

    def score(self, parts: P) -> jax.Array:
        return sum_of_parts(parts, self.weights)

    @abstractmethod
    def total(
        self, semiring: Semiring, feature: P | None = None, recursion: Recursion = Recursion()
    ) -> Total:
        """Sum over all derivations of each item; arguments as in ``Structure.total``."""


def lift_weights(semiring: Semiring, log_weight: jax.Array, feature: Any) -> Value:
    """Lift log weights and their features, broadcasting shared features.

    Plus infinity, which is refused where values are known, is NaN here: sums would be infinite, but
    entropies, say, look like numbers. That is left to each step, since a copy of all weights and of
    their gradients takes as long as the recursion of a chain.

    Args:
        semiring: the semiring of the values.
        log_weight: any shape.
        feature: arrays that can be broadcast to that shape, or None.
    """
    feature = jax.tree.map(lambda x: jnp.broadcast_to(x, log_weight.shape), feature)
    return semiring.lift(_nan_if_infinite(log_weight), feature)


@jax.custom_jvp
def _nan_if_infinite(weights: jax.Array) -> jax.Array:
    return jnp.where(weights == jnp.inf, jnp.asarray(jnp.nan, weights.dtype), weights)


@_nan_if_infinite.defjvp
def _(primals: Any, tangents: Any) -> tuple[jax.Array, jax.Array]:
    # Of NaN any gradient will do.
    return _nan_if_infinite(*primals), tangents[0]


def mask_padding(used: jax.Array, parts: Any, instead: float = 0.0) -> Any:
    """Replace what padding holds, NaN included, so that it has neither effect nor gradient.

    It is replaced before any arithmetic: the gradient of a result that is discarded later would be
    zero times NaN.

    Args:
        used: ``[...]`` booleans, false for padding.
        parts: a pytree of arrays ``[..., ...]``, log weights or features, or None.
        instead: the number that replaces it.
    """

    def replaced(x: jax.Array) -> jax.Array:
        mask = used.reshape(*used.shape, *(1,) * (x.ndim - used.ndim))
        return jnp.where(mask, x, jnp.asarray(instead, x.dtype))

    return jax.tree.map(replaced, parts)


def sum_of_parts(parts: Parts, log_weights: Parts) -> jax.Array:
    """Sum the log weights of the parts used: ``[batch]``, the score of a derivation.

    A part that is not used adds nothing, forbidden or not.

    Args:
        parts: the number of times that the derivation uses each part.
        log_weights: log weights of the same shapes.
    """
    return per_item(jax.tree.map(lambda x, w: jnp.where(x != 0, x * w, 0.0), parts, log_weights))


def per_item(parts: Parts) -> jax.Array:
    """Sum arrays ``[batch, ...]`` over all axes but the first: ``[batch]``."""
    sums = [jnp.sum(x, tuple(range(1, x.ndim))) for x in jax.tree.leaves(parts)]
    return sum(sums[1:], sums[0])


def like_weights(weights: jax.Array, feature: Any, deeper: tuple[int, ...] = ()) -> Any:
    """Broadcast a feature to the shape of the log weights of its part.

    Args:
        weights: the log weights.
        feature: an array, or a pytree of such.
        deeper: the sizes of trailing axes of the result.

    Raises:
        UsageError: if the shape does not broadcast.
    """

    def broadcast(x: jax.Array) -> jax.Array:
        x = jnp.asarray(x)
        if deeper and x.ndim <= weights.ndim:
            x = x[(..., *(None,) * len(deeper))]
        return jnp.broadcast_to(x, (*weights.shape, *deeper))

    try:
        return jax.tree.map(broadcast, feature)
    except ValueError:
        shapes = [jnp.shape(x) for x in jax.tree.leaves(feature)]
        raise UsageError(
            f"a feature has shape {shapes[0]}, but its part has shape {weights.shape}; give a "
            "number for each entry of Distribution.structure.expand().log_weights"
        ) from None


F = TypeVar("F", bound=Callable[..., Any])


def compile_once(*static: str) -> Callable[[F], F]:
    """Compile a function or method of arrays when it is called outside of compiled programs.

    Otherwise each of its operations would be compiled by itself, and each of its loops again in
    every call. Within a program it is traced as if it were not compiled.

    Args:
        *static: names of its arguments that are no arrays.
    """

    def of(function: F) -> F:
        program = jax.jit(function, static_argnames=static, inline=True)

        @wraps(function)
        def call(*arguments: Any, **keywords: Any) -> Any:
            return program(*arguments, **keywords)

        return cast(F, call)

    return of


def is_constant(value: Any) -> bool:
    """Return whether equal values are the same for ever: those of frozen dataclasses with a hash.

    A program compiled for a value that is changed later would give the answers of before.
    """
    # Not of a base class: what a class adds that is no field is not compared.
    settings = vars(type(value)).get("__dataclass_params__")
    if settings is None or not settings.frozen:
        return False
    try:
        hash(value)
    except TypeError:  # a field has none
        return False
    return True
