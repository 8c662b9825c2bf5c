"""Dependency trees: constituents, junctions at slots, lifting, editing."""

from semipunct.trees.arrangement import PLACES as PLACES
from semipunct.trees.arrangement import Arrangement as Arrangement
from semipunct.trees.arrangement import Place as Place
from semipunct.trees.editing import without_leaves as without_leaves
from semipunct.trees.editing import without_words as without_words
from semipunct.trees.lifting import lift_arcs as lift_arcs
from semipunct.trees.tree import DependencyTree as DependencyTree
from semipunct.trees.tree import Junction as Junction
from semipunct.trees.tree import Tree as Tree
from semipunct.trees.tree import tree_fault as tree_fault
