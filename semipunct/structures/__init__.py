"""Structures over any semiring, and the inference methods of a ``Distribution`` over a structure.

Import from here, from ``automata`` and from ``given_tree``; all other names are private by
convention, and may move. Modules are imported lazily on first access, since a model needs few of
the structures.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from semipunct.structures.alignment_models import affine_gaps, alignments
    from semipunct.structures.arc_labels import LabelledArcs, labelled_arcs
    from semipunct.structures.automata import PathParts, StringPaths, string_paths
    from semipunct.structures.base import Parts, PartWise, Structure, Total, lift_weights
    from semipunct.structures.chain import ChainParts, LinearChain, linear_chain
    from semipunct.structures.connectionist import CTC, CTCParts, ctc
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
    from semipunct.structures.monotone import AlignmentParts, Alignments
    from semipunct.structures.nonprojective import NonprojectiveTrees, nonprojective_trees
    from semipunct.structures.permutations import (
        LinearOrderings,
        OrderingParts,
        linear_orderings,
        order_of,
    )
    from semipunct.structures.perturbed import (
        perturb,
        perturb_and_map,
        perturbed_best,
        perturbed_loss,
    )
    from semipunct.structures.phrases import PhraseMarkParts, PhraseMarks, phrase_marks
    from semipunct.structures.projective import ArcParts, ProjectiveTrees, projective_trees
    from semipunct.structures.readable import Readable
    from semipunct.structures.recursion import Plan, Recursion
    from semipunct.structures.relaxed import straight_through, temper
    from semipunct.structures.semi_markov import SemiMarkovChain, SemiMarkovParts, semi_markov_chain
    from semipunct.structures.spans import SpanParts, SpanTrees, span_trees
    from semipunct.structures.sparse import SparseAnswer, sparsemap, sparsemap_loss
    from semipunct.structures.transducers import transducer
    from semipunct.structures.without_replacement import sample_without_replacement

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
    "LabelledArcs",
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
    "SparseAnswer",
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
    "labelled_arcs",
    "lift_weights",
    "linear_chain",
    "linear_orderings",
    "nonprojective_trees",
    "order_of",
    "pcfg",
    "perturb",
    "perturb_and_map",
    "perturbed_best",
    "perturbed_loss",
    "phrase_marks",
    "projective_trees",
    "sample_without_replacement",
    "semi_markov_chain",
    "span_trees",
    "sparsemap",
    "sparsemap_loss",
    "straight_through",
    "string_paths",
    "temper",
    "transducer",
]

_MODULES = {
    "AlignmentParts": "semipunct.structures.monotone",
    "Alignments": "semipunct.structures.monotone",
    "Answer": "semipunct.structures.distribution",
    "ArcParts": "semipunct.structures.projective",
    "CTC": "semipunct.structures.connectionist",
    "CTCParts": "semipunct.structures.connectionist",
    "ChainParts": "semipunct.structures.chain",
    "Distribution": "semipunct.structures.distribution",
    "Draws": "semipunct.structures.draws",
    "GivenTrees": "semipunct.structures.given_tree",
    "GrammarParts": "semipunct.structures.grammar",
    "HiddenMarkovCounts": "semipunct.structures.markov_models",
    "Hypergraphs": "semipunct.structures.hypergraph",
    "LabelledArcs": "semipunct.structures.arc_labels",
    "LinearChain": "semipunct.structures.chain",
    "LinearOrderings": "semipunct.structures.permutations",
    "NonprojectiveTrees": "semipunct.structures.nonprojective",
    "OrderingParts": "semipunct.structures.permutations",
    "PCFG": "semipunct.structures.grammar",
    "PartWise": "semipunct.structures.base",
    "Parts": "semipunct.structures.base",
    "PathParts": "semipunct.structures.automata",
    "PhraseMarkParts": "semipunct.structures.phrases",
    "PhraseMarks": "semipunct.structures.phrases",
    "Places": "semipunct.structures.draws",
    "Plan": "semipunct.structures.recursion",
    "ProjectiveTrees": "semipunct.structures.projective",
    "Readable": "semipunct.structures.readable",
    "Recursion": "semipunct.structures.recursion",
    "SemiMarkovChain": "semipunct.structures.semi_markov",
    "SemiMarkovParts": "semipunct.structures.semi_markov",
    "SpanParts": "semipunct.structures.spans",
    "SpanTrees": "semipunct.structures.spans",
    "SparseAnswer": "semipunct.structures.sparse",
    "StringPaths": "semipunct.structures.automata",
    "Structure": "semipunct.structures.base",
    "Total": "semipunct.structures.base",
    "Traceable": "semipunct.structures.draws",
    "affine_gaps": "semipunct.structures.alignment_models",
    "alignments": "semipunct.structures.alignment_models",
    "choose": "semipunct.structures.draws",
    "ctc": "semipunct.structures.connectionist",
    "hidden_markov": "semipunct.structures.markov_models",
    "hidden_markov_counts": "semipunct.structures.markov_models",
    "hidden_semi_markov": "semipunct.structures.markov_models",
    "hypergraphs": "semipunct.structures.hypergraph",
    "inside": "semipunct.structures.given_tree",
    "labelled_arcs": "semipunct.structures.arc_labels",
    "lift_weights": "semipunct.structures.base",
    "linear_chain": "semipunct.structures.chain",
    "linear_orderings": "semipunct.structures.permutations",
    "nonprojective_trees": "semipunct.structures.nonprojective",
    "order_of": "semipunct.structures.permutations",
    "pcfg": "semipunct.structures.grammar",
    "perturb": "semipunct.structures.perturbed",
    "perturb_and_map": "semipunct.structures.perturbed",
    "perturbed_best": "semipunct.structures.perturbed",
    "perturbed_loss": "semipunct.structures.perturbed",
    "phrase_marks": "semipunct.structures.phrases",
    "projective_trees": "semipunct.structures.projective",
    "sample_without_replacement": "semipunct.structures.without_replacement",
    "semi_markov_chain": "semipunct.structures.semi_markov",
    "span_trees": "semipunct.structures.spans",
    "sparsemap": "semipunct.structures.sparse",
    "sparsemap_loss": "semipunct.structures.sparse",
    "straight_through": "semipunct.structures.relaxed",
    "string_paths": "semipunct.structures.automata",
    "temper": "semipunct.structures.relaxed",
    "transducer": "semipunct.structures.transducers",
}


if not TYPE_CHECKING:  # to a type checker a module with a __getattr__ has every name

    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
