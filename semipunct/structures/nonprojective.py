"""Non-projective dependency trees, whose arcs may cross.

The sum over trees is a determinant (Tutte 1984; Koo et al. 2007; Smith and Smith 2007), which needs
division, so it is not defined in a semiring.
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

# Largest sensitivity for sampling by walks; it gives the expected number of steps to one percent.
_SENSITIVITY = 1e5

# Trees that are sampled together by elimination.
_TOGETHER = 64

# Largest expected number of steps of a walk. Beyond it elimination soon is faster, and rounding of
# the exit probabilities becomes visible.
_DRAWS = 2.0**14


@partial(
    jax.tree_util.register_dataclass,
    data_fields=["weights", "lengths"],
    meta_fields=["single_root"],
)
@dataclass(frozen=True)
class NonprojectiveTrees(HeadTrees, Direct):
    """A batch of non-projective dependency trees; build with ``nonprojective_trees``."""

    projective: ClassVar[bool] = False

    def total(
        self, semiring: Semiring, feature: Any = None, recursion: Recursion = Recursion()
    ) -> NoReturn:
        raise UsageError(
            "non-projective trees have no sum over a semiring, since a determinant divides; all "
            "other methods of a Distribution have results, and projective_trees has sums, too"
        )

    def log_partition(self) -> jax.Array:
        return matrix_tree.log_partition(self.weights.arc, self.lengths, self.single_root)

    def argmax(self) -> Any:
        """Return the heads ``[batch, n]`` of a best tree.

        Traced weights are compared in their own precision, others on the host in double precision.
        """
        arcs, lengths = self.weights.arc, self.lengths
        if isinstance(arcs, Tracer) or isinstance(lengths, Tracer):
            return traced_best_heads(arcs, lengths, self.single_root)
        return best_heads(np.asarray(arcs), np.asarray(lengths), self.single_root)[0]

    def top_k(self, k: int) -> tuple[Any, Any]:
        """Return heads and log weights of the k best trees, on the host.

        Raises:
            UsageError: if JAX traces the weights.
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
        """Sample heads ``[count, batch, n]`` by loop-erased random walks.

        If cycles outweigh their exits and walks would be long, draw head by head from exact
        conditionals instead, with n eliminations per tree (Wilson 1996; Zmigrod et al. 2021;
        Colbourn et al. 1996).
        """
        sums = None if isinstance(keys, Tracer) else self._sums_by_inverse(for_walks=True)
        return _sample(self, keys, count) if sums is None else _by_walks(self, keys, count, sums)

    def quick_sums(self) -> tuple[jax.Array, ArcParts] | None:
        sums = self._sums_by_inverse(for_walks=False)
        return None if sums is None else (sums.log_partition, ArcParts(sums.marginals))

    def _sums_by_inverse(self, *, for_walks: bool) -> matrix_tree.Sums | None:
        if isinstance(self.weights.arc, Tracer) or isinstance(self.lengths, Tracer):
            return None
        # Most weights need no elimination, which is slow to compile.
        sums, spared, can_walk = _by_inverse(self)
        if isinstance(spared, Tracer):  # constant weights in a traced function
            return None
        return sums if spared and (can_walk or not for_walks) else None

    def entropy(self, marginals: ArcParts) -> jax.Array:
        near = self._shifted(marginals.arc)
        total = near.log_partition()
        # Avoid inf - inf for items without a tree.
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
        """Return the same distribution with weight zero for the best arc to each word.

        Differences of large totals would cancel.
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
    """Build non-projective dependency trees.

    Args:
        arcs: ``[*batch, n + 1, n + 1]`` log weight from head to dependent. Node 0 is the root;
            column 0 and the diagonal are ignored.
        lengths: ``[*batch]`` numbers of words; n by default.
        single_root: whether the root has exactly one child.

    Raises:
        UsageError: if a shape, length or log weight is invalid.
    """
    return NonprojectiveTrees(*checked_arcs(arcs, lengths), single_root)


def _expected(marginals: jax.Array, weights: jax.Array) -> jax.Array:
    return jnp.sum(marginals * jnp.where(marginals > 0, weights, 0.0), (1, 2))


@jax.jit
def _by_inverse(trees: NonprojectiveTrees) -> tuple[matrix_tree.Sums, jax.Array, jax.Array]:
    """Return sums by the inverse, and whether they suffice for sums and for walks of all items."""
    sums = matrix_tree.by_inverse(_possible_weights(trees), trees.lengths, trees.single_root)
    spared = jnp.all(matrix_tree.is_spared(sums, trees.lengths))
    return sums, spared, jnp.all(_can_walk(sums))


@partial(jax.jit, static_argnums=2)
def _by_walks(
    trees: NonprojectiveTrees, keys: jax.Array, count: int, sums: matrix_tree.Sums
) -> jax.Array:
    heads = _walk(trees, keys, count, sums, jnp.ones(len(keys), bool))
    return _with_padding(trees, heads, sums.log_partition)


@partial(jax.jit, static_argnums=2)
def _sample(trees: NonprojectiveTrees, keys: jax.Array, count: int) -> jax.Array:
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
    """Return a mask ``[batch]`` of items with short walks."""
    return (sums.sensitivity < _SENSITIVITY) & (sums.draws < _DRAWS)


def _possible_weights(trees: NonprojectiveTrees) -> jax.Array:
    used = used_arcs(jnp.arange(trees.weights.arc.shape[1])[None] <= trees.lengths[:, None])
    return jnp.where(used & (trees.weights.arc < jnp.inf), trees.weights.arc, -jnp.inf)


def _walk(
    trees: NonprojectiveTrees, keys: jax.Array, count: int, sums: matrix_tree.Sums, wanted: Any
) -> jax.Array:
    """Sample heads ``[count, batch, n]`` by walks, for wanted items."""
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
    """Return heads, -1 for padding and for items without a tree or with NaN weights."""
    inside = jnp.arange(1, trees.weights.arc.shape[1]) <= trees.lengths[:, None]
    return jnp.where(inside & (total > -jnp.inf)[:, None], heads, -1)


def _steps(weights: jax.Array, marginals: jax.Array, single_root: bool) -> jax.Array:
    """Return head probabilities ``[batch, n + 1, n + 1]`` by word and head.

    With a single root, row 0 has the probabilities of its child.
    """
    if single_root:
        weights = weights.at[:, 0].set(-jnp.inf)
    largest = jnp.max(weights, 1, keepdims=True)
    ratio = jnp.exp(weights - jnp.where(largest > -jnp.inf, largest, 0.0))
    ratio = ratio.at[:, :, 0].set(marginals[:, 0])
    total = jnp.sum(ratio, 1, keepdims=True)
    return jnp.swapaxes(ratio / jnp.where(total > 0, total, 1.0), 1, 2)
