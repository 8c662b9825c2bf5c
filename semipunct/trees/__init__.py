"""Dependency trees: constituents, junctions at slots, lifting, editing."""

from semipunct.trees.arrangement import PLACES, Arrangement, Place
from semipunct.trees.editing import (
    reorder_words,
    without_constituent,
    without_leaves,
    without_words,
)
from semipunct.trees.lifting import lift_arcs
from semipunct.trees.tree import DependencyTree, Junction, Tree, tree_fault

__all__ = [
    "PLACES",
    "Arrangement",
    "DependencyTree",
    "Junction",
    "Place",
    "Tree",
    "lift_arcs",
    "reorder_words",
    "tree_fault",
    "without_constituent",
    "without_leaves",
    "without_words",
]
