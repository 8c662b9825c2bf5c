"""Structures over any semiring, and the questions that a ``Distribution`` over one answers.

Users import from here, from ``automata`` and from ``given_tree``; all other names are private by
convention, and may move.
"""

from semipunct.structures.automata import PathParts, StringPaths, string_paths
from semipunct.structures.base import Parts, PartWise, Structure, Total, lifted
from semipunct.structures.chain import ChainParts, LinearChain, linear_chain
from semipunct.structures.distribution import Answer, Distribution
from semipunct.structures.draws import Draws, Places, Traceable, choose
from semipunct.structures.given_tree import GivenTrees, inside
from semipunct.structures.grammar import PCFG, GrammarParts, pcfg
from semipunct.structures.projective import ArcParts, ProjectiveTrees, projective_trees
from semipunct.structures.recursion import Plan, Recursion
from semipunct.structures.semi_markov import SemiMarkovChain, SemiMarkovParts, semi_markov_chain
from semipunct.structures.spans import SpanParts, SpanTrees, span_trees
from semipunct.structures.without_replacement import sample_without_replacement

__all__ = [
    "PCFG",
    "Answer",
    "ArcParts",
    "ChainParts",
    "Distribution",
    "Draws",
    "GivenTrees",
    "GrammarParts",
    "LinearChain",
    "PartWise",
    "Parts",
    "PathParts",
    "Places",
    "Plan",
    "ProjectiveTrees",
    "Recursion",
    "SemiMarkovChain",
    "SemiMarkovParts",
    "SpanParts",
    "SpanTrees",
    "StringPaths",
    "Structure",
    "Total",
    "Traceable",
    "choose",
    "inside",
    "lifted",
    "linear_chain",
    "pcfg",
    "projective_trees",
    "sample_without_replacement",
    "semi_markov_chain",
    "span_trees",
    "string_paths",
]
