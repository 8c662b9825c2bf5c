"""The interface that every semiring implements, and the defaults that follow from it.

A semiring value is a pytree of equally shaped JAX arrays. Structures access values only through the
methods below and by indexing under ``jax.tree.map``, so the same code works for every semiring. A
semiring object holds only parameters. It is frozen and hashable, so it can be a static argument of
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

Value = Any
"""A pytree of equally shaped arrays; only its semiring knows its structure."""

Condition = jax.Array | npt.NDArray[np.bool_]
"""Booleans, either computed on the device or constant on the host."""


@dataclass(frozen=True)
class Laws:
    """Declared properties of a semiring.

    Attributes:
        commutative: ``a * b == b * a``.
        idempotent: ``a + a == a``.
        selective: ``a + b`` is always one of ``a`` and ``b`` (the path property), so that a best
            derivation exists; such a semiring derives from ``Selective``.
        star: ``star``, the sum of all powers of a value, is defined.
        features: ``lift`` stores its feature in the value; other semirings ignore it.
        in_distribution: the equations hold between distributions of samples, not sample by sample.
        broken: laws that do not hold exactly, each with the reason.
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
        """True if ``matmul`` loses no weights other than those that ``times`` and ``sum`` lose."""
        return "matmul of extreme weights" not in self.broken or "extreme weights" in self.broken


class Groups(NamedTuple):
    """A partition of items into groups, in the two forms needed to sum over groups.

    Attributes:
        table: ``[groups, largest]`` indices of the items of each group, padded with the number
            of items.
        membership: ``[items, groups]`` one where the item belongs to the group, zero elsewhere.
        group: ``[items]`` the group of each item.
    """

    table: npt.NDArray[np.int32]
    membership: npt.NDArray[np.float32]
    group: npt.NDArray[np.int32]

    @classmethod
    def of(cls, group_of_item: Sequence[int] | np.ndarray, groups: int) -> Groups:
        """Build both forms of a partition.

        Args:
            group_of_item: ``[items]`` the group of each item.
            groups: the number of groups, empty ones included.
        """
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

    ``plus`` is commutative and associative with neutral element zero, ``times`` is associative
    with neutral element one, distributes over ``plus``, and zero annihilates. Exceptions are
    declared in ``laws`` with their reason.
    """

    name: ClassVar[str]

    @property
    @abstractmethod
    def laws(self) -> Laws:
        """The laws that this semiring satisfies beyond the axioms, and those that it violates."""

    @abstractmethod
    def zeros(self, shape: tuple[int, ...]) -> Value:
        """Return an array of additive neutral elements of the given shape."""

    @abstractmethod
    def ones(self, shape: tuple[int, ...]) -> Value:
        """Return an array of multiplicative neutral elements of the given shape."""

    def plus(self, a: Value, b: Value) -> Value:
        """Add elementwise with broadcasting; by default by ``sum`` over both operands.

        Args:
            a: values.
            b: values of a shape that broadcasts with theirs.
        """
        operands = jax.tree.map(lambda x, y: jnp.stack(jnp.broadcast_arrays(x, y)), a, b)
        return self.sum(operands, 0)

    @abstractmethod
    def times(self, a: Value, b: Value) -> Value:
        """Multiply elementwise with broadcasting.

        Args:
            a: values.
            b: values of a shape that broadcasts with theirs.
        """

    @abstractmethod
    def sum(self, a: Value, axis: int) -> Value:
        """Sum along one axis.

        Args:
            a: values.
            axis: the axis to remove; an empty one gives zero.
        """

    @abstractmethod
    def lift(self, log_weight: jax.Array, feature: Any = None) -> Value:
        """Turn natural-log weights, each with a feature, into values.

        Args:
            log_weight: any shape; minus infinity is the weight zero.
            feature: same shape, or a pytree of arrays of that shape: an additive quantity attached
                to the weight (an indicator, a cost, a tag for back-pointers, a second log weight).
                Semirings without features ignore it.
        """

    @abstractmethod
    def log_weight(self, a: Value) -> jax.Array:
        """Return the natural-log weight of values; minus infinity for zero."""

    def observe(self, a: Value) -> Any:
        """Return the part of a value that the laws constrain, as a pytree of arrays.

        By default, the whole value. No law constrains, for example, the feature of a zero weight,
        or which of two tied summands is selected.
        """
        return a

    def star(self, a: Value) -> Value:
        """Return the closure ``1 + a + a a + ...``; defined if ``laws.star`` is declared.

        Raises:
            TypeError: if this semiring has none.
        """
        raise TypeError(f"{self.name} has no star, so loops of an automaton have no weight")

    def zeros_like(self, a: Value) -> Value:
        """Return zeros of the shape and dtypes of a value that is the result of an operation."""
        return self._like(self.zeros, a)

    def ones_like(self, a: Value) -> Value:
        """Return ones of the shape and dtypes of a value that is the result of an operation."""
        return self._like(self.ones, a)

    def _like(self, neutral: Callable[[tuple[int, ...]], Value], a: Value) -> Value:
        neutral_value = neutral(jax.tree.leaves(a)[0].shape)
        return jax.tree.map(
            lambda x, y: x if x.dtype == y.dtype else x.astype(y.dtype), neutral_value, a
        )

    def prod(self, a: Value, axis: int) -> Value:
        """Multiply along one axis, in order.

        Neighbours are multiplied in pairs, so the depth is logarithmic.

        Args:
            a: values.
            axis: the axis to remove; an empty one gives one.
        """
        size = jax.tree.leaves(a)[0].shape[axis]
        if size == 0:
            shape = list(jax.tree.leaves(a)[0].shape)
            del shape[axis]
            return self.ones(tuple(shape))
        a = jax.tree.map(lambda x: jnp.moveaxis(x, axis, 0), a)
        while size > 1:
            even, odd = size // 2, size % 2
            paired = self.times(
                jax.tree.map(lambda x, n=even: x[0 : 2 * n : 2], a),
                jax.tree.map(lambda x, n=even: x[1 : 2 * n : 2], a),
            )
            if odd:
                paired = jax.tree.map(lambda x, y: jnp.concatenate([x, y[-1:]]), paired, a)
            a, size = paired, even + odd
        return jax.tree.map(lambda x: x[0], a)

    def matmul(self, a: Value, b: Value) -> Value:
        """Multiply matrices: the sum over k of the products.

        Args:
            a: ``[..., i, k]``.
            b: ``[..., k, j]``.
        """
        left = jax.tree.map(lambda x: x[..., :, :, None], a)
        right = jax.tree.map(lambda x: x[..., None, :, :], b)
        return self.sum(self.times(left, right), axis=-2)

    def group_sum(self, a: Value, groups: Groups) -> Value:
        """Sum the last axis within groups.

        Args:
            a: ``[..., items]``.
            groups: the partition of the items.

        Returns:
            ``[..., groups]``; empty groups have zero.
        """
        padded = self.concatenate([a, self.zeros((*jax.tree.leaves(a)[0].shape[:-1], 1))], axis=-1)
        return self.sum(jax.tree.map(lambda x: x[..., groups.table], padded), axis=-1)

    def group_spread(self, a: Value, groups: Groups) -> Value:
        """Broadcast the entry of each group to its items.

        Args:
            a: ``[..., groups]``.
            groups: the partition of the items.

        Returns:
            ``[..., items]``.
        """
        return jax.tree.map(lambda x: x[..., groups.group], a)

    def balance(self, a: Value, axes: tuple[int, ...]) -> tuple[Value, jax.Array]:
        """Split a value into a rescaled value and the log of the factor divided out.

        Rescaling keeps long products within the range of floats, and logarithms near zero, where
        they are precise. By default the factor is one.

        Args:
            a: values.
            axes: the axes that share one factor.

        Returns:
            The rescaled values, and the log factors, without those axes.
        """
        shape = jax.tree.leaves(a)[0].shape
        remaining = tuple(n for i, n in enumerate(shape) if i not in {x % len(shape) for x in axes})
        return a, jnp.zeros(remaining, jnp.float32)

    def concatenate(self, values: Sequence[Value], axis: int) -> Value:
        """Join values along an existing axis.

        Args:
            values: values of equal shapes except along that axis.
            axis: the axis to join along.
        """
        return jax.tree.map(lambda *xs: jnp.concatenate(xs, axis), *values)

    def where(self, condition: Condition, a: Value, b: Value) -> Value:
        """Choose elementwise between two values.

        Args:
            condition: booleans that broadcast against the leaves.
            a: the values where it is true.
            b: the values where it is false.
        """
        return jax.tree.map(lambda x, y: jnp.where(condition, x, y), a, b)
