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
from semipunct.structures.arborescences import best_heads, check_trees
from semipunct.structures.draws import Places
from semipunct.structures.heads import heads_of, places_of_heads

_NO_ARC = 1 << 20
"""The order of a sum without terms, above that of any tree."""


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

    def log_partition(self) -> jax.Array:
        """Return the log of the sum of the weights of all trees, ``[batch]``."""
        return _log_partition(self.arcs, self.lengths, self.single_root)

    def log_partition_and_marginals(self) -> tuple[jax.Array, jax.Array]:
        """Return the log partition and the marginals, at little more than the cost of one."""

        def total(arcs: jax.Array) -> tuple[jax.Array, jax.Array]:
            each = _log_partition(arcs, self.lengths, self.single_root)
            return jnp.sum(jnp.where(each == -jnp.inf, 0.0, each)), each

        gradient, each = jax.grad(total, has_aux=True)(self.arcs)
        marginals = jnp.clip(gradient, 0.0, 1.0)
        return each, jnp.where(jnp.isnan(each)[:, None, None], jnp.nan, marginals)

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
        words = jnp.arange(1, size)
        used = words <= self.lengths[:, None]
        inside = (heads >= 0) & (heads <= self.lengths[:, None])
        head = jnp.where(used & inside, heads, 0)
        weights = jnp.take_along_axis(self.arcs[:, :, 1:], head[:, None], 1)[:, 0]
        log_weight = jnp.sum(jnp.where(used, weights, 0.0), 1)
        return jnp.where(_are_trees(head, used, inside, self.single_root), log_weight, -jnp.inf)

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
        """Find the best tree of each item: one of the best, in a tie. It runs on the host.

        Raises:
            UsageError: if JAX traces the weights.

        Source: Chu and Liu (1965); Edmonds (1967). With a single root, see ``best_heads``.
        """
        if isinstance(self.arcs, Tracer):
            raise UsageError("best runs on the host: call it outside of jit, vmap and grad")
        heads, log_weight = best_heads(
            np.asarray(self.arcs), np.asarray(self.lengths), self.single_root
        )
        return Heads(heads, log_weight.astype(self.arcs.dtype))

    def sample(self, key: jax.Array, count: int, together: int = 64) -> Heads:
        """Draw independent trees.

        Heads are drawn word by word from the marginals given the heads before: n eliminations for
        each tree. The loop-erased walks of Wilson (1996) are shorter where weights are even, but
        take e**w steps to leave a cycle whose log weight exceeds that of its exits by w. A
        marginal below its own rounding error is taken to be zero.

        Args:
            key: a random key; the same key gives the same trees.
            count: the number of draws.
            together: the number of simultaneous draws.

        Raises:
            UsageError: if ``count`` is not positive.

        Source: Colbourn et al. (1996).
        """
        if count < 1:
            raise UsageError(f"count is {count}; draw 1 or more")
        return _sample(self, jax.random.split(key, count), together)

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
        marginals = self.marginals()
        p, q = self._shifted(marginals), other._shifted(marginals)
        difference = jnp.where(marginals > 0, p.arcs, 0.0) - jnp.where(marginals > 0, q.arcs, 0.0)
        nats = _expected(marginals, difference) - p.log_partition() + q.log_partition()
        return jnp.where(nats < 0, nats - jax.lax.stop_gradient(nats), nats)

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
            "log_partition, marginals, best, sample, log_prob, entropy, kl or expectation, or use "
            "projective_trees, which answers the questions of any semiring"
        )

    def __getattr__(self, name: str) -> Any:
        """Name the questions that have an answer, when a ``Distribution`` has another."""
        if name in {"ask", "top", "ranking", "variance", "covariance", "memory", "expand"}:
            raise UsageError(
                f"{name}: not of non-projective trees, which answer log_partition, "
                "marginals, best, sample, log_prob, entropy, cross_entropy, kl and expectation; "
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
    check_log_weights({"arcs": None if inside is None else _used(inside)}, arcs=arcs)
    return NonprojectiveTrees(arcs, lengths, single_root)


def _used(words: Any) -> Any:
    """Return ``[batch, n + 1, n + 1]`` whether a tree may have an arc, by ``[batch, n + 1]``."""
    size = words.shape[1]
    between = ~np.eye(size, dtype=bool) & (np.arange(size) > 0)
    return words[:, :, None] & words[:, None, :] & between[None]


def _expected(marginals: jax.Array, weights: jax.Array) -> jax.Array:
    return jnp.sum(marginals * jnp.where(marginals > 0, weights, 0.0), (1, 2))


def _log_partition(arcs: jax.Array, lengths: jax.Array, single_root: bool) -> jax.Array:
    """Return the log of the determinant of the Laplacian, ``[batch]``.

    Words are eliminated from the last to the first, as in the algorithm of Grassmann, Taksar and
    Heyman (1985): the pivot is the sum of the arcs to the word instead of a difference, and the arc
    from h to m through it is added to the direct one. Sums, products and quotients of positive
    numbers keep their relative precision, and in log space their range; the error is that of adding
    up the log weights, some 1e-3 in float32 for weights of 1e4. Rescaled rows and columns
    of an LU decomposition keep neither: a pivot is the small difference of large numbers where a
    cycle outweighs its exits.

    With a single root, a weight is the leading term of a series in t, where arcs from the root have
    order 1, and the others 0. The terms of order 1 in the total are the trees with one root, which
    is what the determinant of Koo et al. (2007), section 3.2, sums. Without differences no leading
    term cancels, so the others are not needed.
    """
    size = arcs.shape[1]
    places = jnp.arange(size)
    used = _used(places[None] <= lengths[:, None])
    bad = jnp.any(used & (jnp.isnan(arcs) | (arcs == jnp.inf)), (1, 2))
    # The head of padding is the root, with weight one and order 0.
    padding = (places[:, None] == 0) & (places[None] > lengths[:, None, None])
    value = jnp.where(used & ~bad[:, None, None], arcs, jnp.where(padding, 0.0, -jnp.inf))
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

    _, (pivots, orders) = jax.lax.scan(eliminate, (value, order), places[:0:-1])
    wanted = (lengths > 0) & single_root
    each = jnp.where(jnp.sum(orders, 0) == wanted, jnp.sum(pivots, 0), -jnp.inf)
    return jnp.where(bad, jnp.nan, each)


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


@partial(jax.jit, static_argnums=2)
def _sample(trees: NonprojectiveTrees, keys: jax.Array, together: int) -> Heads:
    """Draw a tree of each item for each key."""
    batch, size, _ = trees.arcs.shape
    places = jnp.arange(size)
    threshold = 8 * size * jnp.finfo(trees.arcs.dtype).eps

    def draw(key: jax.Array) -> jax.Array:
        def head_of(arcs: jax.Array, word: jax.Array) -> tuple[jax.Array, jax.Array]:
            given = NonprojectiveTrees(arcs, trees.lengths, trees.single_root)
            column = given.marginals()[:, :, word]
            logits = jnp.where(column > threshold, jnp.log(jnp.maximum(column, 1e-30)), -jnp.inf)
            head = jax.random.categorical(jax.random.fold_in(key, word), logits)
            chosen = (places[:, None] == head[:, None, None]) | (places != word)
            return jnp.where(chosen, arcs, -jnp.inf), head

        _, heads = jax.lax.scan(head_of, trees.arcs, places[1:])
        return heads.T

    drawn = jax.lax.map(draw, keys, batch_size=together)
    possible = trees.log_partition() > -jnp.inf
    used = (places[1:] <= trees.lengths[:, None]) & possible[:, None]
    heads = jnp.where(used, drawn, -1).reshape(len(keys), batch, size - 1)
    log_weight = jnp.where(possible, jax.vmap(trees.score)(heads), trees.log_partition())
    return Heads(heads, log_weight)


def _are_trees(head: jax.Array, used: jax.Array, inside: jax.Array, single: bool) -> jax.Array:
    """Return ``[batch]`` whether heads are trees: the root is reached by n doublings of steps."""
    above = jnp.pad(jnp.where(used, head, 0), ((0, 0), (1, 0)))
    roots = jnp.sum(used & (head == 0), 1)
    for _ in range(max(1, above.shape[1].bit_length())):
        above = jnp.take_along_axis(above, above, 1)
    single_enough = roots <= 1 if single else jnp.ones_like(roots, bool)
    return jnp.all(above == 0, 1) & jnp.all(inside | ~used, 1) & single_enough
