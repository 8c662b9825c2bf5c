"""Sums over groups of columns, as products with a matrix.

A processor without instructions for it scatters column by column; a product of matrices is many
times as fast, and so is its transpose in the reverse pass.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

_LEAST = 1e-30
"""A sum of exponentials below this has lost digits, or all of them, and is taken again."""


class ColumnGroups(NamedTuple):
    """A partition of columns.

    Attributes:
        group: ``[columns]`` the group of each.
        member: ``[columns, groups]`` one where a column belongs to a group.
    """

    group: npt.NDArray[np.int32]
    member: npt.NDArray[np.float32]

    @classmethod
    def of(cls, group: npt.NDArray[np.int32], groups: int) -> ColumnGroups:
        """Make the matrix of a partition.

        Args:
            group: ``[columns]`` the group of each.
            groups: how many there are.
        """
        return cls(group, (group[:, None] == np.arange(groups)).astype(np.float32))


@jax.custom_jvp
def log_sums(scores: jax.Array, groups: ColumnGroups) -> jax.Array:
    """Sum exponentials within groups, as logarithms: ``[rows, groups]``.

    Minus infinity for a group whose scores all are; gradients stay finite.

    Args:
        scores: ``[rows, columns]``.
        groups: of the columns.
    """

    def summed(scores: jax.Array) -> tuple[jax.Array, jax.Array]:
        top = jnp.max(scores, 1, keepdims=True)
        # Of a row without a finite score nothing may be subtracted: infinity less infinity.
        top = jnp.where(top == -jnp.inf, 0.0, top)
        total = jnp.exp(scores - top) @ groups.member
        lost = total < _LEAST
        return jnp.where(lost, -jnp.inf, jnp.log(jnp.where(lost, 1.0, total)) + top), lost

    def remaining(lost: jax.Array) -> jax.Array:
        return jnp.where(spread(lost, groups), scores, -jnp.inf)

    def unfinished(state: tuple[jax.Array, jax.Array]) -> jax.Array:
        # Nearly always nothing is lost, and what remains need not be looked at.
        return jax.lax.cond(
            jnp.any(state[1]),
            lambda lost: jnp.any(remaining(lost) > -jnp.inf),
            lambda lost: jnp.zeros((), bool),
            state[1],
        )

    def again(state: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        # At least the group of each row's largest score is not lost once more.
        total, lost = state
        more, still = summed(remaining(lost))
        return jnp.where(lost, more, total), lost & still

    found: jax.Array = jax.lax.while_loop(unfinished, again, summed(scores))[0]
    return found


@log_sums.defjvp
def _log_sums_jvp(
    primals: tuple[jax.Array, ColumnGroups], tangents: tuple[jax.Array, Any]
) -> tuple[jax.Array, jax.Array]:
    scores, groups = primals
    total = log_sums(scores, groups)
    known = jnp.where(total == -jnp.inf, 0.0, total)[:, groups.group]
    return total, (jnp.exp(scores - known) * tangents[0]) @ groups.member


@jax.custom_jvp
def spread(values: jax.Array, groups: ColumnGroups) -> jax.Array:
    """Give each column its group's value: ``[rows, columns]``.

    Args:
        values: ``[rows, groups]``.
        groups: of the columns.
    """
    return values[:, groups.group]


@spread.defjvp
def _spread_jvp(
    primals: tuple[jax.Array, ColumnGroups], tangents: tuple[jax.Array, Any]
) -> tuple[jax.Array, jax.Array]:
    return spread(*primals), tangents[0] @ primals[1].member.T
