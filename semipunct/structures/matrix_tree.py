"""Sums over non-projective trees: a determinant, or elimination in log space.

The determinant (Koo et al. 2007; Smith and Smith 2007) is rescaled per word to avoid overflow. Its
pivots are differences, however, and lose digits if cycles outweigh their exits: relative errors eps
in a matrix M change the log determinant by at most eps times the sum of ``|inv(M)| * |M|``, the
sensitivity. Items with a large one are summed by elimination (Grassmann, Taksar and Heyman 1985),
which has no differences.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from semipunct.structures.heads import used_arcs
from semirings.devices import scan
from semirings.numerics import anywhere, matmul

# Largest sensitivity per word for sums by the inverse; errors are at most a few times as large as
# by elimination. Uniform weights have 3, a certain tree 1.
_LOSS = 16

# Items that are eliminated together.
_TOGETHER = 8

# The order of an empty sum, above the order of any tree.
_NO_ARC = 1 << 20


class Sums(NamedTuple):
    """Results of ``by_inverse``.

    Attributes:
        marginals: ``[batch, n + 1, n + 1]``.
        sensitivity: ``[batch]`` error of the log partition in units of eps. If infinite or NaN, the
            matrix is singular and other results are meaningless, but finite.
        draws: ``[batch]`` expected steps of Wilson's (1996) sampler per tree.
    """

    log_partition: jax.Array
    marginals: jax.Array
    sensitivity: jax.Array
    draws: jax.Array


@partial(jax.custom_jvp, nondiff_argnums=(2,))
def log_partition(arcs: jax.Array, lengths: jax.Array, single_root: bool) -> jax.Array:
    """Return the log partition ``[batch]``, given log weights ``[batch, n + 1, n + 1]``."""
    return exact_sums(arcs, lengths, single_root).log_partition


@log_partition.defjvp
def _(single_root: bool, primals: Any, tangents: Any) -> tuple[jax.Array, jax.Array]:
    arcs, lengths = primals
    sums = exact_sums(arcs, lengths, single_root)
    change = jnp.where(sums.marginals == 0, 0.0, sums.marginals * tangents[0])
    return sums.log_partition, jnp.sum(change, (1, 2))


def exact_sums(arcs: jax.Array, lengths: jax.Array, single_root: bool) -> Sums:
    """Return sums by the inverse, or by elimination for items that are too sensitive.

    Log partitions and marginals are NaN for items with an invalid weight.
    """
    places = jnp.arange(arcs.shape[1])
    used = used_arcs(places[None] <= lengths[:, None])
    bad = jnp.any(used & (jnp.isnan(arcs) | (arcs == jnp.inf)), (1, 2))
    # Finite weights, so that invalid items cause no elimination.
    weights = jnp.where(used, jnp.where(bad[:, None, None], 0.0, arcs), -jnp.inf)
    sums = by_inverse(weights, lengths, single_root)
    exact = is_spared(sums, lengths)

    def again() -> tuple[jax.Array, jax.Array]:
        return _with_eliminations(weights, lengths, single_root, sums, exact)

    each, marginals = jax.lax.cond(
        anywhere(~exact), again, lambda: (sums.log_partition, sums.marginals)
    )
    nothing = jnp.where(bad, jnp.nan, 0.0).astype(arcs.dtype)
    return sums._replace(log_partition=each + nothing, marginals=marginals + nothing[:, None, None])


def is_spared(sums: Sums, lengths: jax.Array) -> jax.Array:
    """Return a mask ``[batch]`` of items whose sums by the inverse are accurate."""
    return sums.sensitivity <= _LOSS * (lengths + 1)


def by_inverse(weights: jax.Array, lengths: jax.Array, single_root: bool) -> Sums:
    """Sum by the inverse of the Laplacian.

    Args:
        weights: log weights below infinity, minus infinity where unused.
    """
    words = weights.shape[1] - 1
    if not words:
        nothing = jnp.zeros(len(weights), weights.dtype)
        return Sums(nothing, jnp.zeros_like(weights), nothing, nothing)
    # With a single root, its arcs are scaled separately.
    largest = _largest(weights[:, int(single_root) :])
    largest = jnp.where(largest > -jnp.inf, largest, _largest(weights[:, :1]))
    largest = jnp.where(largest > -jnp.inf, largest, 0.0)
    log_scale = jnp.sum(largest, (1, 2))
    arcs = jnp.exp((weights - largest)[:, 1:, 1:])
    log_root = (weights - largest)[:, 0, 1:]
    padding = jnp.arange(words) >= lengths[:, None]
    to_word = jnp.sum(arcs, 1)
    if single_root:
        most = _largest(log_root)
        most = jnp.where(most > -jnp.inf, most, 0.0)
        root = jnp.exp(log_root - most)
        log_scale = log_scale + most[:, 0]
        # Add the root's arcs to the row of word 1; Koo et al. (2007), section 3.2, replace the row.
        # Columns of the Laplacian sum to zero, so the determinant sums over trees with one root.
        exits = (jnp.arange(words) == 0)[:, None] * root[:, None]
        diagonal = jnp.where(padding, 1.0, to_word)
    else:
        root = jnp.exp(log_root)
        exits = jnp.zeros_like(arcs)
        diagonal = jnp.where(padding, 1.0, to_word + root)
    eye = jnp.eye(words, dtype=arcs.dtype)
    on_diagonal = diagonal[:, None] * eye
    matrix = on_diagonal + exits - arcs
    inverse, log_determinant, regular = _inverse(matrix)
    at = jnp.diagonal(inverse, axis1=1, axis2=2)
    of_root = root * (inverse[:, :, 0] if single_root else at)
    between = arcs * (at[:, None] - jnp.swapaxes(inverse, 1, 2))
    marginals = jnp.zeros_like(weights).at[:, 0, 1:].set(of_root).at[:, 1:, 1:].set(between)
    if single_root:
        # The inverse without the row and column of the root's child, averaged over children.
        child, rest = inverse[:, :, 0], jnp.sum(root * at, 1, keepdims=True) - 1
        visits = at - jnp.sum(inverse * of_root[:, None], 2) + child * rest
        draws = 1 + jnp.sum(jnp.where(padding, 0.0, to_word * visits), 1)
    else:
        draws = jnp.sum(jnp.where(padding, 0.0, diagonal * at), 1)
    sizes = jnp.swapaxes(on_diagonal + exits + arcs, 1, 2)
    sensitivity = jnp.sum(jnp.abs(inverse) * sizes, (1, 2)) - jnp.sum(padding, 1)
    sensitivity, draws = jax.lax.stop_gradient(
        jax.tree.map(lambda x: jnp.where(regular, x, jnp.inf), (sensitivity, draws))
    )
    return Sums(log_scale + log_determinant, jnp.clip(marginals, 0.0, 1.0), sensitivity, draws)


def _largest(x: jax.Array) -> jax.Array:
    """Return the maximum along axis 1, without gradient."""
    return jax.lax.stop_gradient(jnp.max(x, 1, keepdims=True, initial=-jnp.inf))


@jax.custom_jvp
def _inverse(matrix: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Return inverse, log absolute determinant, and whether both are finite.

    Otherwise they and their gradients are zero rather than NaN.
    """
    decomposed, _, order = jax.lax.linalg.lu(matrix)
    eye = jnp.eye(matrix.shape[-1], dtype=matrix.dtype)[order]
    solve = partial(jax.lax.linalg.triangular_solve, decomposed, left_side=True)
    inverse = solve(solve(eye, lower=True, unit_diagonal=True), lower=False)
    pivots = jnp.diagonal(decomposed, axis1=1, axis2=2)
    log_determinant = jnp.sum(jnp.log(jnp.abs(pivots)), 1)
    regular = jnp.isfinite(log_determinant) & jnp.all(jnp.isfinite(inverse), (1, 2))
    inverse = jnp.where(regular[:, None, None], inverse, 0.0)
    return inverse, jnp.where(regular, log_determinant, 0.0), regular


@_inverse.defjvp
def _(primals: Any, tangents: Any) -> tuple[Any, Any]:
    inverse, log_determinant, regular = _inverse(*primals)
    change = tangents[0]
    of_log = jnp.sum(jnp.swapaxes(inverse, 1, 2) * change, (1, 2))
    of_inverse = -matmul(matmul(inverse, change), inverse)
    none = jnp.zeros(regular.shape, jax.dtypes.float0)
    return (inverse, log_determinant, regular), (of_inverse, of_log, none)


def _with_eliminations(
    weights: jax.Array, lengths: jax.Array, single_root: bool, sums: Sums, exact: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Return log partitions and marginals, by elimination where not ``exact``."""
    batch = len(weights)
    together = max(1, min(_TOGETHER, batch))
    groups = -(-batch // together)

    def grouped(x: jax.Array) -> jax.Array:
        x = jnp.pad(x, [(0, groups * together - batch), *[(0, 0)] * (x.ndim - 1)])
        return x.reshape(groups, together, *x.shape[1:])

    def of_group(group: Any) -> tuple[jax.Array, jax.Array]:
        weights, lengths, each, marginals, eliminated = group

        def again() -> tuple[jax.Array, jax.Array]:
            exact, exact_marginals = by_elimination(weights, lengths, single_root)
            chosen = jnp.where(eliminated[:, None, None], exact_marginals, marginals)
            return jnp.where(eliminated, exact, each), chosen

        return jax.lax.cond(anywhere(eliminated), again, lambda: (each, marginals))

    values = weights, lengths, sums.log_partition, sums.marginals, ~exact
    results = jax.lax.map(of_group, jax.tree.map(grouped, values))
    return jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:])[:batch], results)


def _log_partition_by_elimination(
    arcs: jax.Array, lengths: jax.Array, single_root: bool
) -> jax.Array:
    size = arcs.shape[1]
    places = jnp.arange(size)
    used = used_arcs(places[None] <= lengths[:, None])
    # Padding words attach to the root with weight one and order 0.
    padding = (places[:, None] == 0) & (places[None] > lengths[:, None, None])
    value = jnp.where(used, arcs, jnp.where(padding, 0.0, -jnp.inf))
    root = (places[:, None] == 0) & used
    order = jnp.where(root, int(single_root), 0)

    # Remove words from last to first. The pivot is the sum of arcs to the word; paths through it
    # are added to direct arcs. With a single root, weights are leading terms of series in t, in
    # which arcs from the root have order 1; terms of order 1 are trees with one root.
    def eliminate(state: Any, word: jax.Array) -> tuple[Any, Any]:
        value, order = state
        heads = jnp.where(places < word, value[:, :, word], -jnp.inf)
        pivot, pivot_order = _sum(heads, order[:, :, word], 1)
        finite = jnp.where(pivot > -jnp.inf, pivot, 0.0)
        through = heads[:, :, None] + value[:, word, None] - finite[:, None, None]
        order_through = order[:, :, word, None] + order[:, word, None] - pivot_order[:, None, None]
        left = (places[:, None] < word) & (places < word) & (places[:, None] != places)
        through = jnp.where(left, through, -jnp.inf)
        state = _sum(jnp.stack([value, through]), jnp.stack([order, order_through]), 0)
        return state, (pivot, pivot_order)

    _, (pivots, orders) = scan(eliminate, (value, order), places[:0:-1])
    wanted = (lengths > 0) & single_root
    return jnp.where(jnp.sum(orders, 0) == wanted, jnp.sum(pivots, 0), -jnp.inf)


def by_elimination(
    arcs: jax.Array, lengths: jax.Array, single_root: bool
) -> tuple[jax.Array, jax.Array]:
    """Return log partition and marginals, for weights of any size."""

    def total(arcs: jax.Array) -> tuple[jax.Array, jax.Array]:
        each = _log_partition_by_elimination(arcs, lengths, single_root)
        return jnp.sum(jnp.where(each == -jnp.inf, 0.0, each)), each

    gradient, each = jax.grad(total, has_aux=True)(arcs)
    return each, jnp.clip(gradient, 0.0, 1.0)


def _sum(value: jax.Array, order: jax.Array, axis: int) -> tuple[jax.Array, jax.Array]:
    """Add series, given the logs and orders of their leading terms."""
    order = jnp.where(value > -jnp.inf, order, _NO_ARC)
    least = jnp.min(order, axis, keepdims=True)
    leading = (order == least) & (value > -jnp.inf)
    # Two wheres, because the gradient of exp(-inf - -inf) is NaN.
    most = jax.lax.stop_gradient(jnp.max(jnp.where(leading, value, -jnp.inf), axis, keepdims=True))
    most = jnp.where(most > -jnp.inf, most, 0.0)
    exponentials = jnp.where(leading, jnp.exp(jnp.where(leading, value - most, 0.0)), 0.0)
    added = jnp.sum(exponentials, axis)
    log = jnp.log(jnp.where(added > 0, added, 1.0)) + jnp.squeeze(most, axis)
    least = jnp.squeeze(least, axis)
    return jnp.where(added > 0, log, -jnp.inf), jnp.where(added > 0, least, 0)
