"""Non-projective dependency trees: every word has a head, another word or the root; arcs may cross.

| Part | Shape                     | Entry                                       |
| ---- | ------------------------- | ------------------------------------------- |
| arc  | ``[batch, n + 1, n + 1]`` | ``[b, h, m]``: the head of word m is word h |

Word 0 is the root; column 0 and the diagonal are ignored.

The sum over these trees is a determinant, which divides: no recursion over any semiring.

Source: Tutte (1984), the matrix-tree theorem; Koo et al. (2007); Smith and Smith (2007).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NoReturn

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from semipunct.errors import UsageError
from semipunct.structures import matrix_tree, tree_walks
from semipunct.structures.base import any_batch
from semipunct.structures.best_trees import best_heads, top_heads, traced_best_heads
from semipunct.structures.heads import ArcParts, HeadTrees, checked_arcs, used_arcs
from semipunct.structures.readable import Direct
from semipunct.structures.recursion import Recursion
from semirings.base import Semiring

_SENSITIVITY = 1e5
"""The largest sensitivity of an item whose trees are drawn by walks: their expected number of draws
is then known to a percent."""

_TOGETHER = 64
"""The number of trees that are drawn simultaneously by elimination."""

_DRAWS = 2.0**14
"""The largest expected number of draws for a tree that is drawn by walks. Beyond it, elimination
would soon take less time, and the rounding of the probabilities of exits would show."""


@partial(
    jax.tree_util.register_dataclass,
    data_fields=["weights", "lengths"],
    meta_fields=["single_root"],
)
@dataclass(frozen=True)
class NonprojectiveTrees(HeadTrees, Direct):
    """A batch of sets of trees of any shape; see ``nonprojective_trees``."""

    projective: ClassVar[bool] = False

    def total(
        self, semiring: Semiring, feature: Any = None, recursion: Recursion = Recursion()
    ) -> NoReturn:
        """Refuse a sum over a semiring."""
        raise UsageError(
            "non-projective trees have no sum over a semiring, since a determinant divides; all "
            "other methods of a Distribution have results, and projective_trees has sums, too"
        )

    def log_partition(self) -> jax.Array:
        return matrix_tree.log_partition(self.weights.arc, self.lengths, self.single_root)

    def argmax(self) -> Any:
        """Return the heads ``[batch, n]`` of the best tree: one of the best, in a tie.

        Weights that JAX traces are compared in their own precision, others on the host in double
        precision.

        Source: Chu and Liu (1965); Edmonds (1967). With a single root, see ``best_heads``.
        """
        arcs, lengths = self.weights.arc, self.lengths
        if isinstance(arcs, Tracer) or isinstance(lengths, Tracer):
            return traced_best_heads(arcs, lengths, self.single_root)
        return best_heads(np.asarray(arcs), np.asarray(lengths), self.single_root)[0]

    def top_k(self, k: int) -> tuple[Any, Any]:
        """Return the heads and the log weights of the k best trees; it runs on the host.

        Raises:
            UsageError: if JAX traces the weights.

        Source: Lawler (1972), over the best trees of ``argmax``.
        """
        arcs, lengths = self.weights.arc, self.lengths
        if isinstance(arcs, Tracer) or isinstance(lengths, Tracer):
            raise UsageError(
                "top_k of non-projective trees runs on the host: call it outside of jit, vmap "
                "and grad"
            )
        heads, log_weight = top_heads(np.asarray(arcs), np.asarray(lengths), self.single_root, k)
        return heads, log_weight.astype(arcs.dtype)

    def sample(self, keys: jax.Array, count: int) -> jax.Array:
        """Draw trees by loop-erased random walks, heads ``[count, batch, n]``.

        Where a cycle outweighs its exits, such that walks would take too long, the heads of an item
        are drawn word by word from the marginals given the heads before, which takes n eliminations
        for each tree; a marginal below its own rounding error is then taken to be zero.

        Source: Wilson (1996), with a single root Zmigrod et al. (2021); Colbourn et al. (1996).
        """
        if not any(isinstance(x, Tracer) for x in (self.weights.arc, self.lengths, keys)):
            # Most weights need no eliminations, which take longer to compile than all else.
            sums, suffice = _sums_by_inverse(self)
            if suffice:
                return _by_walks(self, keys, count, sums)
        return _sample(self, keys, count)

    def entropy(self, marginals: ArcParts) -> jax.Array:
        near = self._shifted(marginals.arc)
        total = near.log_partition()
        # Without a tree, infinity minus itself would be NaN below.
        possible = jnp.where(total == -jnp.inf, 0.0, total)
        nats = possible - _expected(marginals.arc, near.weights.arc)
        return jnp.where(nats < 0, nats - jax.lax.stop_gradient(nats), nats) + jnp.where(
            total == -jnp.inf, -jnp.inf, 0.0
        )

    def kl_divergence(self, log_weights: ArcParts, marginals: ArcParts) -> jax.Array:
        p = self._shifted(marginals.arc)
        q = self.with_log_weights(log_weights)._shifted(marginals.arc)
        is_used = marginals.arc > 0
        difference = jnp.where(is_used, p.weights.arc, 0.0) - jnp.where(is_used, q.weights.arc, 0.0)
        return _expected(marginals.arc, difference) - p.log_partition() + q.log_partition()

    def _shifted(self, marginals: jax.Array) -> NonprojectiveTrees:
        """Return the same distribution, where the most probable arc to each word has weight zero.

        Differences of large totals would lose the digits of an entropy.
        """
        arcs = self.weights.arc
        head = jnp.argmax(marginals, 1, keepdims=True)
        shift = jax.lax.stop_gradient(jnp.take_along_axis(arcs, head, 1))
        shift = jnp.where(jnp.isfinite(shift), shift, 0.0)
        return self.with_log_weights(ArcParts(arcs - shift))


@any_batch(arcs=2, lengths=0)
def nonprojective_trees(
    arcs: jax.Array, lengths: jax.Array | None = None, single_root: bool = True
) -> NonprojectiveTrees:
    """Make trees of any shape over words 1 to n, which weigh a tree by its arcs.

    Args:
        arcs: ``[*batch, n + 1, n + 1]`` log weight from head, where 0 is the root, to dependent.
            Column 0 and the diagonal are ignored.
        lengths: ``[*batch]`` numbers of words, 0 to n; n by default.
        single_root: whether the root has exactly one child; otherwise at least one.

    Raises:
        UsageError: if a shape, a length or a log weight is wrong.
    """
    return NonprojectiveTrees(*checked_arcs(arcs, lengths), single_root)


def _expected(marginals: jax.Array, weights: jax.Array) -> jax.Array:
    return jnp.sum(marginals * jnp.where(marginals > 0, weights, 0.0), (1, 2))


@jax.jit
def _sums_by_inverse(trees: NonprojectiveTrees) -> tuple[matrix_tree.Sums, jax.Array]:
    """Return sums by the inverse, and whether trees of all items can be drawn with them."""
    sums = matrix_tree.by_inverse(_possible_weights(trees), trees.lengths, trees.single_root)
    return sums, jnp.all(matrix_tree.is_spared(sums, trees.lengths) & _can_walk(sums))


@partial(jax.jit, static_argnums=2)
def _by_walks(
    trees: NonprojectiveTrees, keys: jax.Array, count: int, sums: matrix_tree.Sums
) -> jax.Array:
    """Draw trees where all sums come from the inverse and no walk is long."""
    heads = _walk(trees, keys, count, sums, jnp.ones(len(keys), bool))
    return _with_padding(trees, heads, sums.log_partition)


@partial(jax.jit, static_argnums=2)
def _sample(trees: NonprojectiveTrees, keys: jax.Array, count: int) -> jax.Array:
    """Draw trees of each item, given a key for each."""
    sums = matrix_tree.exact_sums(trees.weights.arc, trees.lengths, trees.single_root)
    walked, possible = _can_walk(sums), sums.log_partition > -jnp.inf
    heads = _walk(trees, keys, count, sums, walked & possible)
    rest = possible & ~walked
    order = jnp.argsort(~rest, stable=True)
    weights = _possible_weights(trees)

    def eliminate(number: jax.Array, heads: jax.Array) -> jax.Array:
        item = order[number]
        of_item = jax.random.split(keys[item], count)
        arcs, length = weights[item], trees.lengths[item]
        return heads.at[:, item].set(
            tree_walks.draw_heads_by_elimination(
                arcs, length, trees.single_root, of_item, _TOGETHER
            )
        )

    if len(keys):  # The loop indexes items when it is traced.
        heads = jax.lax.fori_loop(0, jnp.sum(rest), eliminate, heads)
    return _with_padding(trees, heads, sums.log_partition)


def _can_walk(sums: matrix_tree.Sums) -> jax.Array:
    """Return ``[batch]`` whether random walks are not too long."""
    return (sums.sensitivity < _SENSITIVITY) & (sums.draws < _DRAWS)


def _possible_weights(trees: NonprojectiveTrees) -> jax.Array:
    used = used_arcs(jnp.arange(trees.weights.arc.shape[1])[None] <= trees.lengths[:, None])
    return jnp.where(used & (trees.weights.arc < jnp.inf), trees.weights.arc, -jnp.inf)


def _walk(
    trees: NonprojectiveTrees, keys: jax.Array, count: int, sums: matrix_tree.Sums, wanted: Any
) -> jax.Array:
    """Draw heads ``[count, batch, n]`` by random walks, of the items where that is wanted."""
    from_each = jax.vmap(lambda key: jax.random.bits(key, (2,), jnp.uint32))(keys)
    return tree_walks.draw_heads(
        _steps(_possible_weights(trees), sums.marginals, trees.single_root),
        trees.lengths,
        trees.single_root,
        (from_each[:, 0], from_each[:, 1]),
        jnp.where(wanted, count, 0),
        count,
    )


def _with_padding(trees: NonprojectiveTrees, heads: jax.Array, total: jax.Array) -> jax.Array:
    """Return drawn heads, -1 where there is no word, no tree or a weight that is NaN."""
    inside = jnp.arange(1, trees.weights.arc.shape[1]) <= trees.lengths[:, None]
    return jnp.where(inside & (total > -jnp.inf)[:, None], heads, -1)


def _steps(weights: jax.Array, marginals: jax.Array, single_root: bool) -> jax.Array:
    """Return the probabilities of heads, ``[batch, n + 1, n + 1]`` by word and head.

    With a single root, only its child has the root as its head; row 0 has the probabilities of its
    child.
    """
    if single_root:
        weights = weights.at[:, 0].set(-jnp.inf)
    largest = jnp.max(weights, 1, keepdims=True)
    ratio = jnp.exp(weights - jnp.where(largest > -jnp.inf, largest, 0.0))
    ratio = ratio.at[:, :, 0].set(marginals[:, 0])
    total = jnp.sum(ratio, 1, keepdims=True)
    return jnp.swapaxes(ratio / jnp.where(total > 0, total, 1.0), 1, 2)
