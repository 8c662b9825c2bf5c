"""The interface of structures: sums over all derivations in any semiring.

A structure is a pytree of log weights of *parts*, such as transitions of a chain or arcs of a tree.
A derivation is a set of parts, weighted by their product.
"""

from __future__ import annotations

import inspect
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeVar, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from semipunct.errors import UsageError
from semipunct.structures.recursion import Recursion
from semirings.base import Semiring, Value

# A pytree with one entry per part: log weights, numbers of uses, features.
Parts = Any


class Total(NamedTuple):
    """The sum over each item's derivations, ``value * exp(log_scale)``, ``[batch]``."""

    value: Value
    log_scale: jax.Array


class Structure(Protocol):
    """A batch of weighted sets of derivations."""

    @property
    def log_weights(self) -> Parts:
        """The log weights of all parts; minus infinity forbids a part."""
        ...

    def with_log_weights(self, log_weights: Parts) -> Self:
        """Replace the log weights by others of the same shapes."""
        ...

    def expand(self) -> Self:
        """Broadcast shared log weights to every place of use."""
        ...

    def by_item(self, parts: Parts) -> jax.Array:
        """Sum arrays of an expanded structure over the parts of each item: ``[batch]``."""
        ...

    def unnormalized_log_prob(self, parts: Parts) -> jax.Array:
        """Return the log weights of derivations of an expanded structure, ``[batch]``."""
        ...

    def total(
        self, semiring: Semiring, feature: Parts | None = None, recursion: Recursion = ...
    ) -> Total:
        """Sum over all derivations of each item.

        Args:
            feature: shaped like ``log_weights``, or a tuple of these, for semirings whose ``lift``
                uses it.
        """
        ...


P = TypeVar("P")


@dataclass(frozen=True)
class PartWise(ABC, Generic[P]):
    """A structure whose derivations are weighted by the product of their parts.

    Arrays begin with the batch axes, of size 1 if shared by all items. ``Distribution`` allows any
    number of batch axes; methods of structures require exactly one.

    Attributes:
        lengths: ``[batch]``, or ``[batch, 2]`` for items with two lengths.
        length_axes: the number of axes of one item's length.
    """

    weights: P
    lengths: jax.Array

    length_axes: ClassVar[int] = 0

    @property
    def log_weights(self) -> P:
        return self.weights

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self.lengths.shape[: self.lengths.ndim - self.length_axes]

    def flat(self) -> Self:
        """Return the structure with a single batch axis."""
        shape = self.batch_shape
        if len(shape) == 1:
            return self
        count = math.prod(shape)

        def one_axis(x: jax.Array) -> jax.Array:
            leading, item = x.shape[: len(shape)], x.shape[len(shape) :]
            if count != 1 and math.prod(leading) == 1:
                return x.reshape(1, *item)
            return jnp.broadcast_to(x, (*shape, *item)).reshape(count, *item)

        return jax.tree.map(one_axis, self)

    def reshaped(self, shape: tuple[int, ...]) -> Self:
        """Replace the single batch axis by axes of the given sizes."""
        count = math.prod(shape)

        def axes(x: jax.Array) -> jax.Array:
            leading = shape if len(x) == count else (1,) * len(shape)
            return x.reshape(*leading, *x.shape[1:])

        return jax.tree.map(axes, self)

    def with_log_weights(self, log_weights: P) -> Self:
        return replace(self, weights=log_weights)

    def expand(self) -> Self:
        batch, n = self.batch_shape, len(self.batch_shape)
        whole = jax.tree.map(lambda x: jnp.broadcast_to(x, (*batch, *x.shape[n:])), self.weights)
        return replace(self, weights=whole)

    def by_item(self, parts: P) -> jax.Array:
        return per_item(parts)

    def unnormalized_log_prob(self, parts: P) -> jax.Array:
        return sum_of_parts(parts, self.weights)

    @abstractmethod
    def total(
        self, semiring: Semiring, feature: P | None = None, recursion: Recursion = Recursion()
    ) -> Total:
        """Sum over all derivations of each item."""


def lift_weights(semiring: Semiring, log_weight: jax.Array, feature: Any) -> Value:
    """Lift log weights and features that broadcast to their shape; plus infinity becomes NaN."""
    # Broadcast in each step: copying all weights would take as long as the recursion of a chain.
    # Plus infinity becomes NaN because sums would be infinite but entropies finite.
    feature = jax.tree.map(lambda x: jnp.broadcast_to(x, log_weight.shape), feature)
    return semiring.lift(_nan_if_infinite(log_weight), feature)


@jax.custom_jvp
def _nan_if_infinite(weights: jax.Array) -> jax.Array:
    return jnp.where(weights == jnp.inf, jnp.asarray(jnp.nan, weights.dtype), weights)


@_nan_if_infinite.defjvp
def _(primals: Any, tangents: Any) -> tuple[jax.Array, jax.Array]:
    # The gradient at NaN is arbitrary.
    return _nan_if_infinite(*primals), tangents[0]


def mask_padding(used: jax.Array, parts: Any, instead: float = 0.0) -> Any:
    """Replace padding, including NaN, in log weights or features ``[..., ...]`` before arithmetic.

    Gradients of results discarded later would be zero times NaN.

    Args:
        used: ``[...]``, false for padding.
    """

    def replaced(x: jax.Array) -> jax.Array:
        mask = used.reshape(*used.shape, *(1,) * (x.ndim - used.ndim))
        return jnp.where(mask, x, jnp.asarray(instead, x.dtype))

    return jax.tree.map(replaced, parts)


def sum_of_parts(parts: Parts, log_weights: Parts) -> jax.Array:
    """Return the log weights of derivations, ``[batch]``."""
    # Unused forbidden parts add nothing.
    return per_item(jax.tree.map(lambda x, w: jnp.where(x != 0, x * w, 0.0), parts, log_weights))


def per_item(parts: Parts) -> jax.Array:
    """Sum arrays ``[batch, ...]`` over all axes but the first."""
    sums = [jnp.sum(x, tuple(range(1, x.ndim))) for x in jax.tree.leaves(parts)]
    return sum(sums[1:], sums[0])


def like_weights(weights: jax.Array, feature: Any, deeper: tuple[int, ...] = ()) -> Any:
    """Broadcast a feature to the log weights of its part, with ``deeper`` trailing axes."""

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


def any_batch(**axes: int | tuple[int, ...]) -> Callable[[F], F]:
    """Let a constructor of a ``PartWise`` structure accept any number of batch axes.

    Args:
        **axes: for each argument, the number of axes of one item, or a tuple for a tuple of arrays;
            the first argument determines the batch axes.
    """

    def of(function: F) -> F:
        signature, main = inspect.signature(function), next(iter(axes))

        @wraps(function)
        def call(*arguments: Any, **keywords: Any) -> Any:
            bound = signature.bind(*arguments, **keywords)
            given = bound.arguments
            shape = np.shape(given[main])
            leading = shape[: max(len(shape) - int(axes[main]), 0)]  # pyright: ignore[reportArgumentType]
            if len(leading) == 1 or len(shape) < axes[main]:  # pyright: ignore[reportOperatorIssue]
                return function(*arguments, **keywords)
            for name, own in axes.items():
                if given.get(name) is None:
                    continue
                if isinstance(own, tuple):
                    each = zip(given[name], own, strict=True)
                    flat = [_flat(name, x, leading, n) for x, n in each]
                    given[name] = type(given[name])(*flat)
                else:
                    given[name] = _flat(name, given[name], leading, own)
            return function(*bound.args, **bound.kwargs).reshaped(leading)

        return cast(F, call)

    return of


def _flat(name: str, array: Any, leading: tuple[int, ...], own: int) -> Any:
    """Flatten an argument's batch axes; return it unchanged if it has none."""
    # Concrete integers stay on the host, where they can be checked under a trace.
    x = array if isinstance(array, jax.Array) else np.asarray(array)
    if not isinstance(x, Tracer) and np.issubdtype(x.dtype, np.integer):
        x = np.asarray(x)
    if x.ndim < own or (x.ndim == own and leading):
        return x
    begin, item = x.shape[: x.ndim - own], x.shape[x.ndim - own :]
    if math.prod(begin) == 1:
        return x.reshape(1, *item)
    try:
        whole = (jnp if isinstance(x, jax.Array) else np).broadcast_to(x, (*leading, *item))
    except ValueError:
        raise UsageError(
            f"{name} has shape {x.shape}; its leading axes do not broadcast to {leading}"
        ) from None
    return whole.reshape(math.prod(leading), *item)


def compile_once(*static: str) -> Callable[[F], F]:
    """Compile a function of arrays if called outside compiled programs.

    Otherwise each operation would be compiled separately, and each loop in every call.

    Args:
        *static: names of arguments that are not arrays.
    """

    def of(function: F) -> F:
        program = jax.jit(function, static_argnames=static)

        @wraps(function)
        def call(*arguments: Any, **keywords: Any) -> Any:
            return program(*arguments, **keywords)

        return cast(F, call)

    return of


def is_constant(value: Any) -> bool:
    """Return whether a value is a hashable frozen dataclass."""
    # Programs compiled for a mutable value would return outdated results. The parameters of a base
    # class do not count: a subclass may add attributes that are not compared.
    settings = vars(type(value)).get("__dataclass_params__")
    if settings is None or not settings.frozen:
        return False
    try:
        hash(value)
    except TypeError:  # a field has none
        return False
    return True
