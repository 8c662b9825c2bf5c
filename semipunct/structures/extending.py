"""The names that authors of structures need, and classes of structures and of their parts.

Names are imported on first access.
"""

from typing import TYPE_CHECKING, Any

from semipunct.lazy import LazyNames

if TYPE_CHECKING:
    from semipunct.structures.automata.paths import PathParts, StringPaths
    from semipunct.structures.base import (
        Direct,
        Parts,
        PartWise,
        Structure,
        Total,
        any_batch,
        lift_weights,
    )
    from semipunct.structures.chain import ChainParts, LinearChain
    from semipunct.structures.connectionist import CTC, CTCParts
    from semipunct.structures.draws import Places, Traceable, choose
    from semipunct.structures.given_tree.trees import GivenTrees, inside
    from semipunct.structures.grammar import PCFG, GrammarParts
    from semipunct.structures.hypergraph import HyperedgeParts, Hypergraphs
    from semipunct.structures.markov_models import HiddenMarkovCounts
    from semipunct.structures.monotone import AlignmentParts, Alignments
    from semipunct.structures.nonprojective import NonprojectiveTrees
    from semipunct.structures.permutations import LinearOrderings, OrderingParts
    from semipunct.structures.phrases import PhraseMarkParts, PhraseMarks
    from semipunct.structures.projective import ArcParts, ProjectiveTrees
    from semipunct.structures.readable import Readable
    from semipunct.structures.recursion import Plan, Recursion, memory
    from semipunct.structures.semi_markov import SemiMarkovChain, SemiMarkovParts
    from semipunct.structures.spans import SpanParts, SpanTrees

__all__ = [
    "CTC",
    "PCFG",
    "AlignmentParts",
    "Alignments",
    "ArcParts",
    "CTCParts",
    "ChainParts",
    "Direct",
    "GivenTrees",
    "GrammarParts",
    "HiddenMarkovCounts",
    "HyperedgeParts",
    "Hypergraphs",
    "LinearChain",
    "LinearOrderings",
    "NonprojectiveTrees",
    "OrderingParts",
    "PartWise",
    "Parts",
    "PathParts",
    "PhraseMarkParts",
    "PhraseMarks",
    "Places",
    "Plan",
    "ProjectiveTrees",
    "Readable",
    "Recursion",
    "SemiMarkovChain",
    "SemiMarkovParts",
    "SpanParts",
    "SpanTrees",
    "StringPaths",
    "Structure",
    "Total",
    "Traceable",
    "any_batch",
    "choose",
    "inside",
    "lift_weights",
    "memory",
]

_NAMES = LazyNames(__file__)

if not TYPE_CHECKING:  # to a type checker a module with a __getattr__ has every name

    def __getattr__(name: str) -> Any:
        return _NAMES.load(__name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_NAMES.modules})
