"""Trees: constituents, junctions at slots, lifting, editing; phrases, heads, derivations."""

from semipunct.trees.arrangement import PLACES, Arrangement, Place
from semipunct.trees.editing import (
    reorder_words,
    without_constituent,
    without_leaves,
    without_words,
)
from semipunct.trees.heads import COLLINS, dependencies, head_children
from semipunct.trees.lifting import lift_arcs
from semipunct.trees.phrases import PhraseTree, Span, constituent_counts, from_spans, spans
from semipunct.trees.tree import DependencyTree, Junction, Tree, tree_fault

__all__ = [
    "COLLINS",
    "PLACES",
    "Arrangement",
    "DependencyTree",
    "Junction",
    "PhraseTree",
    "Place",
    "Span",
    "Tree",
    "constituent_counts",
    "dependencies",
    "from_spans",
    "head_children",
    "lift_arcs",
    "reorder_words",
    "spans",
    "tree_fault",
    "without_constituent",
    "without_leaves",
    "without_words",
]
