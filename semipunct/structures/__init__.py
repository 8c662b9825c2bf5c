"""Distributions over chains, trees, grammars, alignments and orders; sums in any semiring.

``automata`` and ``given_tree`` have further structures, ``extending`` names for their authors, and
``testing`` the conformance suite; all other names are private by convention. Names are imported on
first access.
"""

from typing import TYPE_CHECKING

from semipunct.lazy import lazy_names

if TYPE_CHECKING:
    from semipunct.structures.chain import linear_chain as linear_chain
    from semipunct.structures.connectionist import ctc as ctc
    from semipunct.structures.connectionist import transducer as transducer
    from semipunct.structures.distribution import Distribution as Distribution
    from semipunct.structures.grammar import pcfg as pcfg
    from semipunct.structures.hypergraph import hypergraphs as hypergraphs
    from semipunct.structures.markov_models import hidden_markov as hidden_markov
    from semipunct.structures.markov_models import hidden_markov_counts as hidden_markov_counts
    from semipunct.structures.markov_models import hidden_semi_markov as hidden_semi_markov
    from semipunct.structures.monotone import affine_gaps as affine_gaps
    from semipunct.structures.monotone import alignments as alignments
    from semipunct.structures.nonprojective import nonprojective_trees as nonprojective_trees
    from semipunct.structures.permutations import linear_orderings as linear_orderings
    from semipunct.structures.projective import projective_trees as projective_trees
    from semipunct.structures.relaxed import perturb as perturb
    from semipunct.structures.relaxed import perturb_and_map as perturb_and_map
    from semipunct.structures.relaxed import straight_through as straight_through
    from semipunct.structures.relaxed import temper as temper
    from semipunct.structures.semi_markov import semi_markov_chain as semi_markov_chain
    from semipunct.structures.spans import span_trees as span_trees

if not TYPE_CHECKING:  # to a type checker a module with a __getattr__ has every name
    __getattr__, __dir__ = lazy_names(__name__, __file__)
