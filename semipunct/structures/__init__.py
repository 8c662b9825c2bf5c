"""Distributions over chains, trees, grammars, alignments and orders; sums in any semiring.

``automata`` and ``given_tree`` have further structures, ``extending`` what their authors need, and
``testing`` the conformance suite; all other names are private by convention. Names are imported on
first access.
"""

from typing import TYPE_CHECKING, Any

from semipunct.lazy import LazyNames

if TYPE_CHECKING:
    from semipunct.structures.chain import linear_chain
    from semipunct.structures.connectionist import ctc, transducer
    from semipunct.structures.distribution import Distribution
    from semipunct.structures.grammar import pcfg
    from semipunct.structures.hypergraph import hypergraphs
    from semipunct.structures.markov_models import (
        hidden_markov,
        hidden_markov_counts,
        hidden_semi_markov,
    )
    from semipunct.structures.monotone import affine_gaps, alignments
    from semipunct.structures.nonprojective import nonprojective_trees
    from semipunct.structures.permutations import linear_orderings
    from semipunct.structures.projective import projective_trees
    from semipunct.structures.relaxed import perturb, perturb_and_map, straight_through, temper
    from semipunct.structures.semi_markov import semi_markov_chain
    from semipunct.structures.spans import span_trees

__all__ = [
    "Distribution",
    "affine_gaps",
    "alignments",
    "ctc",
    "hidden_markov",
    "hidden_markov_counts",
    "hidden_semi_markov",
    "hypergraphs",
    "linear_chain",
    "linear_orderings",
    "nonprojective_trees",
    "pcfg",
    "perturb",
    "perturb_and_map",
    "projective_trees",
    "semi_markov_chain",
    "span_trees",
    "straight_through",
    "temper",
    "transducer",
]

_NAMES = LazyNames(__file__)

if not TYPE_CHECKING:  # to a type checker a module with a __getattr__ has every name

    def __getattr__(name: str) -> Any:
        return _NAMES.load(__name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_NAMES.modules})
