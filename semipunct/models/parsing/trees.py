"""The trees of a parser, projective or not (docs/decisions/training.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import jax
import jax.numpy as jnp

from semipunct.models.parsing.options import ParserOptions
from semipunct.structures.distribution import Distribution
from semipunct.structures.nonprojective import Heads, NonprojectiveTrees, nonprojective_trees
from semipunct.structures.projective import ArcParts, ProjectiveTrees, projective_trees


def arc_trees(options: ParserOptions, arcs: jax.Array, lengths: Any) -> ArcTrees:
    """Return the trees of a batch, from log weights ``[batch, head, dependent]`` of arcs."""
    lengths = jnp.asarray(lengths)
    if options.trees == "nonprojective":
        return nonprojective_trees(arcs, lengths)
    return _Projective(Distribution(projective_trees(arcs, lengths)))


@dataclass(frozen=True)
class _Projective:
    distribution: Distribution[ProjectiveTrees]

    def log_partition(self) -> jax.Array:
        return self.distribution.log_partition()

    def log_partition_and_marginals(self) -> tuple[jax.Array, jax.Array]:
        marginals: Any
        total, marginals = self.distribution.log_partition_and_marginals()
        return total, marginals.arc

    def score(self, heads: Any) -> jax.Array:
        size = heads.shape[1] + 1
        used = jnp.arange(1, size) <= self.distribution.structure.lengths[:, None]
        arcs = jax.nn.one_hot(jnp.where(used, heads, -1), size, axis=1)
        return self.distribution.score(ArcParts(jnp.pad(arcs, ((0, 0), (0, 0), (1, 0)))))

    def best(self) -> Heads:
        answer = self.distribution.best()
        return Heads(_heads(answer.parts), answer.log_weight)

    def top(self, k: int) -> Heads:
        answer = self.distribution.top(k)
        return Heads(_heads(answer.parts), answer.log_weight)

    def sample(self, key: jax.Array, count: int) -> Heads:
        trees = self.distribution.structure

        def drawn(arcs: jax.Array, length: jax.Array, key: jax.Array) -> tuple[jax.Array, ...]:
            # Samples of a batch of one sentence do not depend on other sentences.
            answer: Any = Distribution(projective_trees(arcs[None], length[None])).sample(
                key, count
            )
            return answer.uses.arc.index[:, 0], answer.log_weight[:, 0]

        arcs = trees.weights.arc
        places, log_weight = jax.vmap(drawn, out_axes=1)(arcs, trees.lengths, key)
        return Heads(jnp.where(places < 0, 0, places // arcs.shape[1]), log_weight)


ArcTrees: TypeAlias = NonprojectiveTrees | _Projective
"""A batch of distributions over trees; heads in the padding are not positive."""


def _heads(parts: Any) -> jax.Array:
    return jnp.argmax(cast(ArcParts, parts).arc, -2)[..., 1:]
