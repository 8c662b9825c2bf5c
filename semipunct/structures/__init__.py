"""Structures over any semiring, and the inference methods of a ``Distribution`` over a structure.

Import from here, from ``automata`` and from ``given_tree``; all other names are private by
convention, and may move. Modules are imported lazily on first access, since a model needs few of
the structures.
"""

from typing import TYPE_CHECKING, Any

from semipunct.lazy import LazyNames

if TYPE_CHECKING:
    from semipunct.structures.automata import PathParts, StringPaths, string_paths
    from semipunct.structures.base import Parts, PartWise, Structure, Total, lift_weights
    from semipunct.structures.chain import ChainParts, LinearChain, linear_chain
    from semipunct.structures.connectionist import CTC, CTCParts, ctc, transducer
    from semipunct.structures.distribution import Answer, Distribution
    from semipunct.structures.draws import Draws, Places, Traceable, choose
    from semipunct.structures.given_tree import GivenTrees, inside
    from semipunct.structures.grammar import PCFG, GrammarParts, pcfg
    from semipunct.structures.hypergraph import Hypergraphs, hypergraphs
    from semipunct.structures.markov_models import (
        HiddenMarkovCounts,
        hidden_markov,
        hidden_markov_counts,
        hidden_semi_markov,
    )
    from semipunct.structures.monotone import AlignmentParts, Alignments, affine_gaps, alignments
    from semipunct.structures.nonprojective import NonprojectiveTrees, nonprojective_trees
    from semipunct.structures.permutations import (
        LinearOrderings,
        OrderingParts,
        linear_orderings,
    )
    from semipunct.structures.phrases import PhraseMarkParts, PhraseMarks, phrase_marks
    from semipunct.structures.projective import ArcParts, ProjectiveTrees, projective_trees
    from semipunct.structures.readable import Readable
    from semipunct.structures.recursion import Plan, Recursion
    from semipunct.structures.relaxed import perturb, perturb_and_map, straight_through, temper
    from semipunct.structures.semi_markov import SemiMarkovChain, SemiMarkovParts, semi_markov_chain
    from semipunct.structures.spans import SpanParts, SpanTrees, span_trees

__all__ = [
    "CTC",
    "PCFG",
    "AlignmentParts",
    "Alignments",
    "Answer",
    "ArcParts",
    "CTCParts",
    "ChainParts",
    "Distribution",
    "Draws",
    "GivenTrees",
    "GrammarParts",
    "HiddenMarkovCounts",
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
    "affine_gaps",
    "alignments",
    "choose",
    "ctc",
    "hidden_markov",
    "hidden_markov_counts",
    "hidden_semi_markov",
    "hypergraphs",
    "inside",
    "lift_weights",
    "linear_chain",
    "linear_orderings",
    "nonprojective_trees",
    "pcfg",
    "perturb",
    "perturb_and_map",
    "phrase_marks",
    "projective_trees",
    "semi_markov_chain",
    "span_trees",
    "straight_through",
    "string_paths",
    "temper",
    "transducer",
]

_NAMES = LazyNames(__file__)

if not TYPE_CHECKING:  # to a type checker a module with a __getattr__ has every name

    def __getattr__(name: str) -> Any:
        return _NAMES.load(__name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_NAMES.modules})
