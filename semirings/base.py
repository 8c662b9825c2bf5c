"""The interface of semirings, with default implementations.

A value is a pytree of equally shaped arrays. Semirings are hashable, for static arguments of
``jax.jit``. No operation takes a random key.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

# A pytree of equally shaped arrays; only its semiring knows its structure.
Value = Any

# Booleans, computed on the device or constant on the host.
Condition = jax.Array | npt.NDArray[np.bool_]


class _Index:
    def __getitem__(self, index: Any) -> Callable[[Value], Value]:
        return lambda value: jax.tree.map(lambda x: x[index], value)


# Indexes all leaves of a value: ``take[:, 0](value)``.
take = _Index()


@dataclass(frozen=True)
class Laws:
    """Declared properties of a semiring.

    Attributes:
        commutative: ``a * b == b * a``.
        idempotent: ``a + a == a``.
        selective: ``a + b`` is ``a`` or ``b`` (the path property); implies ``Selective``.
        star: ``star``, the sum of all powers of a value, is defined.
        features: ``lift`` stores its feature in the value.
        in_distribution: equations hold between distributions of samples.
        broken: laws that do not hold exactly, with reasons.
    """

    commutative: bool = True
    idempotent: bool = False
    selective: bool = False
    star: bool = False
    features: bool = False
    in_distribution: bool = False
    broken: dict[str, str] = field(default_factory=dict[str, str], hash=False)

    @property
    def matmul_keeps_all(self) -> bool:
        """Whether ``matmul`` loses no weights besides those lost by ``times`` and ``sum``."""
        return "matmul of extreme weights" not in self.broken or "extreme weights" in self.broken


class Groups(NamedTuple):
    """A partition of items into groups.

    Attributes:
        table: ``[groups, largest]`` items of each group, padded with the number of items.
        membership: ``[items, groups]`` one where the item belongs to the group.
        group: ``[items]`` the group of each item.
    """

    table: npt.NDArray[np.int32]
    membership: npt.NDArray[np.float32]
    group: npt.NDArray[np.int32]

    @classmethod
    def of(cls, group_of_item: Sequence[int] | np.ndarray, groups: int) -> Groups:
        """Build a partition from the group of each item; groups may be empty."""
        group = np.asarray(group_of_item, dtype=np.int64)
        counts = np.bincount(group, minlength=groups)
        table = np.full((groups, max(1, int(counts.max(initial=0)))), len(group), dtype=np.int32)
        order = np.argsort(group, kind="stable")
        column = np.arange(len(group)) - np.repeat(np.cumsum(counts) - counts, counts)
        table[group[order], column] = order
        membership = np.zeros((len(group), groups), dtype=np.float32)
        membership[np.arange(len(group)), group] = 1.0
        return cls(table, membership, group.astype(np.int32))


class Semiring(ABC):
    """A set with ``plus`` and ``times`` over arrays of its values.

    ``plus`` is commutative and associative with neutral element zero; ``times`` is associative with
    neutral element one, distributes over ``plus``, and zero annihilates. ``laws`` declares
    exceptions.
    """

    name: ClassVar[str]

    @property
    @abstractmethod
    def laws(self) -> Laws:
        """The laws satisfied beyond the axioms, and the laws violated."""

    @abstractmethod
    def zeros(self, shape: tuple[int, ...]) -> Value:
        """Return additive neutral elements."""

    @abstractmethod
    def ones(self, shape: tuple[int, ...]) -> Value:
        """Return multiplicative neutral elements."""

    def plus(self, a: Value, b: Value) -> Value:
        """Add elementwise with broadcasting."""
        operands = jax.tree.map(lambda x, y: jnp.stack(jnp.broadcast_arrays(x, y)), a, b)
        return self.sum(operands, 0)

    @abstractmethod
    def times(self, a: Value, b: Value) -> Value:
        """Multiply elementwise with broadcasting."""

    @abstractmethod
    def sum(self, a: Value, axis: int) -> Value:
        """Sum along one axis; an empty axis gives zero."""

    @abstractmethod
    def lift(self, log_weight: jax.Array, feature: Any = None) -> Value:
        """Turn natural-log weights, each with a feature, into values.

        Args:
            log_weight: minus infinity is the weight zero.
            feature: an array or pytree of the same shape: an additive quantity such as an indicator
                or a cost, or a second log weight.
        """

    @abstractmethod
    def log_weight(self, a: Value) -> jax.Array:
        """Return the natural-log weight of values."""

    def observe(self, a: Value) -> Any:
        """Return the part of a value that the laws constrain, by default all of it.

        The feature of a zero weight, for example, is unconstrained.
        """
        return a

    def star(self, a: Value) -> Value:
        """Return the closure ``1 + a + a a + ...``.

        Raises:
            TypeError: if ``laws.star`` is false.
        """
        raise TypeError(f"{self.name} has no star, so loops of an automaton have no weight")

    def zeros_like(self, a: Value) -> Value:
        """Return zeros of the shape and dtypes of a value."""
        return self._like(self.zeros, a)

    def ones_like(self, a: Value) -> Value:
        """Return ones of the shape and dtypes of a value."""
        return self._like(self.ones, a)

    def _like(self, neutral: Callable[[tuple[int, ...]], Value], a: Value) -> Value:
        neutral_value = neutral(jax.tree.leaves(a)[0].shape)
        return jax.tree.map(
            lambda x, y: x if x.dtype == y.dtype else x.astype(y.dtype), neutral_value, a
        )

    def prod(self, a: Value, axis: int) -> Value:
        """Multiply along one axis, in order; an empty axis gives one. The depth is logarithmic."""
        size = jax.tree.leaves(a)[0].shape[axis]
        if size == 0:
            return self.ones(tuple(np.delete(jax.tree.leaves(a)[0].shape, axis).tolist()))
        a = jax.tree.map(lambda x: jnp.moveaxis(x, axis, 0), a)
        while size > 1:
            even, odd = size // 2, size % 2
            paired = self.times(
                take[0 : 2 * even : 2](a),
                take[1 : 2 * even : 2](a),
            )
            if odd:
                paired = jax.tree.map(lambda x, y: jnp.concatenate([x, y[-1:]]), paired, a)
            a, size = paired, even + odd
        return take[0](a)

    def matmul(self, a: Value, b: Value) -> Value:
        """Multiply matrices ``[..., i, k]`` and ``[..., k, j]``."""
        left = take[..., :, :, None](a)
        right = take[..., None, :, :](b)
        return self.sum(self.times(left, right), axis=-2)

    def group_sum(self, a: Value, groups: Groups) -> Value:
        """Sum ``[..., items]`` within groups to ``[..., groups]``; empty groups are zero."""
        padded = self.concatenate([a, self.zeros((*jax.tree.leaves(a)[0].shape[:-1], 1))], axis=-1)
        return self.sum(take[..., groups.table](padded), axis=-1)

    def group_spread(self, a: Value, groups: Groups) -> Value:
        """Broadcast ``[..., groups]`` to the items of each group, ``[..., items]``."""
        return take[..., groups.group](a)

    def balance(self, a: Value, axes: tuple[int, ...]) -> tuple[Value, jax.Array]:
        """Factor out a scale shared along ``axes``, to stay in the range of floats; by default one.

        Returns:
            The rescaled values, and the log factors, without those axes.
        """
        shape = jax.tree.leaves(a)[0].shape
        remaining = tuple(n for i, n in enumerate(shape) if i not in {x % len(shape) for x in axes})
        return a, jnp.zeros(remaining, jnp.float32)

    def concatenate(self, values: Sequence[Value], axis: int) -> Value:
        """Join values along an existing axis."""
        return jax.tree.map(lambda *xs: jnp.concatenate(xs, axis), *values)

    def where(self, condition: Condition, a: Value, b: Value) -> Value:
        """Choose elementwise between two values."""
        return jax.tree.map(lambda x, y: jnp.where(condition, x, y), a, b)
