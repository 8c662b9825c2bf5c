"""Sums over groups of columns, as matrix products.

Without scatter instructions, these and their transposes are many times as fast as scattering.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

# Smaller sums of exponentials have lost precision and are recomputed.
_LEAST = 1e-30


# By default, GPUs and TPUs round the factors of matrix products to 11 bits or fewer.
_matmul = partial(jnp.matmul, precision=jax.lax.Precision.HIGHEST)


class ColumnGroups(NamedTuple):
    """A partition of columns: the group of each, and the indicator ``[columns, groups]``."""

    group: npt.NDArray[np.int32]
    member: npt.NDArray[np.float32]

    @classmethod
    def of(cls, group: npt.NDArray[np.int32], groups: int) -> ColumnGroups:
        return cls(group, (group[:, None] == np.arange(groups)).astype(np.float32))


@jax.custom_jvp
def log_sums(scores: jax.Array, groups: ColumnGroups) -> jax.Array:
    """Log-sum-exp of ``[rows, columns]`` scores within groups: ``[rows, groups]``.

    A group of only minus infinity gives minus infinity; gradients stay finite.
    """

    def summed(scores: jax.Array) -> tuple[jax.Array, jax.Array]:
        top = jnp.max(scores, 1, keepdims=True)
        # Rows without a finite score subtract zero, to avoid infinity minus infinity.
        top = jnp.where(top == -jnp.inf, 0.0, top)
        total = _matmul(jnp.exp(scores - top), groups.member)
        lost = total < _LEAST
        return jnp.where(lost, -jnp.inf, jnp.log(jnp.where(lost, 1.0, total)) + top), lost

    def remaining(lost: jax.Array) -> jax.Array:
        return jnp.where(spread(lost, groups), scores, -jnp.inf)

    def unfinished(state: tuple[jax.Array, jax.Array]) -> jax.Array:
        # Usually no precision is lost, and no further pass is needed.
        return jax.lax.cond(
            jnp.any(state[1]),
            lambda lost: jnp.any(remaining(lost) > -jnp.inf),
            lambda lost: jnp.zeros((), bool),
            state[1],
        )

    def again(state: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        # Each pass completes at least the group of the largest remaining score in each row.
        total, lost = state
        more, still = summed(remaining(lost))
        return jnp.where(lost, more, total), lost & still

    log_totals: jax.Array = jax.lax.while_loop(unfinished, again, summed(scores))[0]
    return log_totals


@log_sums.defjvp
def _log_sums_jvp(
    primals: tuple[jax.Array, ColumnGroups], tangents: tuple[jax.Array, Any]
) -> tuple[jax.Array, jax.Array]:
    scores, groups = primals
    total = log_sums(scores, groups)
    finite_total = jnp.where(total == -jnp.inf, 0.0, total)[:, groups.group]
    return total, _matmul(jnp.exp(scores - finite_total) * tangents[0], groups.member)


@jax.custom_jvp
def spread(values: jax.Array, groups: ColumnGroups) -> jax.Array:
    """Broadcast the value of each group to its columns: ``[rows, columns]``."""
    return values[:, groups.group]


@spread.defjvp
def _spread_jvp(
    primals: tuple[jax.Array, ColumnGroups], tangents: tuple[jax.Array, Any]
) -> tuple[jax.Array, jax.Array]:
    return spread(*primals), _matmul(tangents[0], primals[1].member.T)
