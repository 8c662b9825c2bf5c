"""Non-projective dependency trees: every word has a head, another word or the root; arcs may cross.

| Part | Shape                     | Entry                                       |
| ---- | ------------------------- | ------------------------------------------- |
| arc  | ``[batch, n + 1, n + 1]`` | ``[b, h, m]``: the head of word m is word h |

Word 0 is the root; column 0 and the diagonal are ignored.

The sum over these trees is a determinant, which divides. It is no recursion over any semiring, so
this is not a ``Structure``, and a ``Distribution`` cannot be made of it; ``NonprojectiveTrees`` has
the questions that it can answer as methods of the same names.

Source: Tutte (1984), the matrix-tree theorem; Koo et al. (2007); Smith and Smith (2007).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, NoReturn

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from semipunct.arrays.shapes import (
    as_log_weights,
    check_lengths,
    check_log_weights,
    check_shapes,
    lengths_or_all,
    within,
)
from semipunct.errors import UsageError
from semipunct.structures import matrix_tree, tree_walks
from semipunct.structures.base import compile_once
from semipunct.structures.best_trees import best_heads, top_heads, traced_best_heads
from semipunct.structures.draws import Places
from semipunct.structures.heads import are_trees, check_trees, heads_of, places_of_heads
from semipunct.structures.matrix_tree import used_arcs

_SENSITIVITY = 1e5
"""The largest sensitivity of an item whose trees are drawn by walks: their expected number of draws
is then known to a percent."""

_DRAWS = 2.0**14
"""The largest expected number of draws for a tree that is drawn by walks. Beyond it, elimination
would soon take less time, and the rounding of the probabilities of exits would show."""


class Heads(NamedTuple):
    """Trees and their log weights.

    Attributes:
        heads: ``[batch, n]``, or ``[count, batch, n]``: the head of word m at m - 1, where 0 is the
            root; -1 in the padding, and for all words of an item without a tree.
        log_weight: ``[batch]``, or ``[count, batch]``; minus infinity where there is no tree.
    """

    heads: Any
    log_weight: Any


@partial(
    jax.tree_util.register_dataclass, data_fields=["arcs", "lengths"], meta_fields=["single_root"]
)
@dataclass(frozen=True)
class NonprojectiveTrees:
    """A batch of distributions over non-projective trees; see ``nonprojective_trees``.

    All numeric results of an item with a weight of NaN or plus infinity that JAX traced are NaN.
    """

    arcs: jax.Array
    lengths: jax.Array
    single_root: bool = True

    @compile_once()
    def log_partition(self) -> jax.Array:
        """Return the log of the sum of the weights of all trees, ``[batch]``."""
        return matrix_tree.log_partition(self.arcs, self.lengths, self.single_root)

    @compile_once()
    def log_partition_and_marginals(self) -> tuple[jax.Array, jax.Array]:
        """Return the log partition and the marginals, at little more than the cost of one."""
        return matrix_tree.log_partition_and_marginals(self.arcs, self.lengths, self.single_root)

    def marginals(self) -> jax.Array:
        """Return the probability of each arc, ``[batch, n + 1, n + 1]``."""
        return self.log_partition_and_marginals()[1]

    def score(self, heads: Any) -> jax.Array:
        """Return the log weight ``[batch]`` of trees.

        Args:
            heads: ``[batch, n]`` the head of word m at m - 1, 0 for the root; the padding is
                ignored.

        Raises:
            UsageError: if the heads of an item are not a tree over its words: a head is out of
                range or the word itself, there is a cycle, or there are several roots where one is
                asked for. Traced heads that are not a tree have log weight minus infinity.
        """
        heads = jnp.asarray(heads)
        batch, size, _ = self.arcs.shape
        if heads.shape != (batch, size - 1):
            raise UsageError(f"heads have shape {heads.shape}, not {(batch, size - 1)}")
        if not isinstance(heads, Tracer) and not isinstance(self.lengths, Tracer):
            check_trees(np.asarray(heads), np.asarray(self.lengths), self.single_root)
        return self._scores(heads)

    @compile_once()
    def _scores(self, heads: jax.Array) -> jax.Array:
        words = jnp.arange(1, self.arcs.shape[1])
        used = words <= self.lengths[:, None]
        inside = (heads >= 0) & (heads <= self.lengths[:, None])
        head = jnp.where(used & inside, heads, 0)
        weights = jnp.take_along_axis(self.arcs[:, :, 1:], head[:, None], 1)[:, 0]
        log_weight = jnp.sum(jnp.where(used, weights, 0.0), 1)
        valid = are_trees(jnp, jnp.where(used, heads, 0), used, self.lengths, self.single_root)
        return jnp.where(valid, log_weight, -jnp.inf)

    def log_prob(self, heads: Any) -> jax.Array:
        """Return the log probability ``[batch]`` of trees.

        Args:
            heads: as for ``score``.

        Raises:
            UsageError: as for ``score``.
        """
        return self.score(heads) - self.log_partition()

    def to_parts(self, heads: Any) -> jax.Array:
        """Return the arcs ``[..., n + 1, n + 1]`` of trees: one where an arc is used, else zero.

        Args:
            heads: ``[..., batch, n]`` heads.

        Raises:
            UsageError: as for ``score``. Traced heads that are not a tree have arcs of NaN.
        """
        size = self.arcs.shape[1]
        index = places_of_heads(heads, self.lengths, size - 1, self.single_root, False)
        return Places(index, (size, size), self.arcs.dtype).marks()

    def from_parts(self, parts: Any) -> jax.Array:
        """Return the heads ``[..., n]`` of trees, -1 for words without an arc.

        Args:
            parts: ``[..., n + 1, n + 1]`` arcs of trees, as of ``to_parts``.
        """
        return heads_of(parts)

    def best(self) -> Heads:
        """Find the best tree of each item: one of the best, in a tie.

        Weights that JAX traces are compared in their own precision, others on the host in double
        precision.

        Source: Chu and Liu (1965); Edmonds (1967). With a single root, see ``best_heads``.
        """
        if isinstance(self.arcs, Tracer) or isinstance(self.lengths, Tracer):
            return self._traced_best()
        heads, log_weight = best_heads(
            np.asarray(self.arcs), np.asarray(self.lengths), self.single_root
        )
        return Heads(heads, log_weight.astype(self.arcs.dtype))

    @compile_once()
    def _traced_best(self) -> Heads:
        heads = traced_best_heads(self.arcs, self.lengths, self.single_root)
        words = jnp.arange(1, self.arcs.shape[1])
        used = words <= self.lengths[:, None]
        above = jnp.maximum(heads, 0)[:, None]
        picked = jnp.take_along_axis(self.arcs[:, :, 1:], above, 1)[:, 0]
        log_weight = jnp.sum(jnp.where(used & (heads >= 0), picked, 0.0), 1)
        log_weight = jnp.where(jnp.any(used & (heads < 0), 1), -jnp.inf, log_weight)
        inside = jnp.arange(self.arcs.shape[1]) <= self.lengths[:, None]
        valid = jnp.all(~used_arcs(inside) | (self.arcs < jnp.inf), (1, 2))
        return Heads(heads, jnp.where(valid, log_weight, jnp.nan))

    def top(self, k: int) -> Heads:
        """Find the k best trees of each item, all different, best first. It runs on the host.

        Args:
            k: the number of trees. Ranks beyond the number of trees have heads -1 and log weight
                minus infinity.

        Returns:
            Heads and log weights with a leading axis ``[k]``.

        Raises:
            UsageError: if k is not positive, or JAX traces the weights.

        Source: Lawler (1972), over the best trees of ``best``.
        """
        if k < 1:
            raise UsageError(f"k is {k}; give 1 or more")
        if isinstance(self.arcs, Tracer):
            raise UsageError("top runs on the host: call it outside of jit, vmap and grad")
        heads, log_weight = top_heads(
            np.asarray(self.arcs), np.asarray(self.lengths), self.single_root, k
        )
        return Heads(heads, log_weight.astype(self.arcs.dtype))

    def sample(self, key: jax.Array, count: int, together: int = 64) -> Heads:
        """Draw independent trees.

        They are drawn by loop-erased random walks. Where a cycle outweighs its exits, such that
        walks would take too long, the heads of an item are drawn word by word from the marginals
        given the heads before, which takes n eliminations for each tree; a marginal below its own
        rounding error is then taken to be zero.

        Args:
            key: a random key, or one for each item, ``[batch]``; the same key gives the same trees,
                whatever the other items are.
            count: the number of draws.
            together: the number of simultaneous draws where walks would take too long.

        Raises:
            UsageError: if ``count`` is not positive.

        Source: Wilson (1996), with a single root Zmigrod et al. (2021); Colbourn et al. (1996).
        """
        if count < 1:
            raise UsageError(f"count is {count}; draw 1 or more")
        keys = keys_of_items(key, len(self.arcs))
        if not any(isinstance(x, Tracer) for x in (self.arcs, self.lengths, keys)):
            # Most weights need no eliminations, which take longer to compile than all else.
            sums, suffice = _sums_by_inverse(self)
            if suffice:
                return _by_walks(self, keys, count, sums)
        return _sample(self, keys, count, together)

    @compile_once()
    def entropy(self) -> jax.Array:
        """Return the entropy ``[batch]`` in nats; minus infinity if there is no tree."""
        marginals = self.marginals()
        near = self._shifted(marginals)
        total = near.log_partition()
        # Without a tree, infinity minus itself would be NaN below.
        possible = jnp.where(total == -jnp.inf, 0.0, total)
        nats = possible - _expected(marginals, near.arcs)
        return jnp.where(nats < 0, nats - jax.lax.stop_gradient(nats), nats) + jnp.where(
            total == -jnp.inf, -jnp.inf, 0.0
        )

    def cross_entropy(self, other: NonprojectiveTrees) -> jax.Array:
        """Return E_p[-log q], ``[batch]`` in nats, where p is this distribution and q the other.

        Raises:
            UsageError: if the two have different shapes, lengths or kinds of root.
        """
        return self.entropy() + self.kl(other)

    def kl(self, other: NonprojectiveTrees) -> jax.Array:
        """Return the Kullback-Leibler divergence KL(p || q), ``[batch]`` in nats; q is the other.

        Raises:
            UsageError: if the two have different shapes, lengths or kinds of root.
        """
        if self.arcs.shape != other.arcs.shape or self.single_root != other.single_root:
            raise UsageError("two distributions over different trees: shapes or roots differ")
        first, second = self.lengths, other.lengths
        traced = isinstance(first, Tracer) or isinstance(second, Tracer)
        if not traced and not np.array_equal(np.asarray(first), np.asarray(second)):
            raise UsageError("two distributions over different trees: lengths differ")
        return self._divergence(other)

    @compile_once()
    def _divergence(self, other: NonprojectiveTrees) -> jax.Array:
        marginals = self.marginals()
        p, q = self._shifted(marginals), other._shifted(marginals)
        difference = jnp.where(marginals > 0, p.arcs, 0.0) - jnp.where(marginals > 0, q.arcs, 0.0)
        nats = _expected(marginals, difference) - p.log_partition() + q.log_partition()
        return jnp.where(nats < 0, nats - jax.lax.stop_gradient(nats), nats)

    @compile_once()
    def expectation(self, feature: Any) -> jax.Array:
        """Return the expectation ``[batch, ...]`` of a feature that is additive over arcs.

        Args:
            feature: ``[batch, n + 1, n + 1, ...]``, or a shape that broadcasts to it.
        """
        feature = jnp.asarray(feature)
        deeper = (None,) * max(0, feature.ndim - 3)
        marginals = self.marginals()[(..., *deeper)]
        return jnp.sum(jnp.where(marginals == 0, 0.0, marginals * feature), (1, 2))

    def total(self, *_: Any) -> NoReturn:
        """Refuse a sum over a semiring.

        Raises:
            UsageError: always; the message lists the questions that have an answer.
        """
        raise UsageError(
            "non-projective trees have no sum over a semiring, since a determinant divides; ask "
            "log_partition, marginals, best, top, sample, log_prob, entropy, kl or expectation, or "
            "use projective_trees, which answers the questions of any semiring"
        )

    def __getattr__(self, name: str) -> Any:
        """Name the questions that have an answer, when a ``Distribution`` has another."""
        if name in {"ask", "ranking", "variance", "covariance", "memory", "expand"}:
            raise UsageError(
                f"{name}: not of non-projective trees, which answer log_partition, marginals, "
                "best, top, sample, log_prob, entropy, cross_entropy, kl and expectation; "
                "projective_trees answers all questions of a Distribution"
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _shifted(self, marginals: jax.Array) -> NonprojectiveTrees:
        """Return the same distribution, where the most probable arc to each word has weight zero.

        Differences of large totals would lose the digits of an entropy.
        """
        head = jnp.argmax(marginals, 1, keepdims=True)
        shift = jax.lax.stop_gradient(jnp.take_along_axis(self.arcs, head, 1))
        shift = jnp.where(jnp.isfinite(shift), shift, 0.0)
        return NonprojectiveTrees(self.arcs - shift, self.lengths, self.single_root)


def nonprojective_trees(
    arcs: jax.Array, lengths: jax.Array | None = None, single_root: bool = True
) -> NonprojectiveTrees:
    """Make non-projective trees over words 1 to n; the weight of a tree is the product of its arcs.

    Args:
        arcs: ``[batch, n + 1, n + 1]`` log weight of the arc from head (axis 1, where 0 is the
            root) to dependent (axis 2). Column 0 and the diagonal are ignored.
        lengths: ``[batch]`` numbers of words, 0 to n; n by default. The empty sentence has one
            tree, of weight one.
        single_root: whether the root has exactly one child; otherwise at least one.

    Raises:
        UsageError: if shapes do not fit, a length is out of range or a log weight is not one.
    """
    arcs = as_log_weights(arcs, 3)
    check_shapes(arcs=(arcs, "batch words words"))
    words = arcs.shape[1] - 1
    lengths = lengths_or_all(lengths, len(arcs), words)
    check_shapes(arcs=(arcs, "batch words words"), lengths=(lengths, "batch"))
    lengths = check_lengths(lengths, words)
    inside = within(lengths + 1, words + 1)
    check_log_weights({"arcs": None if inside is None else used_arcs(inside)}, arcs=arcs)
    return NonprojectiveTrees(arcs, lengths, single_root)


def keys_of_items(key: jax.Array, batch: int) -> jax.Array:
    """Return a random key for each item, ``[batch]``.

    Args:
        key: a key, typed or not, or a key for each item.
        batch: the number of items.

    Raises:
        UsageError: if it is neither.
    """
    if not jnp.issubdtype(key.dtype, jax.dtypes.prng_key):
        key = jax.random.wrap_key_data(key)
    if key.shape not in ((), (batch,)):
        raise UsageError(f"keys have shape {key.shape}; give one, or one for each of {batch} items")
    return key if key.ndim else jax.vmap(jax.random.fold_in, (None, 0))(key, jnp.arange(batch))


def _expected(marginals: jax.Array, weights: jax.Array) -> jax.Array:
    return jnp.sum(marginals * jnp.where(marginals > 0, weights, 0.0), (1, 2))


@jax.jit
def _sums_by_inverse(trees: NonprojectiveTrees) -> tuple[matrix_tree.Sums, jax.Array]:
    """Return sums by the inverse, and whether trees of all items can be drawn with them."""
    used = used_arcs(jnp.arange(trees.arcs.shape[1])[None] <= trees.lengths[:, None])
    weights = jnp.where(used, trees.arcs, -jnp.inf)
    sums = matrix_tree.by_inverse(weights, trees.lengths, trees.single_root)
    return sums, jnp.all(matrix_tree.is_spared(sums, trees.lengths) & _can_walk(sums))


@partial(jax.jit, static_argnums=2)
def _by_walks(
    trees: NonprojectiveTrees, keys: jax.Array, count: int, sums: matrix_tree.Sums
) -> Heads:
    """Draw trees of items whose sums are those of the inverse, and none of whose walks is long."""
    heads = _walk(trees, keys, count, sums, jnp.ones(len(keys), bool))
    return _weighed(trees, heads, sums.log_partition)


@partial(jax.jit, static_argnums=(2, 3))
def _sample(trees: NonprojectiveTrees, keys: jax.Array, count: int, together: int) -> Heads:
    """Draw trees of each item, given a key for each."""
    sums = matrix_tree.exact_sums(trees.arcs, trees.lengths, trees.single_root)
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
            tree_walks.draw_heads_by_elimination(arcs, length, trees.single_root, of_item, together)
        )

    if len(keys):  # The loop indexes items when it is traced.
        heads = jax.lax.fori_loop(0, jnp.sum(rest), eliminate, heads)
    return _weighed(trees, heads, sums.log_partition)


def _can_walk(sums: matrix_tree.Sums) -> jax.Array:
    """Return ``[batch]`` whether random walks are not too long."""
    return (sums.sensitivity < _SENSITIVITY) & (sums.draws < _DRAWS)


def _possible_weights(trees: NonprojectiveTrees) -> jax.Array:
    used = used_arcs(jnp.arange(trees.arcs.shape[1])[None] <= trees.lengths[:, None])
    return jnp.where(used & (trees.arcs < jnp.inf), trees.arcs, -jnp.inf)


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


def _weighed(trees: NonprojectiveTrees, heads: jax.Array, total: jax.Array) -> Heads:
    """Return drawn heads with their log weights, and -1 where there is no word or no tree."""
    size = trees.arcs.shape[1]
    possible = total > -jnp.inf
    inside = (jnp.arange(1, size) <= trees.lengths[:, None]) & possible[:, None]
    weights = _possible_weights(trees)
    picked = weights[jnp.arange(len(weights))[:, None], heads, jnp.arange(1, size)]
    log_weight = jnp.where(possible, jnp.sum(jnp.where(inside, picked, 0.0), 2), total)
    return Heads(jnp.where(inside, heads, -1), log_weight)


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
