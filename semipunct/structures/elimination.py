"""Sums over non-projective trees, and draws, for weights of any size: elimination in log space.

Words are eliminated from the last to the first, as in the algorithm of Grassmann, Taksar and Heyman
(1985): the pivot is the sum of the arcs to the word instead of a difference, and the arc from h to
m through it is added to the direct one. Sums, products and quotients of positive numbers keep their
relative precision, and in log space their range; the error is that of adding up the log weights,
some 1e-3 in float32 for weights of 1e4. Rescaled rows and columns of an LU decomposition keep
neither: a pivot is the small difference of large numbers where a cycle outweighs its exits.

With a single root, a weight is the leading term of a series in t, where arcs from the root have
order 1, and the others 0. The terms of order 1 in the total are the trees with one root, which is
what the determinant of Koo et al. (2007), section 3.2, sums. Without differences no leading term
cancels, so the others are not needed.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from semirings.devices import scan

_NO_ARC = 1 << 20
"""The order of a sum without terms, above that of any tree."""


def used_arcs(words: Any) -> Any:
    """Return ``[batch, n + 1, n + 1]`` whether a tree may have an arc.

    Args:
        words: ``[batch, n + 1]`` whether a word, or the root, is in the sentence.
    """
    size = words.shape[1]
    between = ~np.eye(size, dtype=bool) & (np.arange(size) > 0)
    return words[:, :, None] & words[:, None, :] & between[None]


def log_partition(arcs: jax.Array, lengths: jax.Array, single_root: bool) -> jax.Array:
    """Return the log of the sum of the weights of all trees, ``[batch]``.

    Args:
        arcs: ``[batch, n + 1, n + 1]`` log weights, below infinity where they are used.
        lengths: ``[batch]`` numbers of words.
        single_root: whether the root has exactly one child.
    """
    size = arcs.shape[1]
    places = jnp.arange(size)
    used = used_arcs(places[None] <= lengths[:, None])
    # The head of padding is the root, with weight one and order 0.
    padding = (places[:, None] == 0) & (places[None] > lengths[:, None, None])
    value = jnp.where(used, arcs, jnp.where(padding, 0.0, -jnp.inf))
    root = (places[:, None] == 0) & used
    order = jnp.where(root, int(single_root), 0)

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


def log_partition_and_marginals(
    arcs: jax.Array, lengths: jax.Array, single_root: bool
) -> tuple[jax.Array, jax.Array]:
    """Return the log partition ``[batch]`` and the probabilities of arcs.

    Args:
        arcs: as for ``log_partition``.
        lengths: likewise.
        single_root: likewise.
    """

    def total(arcs: jax.Array) -> tuple[jax.Array, jax.Array]:
        each = log_partition(arcs, lengths, single_root)
        return jnp.sum(jnp.where(each == -jnp.inf, 0.0, each)), each

    gradient, each = jax.grad(total, has_aux=True)(arcs)
    return each, jnp.clip(gradient, 0.0, 1.0)


def draw_heads(
    arcs: jax.Array, length: jax.Array, single_root: bool, keys: jax.Array, together: int
) -> jax.Array:
    """Draw trees of one item, heads ``[draws, n]``, word by word from the marginals.

    The marginals of a word are those given the heads of the words before: n eliminations for each
    tree. A marginal below its own rounding error is taken to be zero.

    Args:
        arcs: ``[n + 1, n + 1]`` log weights.
        length: the number of words.
        single_root: whether the root has exactly one child.
        keys: ``[draws]`` a random key for each.
        together: the number of simultaneous draws.

    Source: Colbourn et al. (1996).
    """
    places = jnp.arange(len(arcs))
    threshold = 8 * len(arcs) * jnp.finfo(arcs.dtype).eps

    def draw(key: jax.Array) -> jax.Array:
        def head_of(arcs: jax.Array, word: jax.Array) -> tuple[jax.Array, jax.Array]:
            _, given = log_partition_and_marginals(arcs[None], length[None], single_root)
            column = given[0, :, word]
            logits = jnp.where(column > threshold, jnp.log(jnp.maximum(column, 1e-30)), -jnp.inf)
            head = jax.random.categorical(jax.random.fold_in(key, word), logits)
            chosen = (places[:, None] == head) | (places != word)
            return jnp.where(chosen, arcs, -jnp.inf), head

        return scan(head_of, arcs, places[1:])[1]

    return jax.lax.map(draw, keys, batch_size=together)


def _sum(value: jax.Array, order: jax.Array, axis: int) -> tuple[jax.Array, jax.Array]:
    """Add series given by the logs and the orders of their leading terms."""
    order = jnp.where(value > -jnp.inf, order, _NO_ARC)
    least = jnp.min(order, axis, keepdims=True)
    leading = (order == least) & (value > -jnp.inf)
    # Two wheres, since the gradient of an exponential of minus infinity minus itself is NaN.
    most = jax.lax.stop_gradient(jnp.max(jnp.where(leading, value, -jnp.inf), axis, keepdims=True))
    most = jnp.where(most > -jnp.inf, most, 0.0)
    exponentials = jnp.where(leading, jnp.exp(jnp.where(leading, value - most, 0.0)), 0.0)
    added = jnp.sum(exponentials, axis)
    log = jnp.log(jnp.where(added > 0, added, 1.0)) + jnp.squeeze(most, axis)
    least = jnp.squeeze(least, axis)
    return jnp.where(added > 0, log, -jnp.inf), jnp.where(added > 0, least, 0)
