"""Trees: constituents, their junctions at slots, lifting, editing, heads of punctuation."""

from semipunct.trees.editing import reordered, without_constituent, without_leaves, without_words
from semipunct.trees.lifting import lifted
from semipunct.trees.tree import DependencyTree, Junction, Tree, tree_fault

__all__ = [
    "DependencyTree",
    "Junction",
    "Tree",
    "lifted",
    "reordered",
    "tree_fault",
    "without_constituent",
    "without_leaves",
    "without_words",
]
