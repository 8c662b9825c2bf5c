"""The names that authors of structures need, and classes of structures and of their parts.

Names are imported on first access.
"""

from typing import TYPE_CHECKING

from semipunct.lazy import lazy_names

if TYPE_CHECKING:
    from semipunct.structures.automata.paths import PathParts as PathParts
    from semipunct.structures.automata.paths import StringPaths as StringPaths
    from semipunct.structures.base import Parts as Parts
    from semipunct.structures.base import PartWise as PartWise
    from semipunct.structures.base import Structure as Structure
    from semipunct.structures.base import Total as Total
    from semipunct.structures.base import any_batch as any_batch
    from semipunct.structures.base import lift_weights as lift_weights
    from semipunct.structures.chain import ChainParts as ChainParts
    from semipunct.structures.chain import LinearChain as LinearChain
    from semipunct.structures.connectionist import CTC as CTC
    from semipunct.structures.connectionist import CTCParts as CTCParts
    from semipunct.structures.draws import Places as Places
    from semipunct.structures.draws import Traceable as Traceable
    from semipunct.structures.draws import choose as choose
    from semipunct.structures.given_tree.trees import GivenTrees as GivenTrees
    from semipunct.structures.given_tree.trees import inside as inside
    from semipunct.structures.grammar import PCFG as PCFG
    from semipunct.structures.grammar import GrammarParts as GrammarParts
    from semipunct.structures.heads import ArcParts as ArcParts
    from semipunct.structures.hypergraph import HyperedgeParts as HyperedgeParts
    from semipunct.structures.hypergraph import Hypergraphs as Hypergraphs
    from semipunct.structures.markov_models import HiddenMarkovCounts as HiddenMarkovCounts
    from semipunct.structures.monotone import AlignmentParts as AlignmentParts
    from semipunct.structures.monotone import Alignments as Alignments
    from semipunct.structures.nonprojective import NonprojectiveTrees as NonprojectiveTrees
    from semipunct.structures.permutations import LinearOrderings as LinearOrderings
    from semipunct.structures.permutations import OrderingParts as OrderingParts
    from semipunct.structures.phrases import PhraseMarkParts as PhraseMarkParts
    from semipunct.structures.phrases import PhraseMarks as PhraseMarks
    from semipunct.structures.projective import ProjectiveTrees as ProjectiveTrees
    from semipunct.structures.readable import Direct as Direct
    from semipunct.structures.readable import Readable as Readable
    from semipunct.structures.recursion import Plan as Plan
    from semipunct.structures.recursion import Recursion as Recursion
    from semipunct.structures.recursion import memory as memory
    from semipunct.structures.semi_markov import SemiMarkovChain as SemiMarkovChain
    from semipunct.structures.semi_markov import SemiMarkovParts as SemiMarkovParts
    from semipunct.structures.spans import SpanParts as SpanParts
    from semipunct.structures.spans import SpanTrees as SpanTrees

if not TYPE_CHECKING:  # to a type checker a module with a __getattr__ has every name
    __getattr__, __dir__ = lazy_names(__name__, __file__)
