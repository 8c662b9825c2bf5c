"""Dependency trees: constituents, junctions at slots, lifting, editing."""

from semipunct.trees.arrangement import PLACES, Arrangement, Place
from semipunct.trees.editing import without_leaves, without_words
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
    "tree_fault",
    "without_leaves",
    "without_words",
]
