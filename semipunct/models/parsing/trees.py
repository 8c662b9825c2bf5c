"""The trees of a parser, projective or not (docs/decisions/training.md)."""

from __future__ import annotations

from typing import Any, TypeAlias

import jax
import jax.numpy as jnp

from semipunct.models.parsing.options import ParserOptions
from semipunct.structures.distribution import Distribution
from semipunct.structures.nonprojective import NonprojectiveTrees, nonprojective_trees
from semipunct.structures.projective import ProjectiveTrees, projective_trees

ArcTrees: TypeAlias = Distribution[NonprojectiveTrees] | Distribution[ProjectiveTrees]
"""Distributions over trees, whose padding has heads that are not positive."""


def arc_trees(options: ParserOptions, arcs: jax.Array, lengths: Any) -> ArcTrees:
    """Return the trees of a batch, from log weights ``[batch, head, dependent]`` of arcs."""
    lengths = jnp.asarray(lengths)
    if options.trees == "nonprojective":
        return Distribution(nonprojective_trees(arcs, lengths))
    return Distribution(projective_trees(arcs, lengths))
