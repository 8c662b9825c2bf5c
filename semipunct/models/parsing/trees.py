"""The trees of a parser, projective or of any shape.

Why there are two shapes: docs/decisions/training.md.
"""

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
    """Return the distributions over the trees of sentences.

    Args:
        options: the settings of the parser, which determine the shapes of trees.
        arcs: ``[batch, n + 1, n + 1]`` log weights of the arcs from head to dependent.
        lengths: ``[batch]`` numbers of words.
    """
    lengths = jnp.asarray(lengths)
    if options.trees == "nonprojective":
        return Distribution(nonprojective_trees(arcs, lengths))
    return Distribution(projective_trees(arcs, lengths))
