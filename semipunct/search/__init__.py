"""Search without summation: a transition system, its oracle, and beam search over it."""

from semipunct.search.beam import Path, Question, Scores, Tops, Trace, beam_search, path
from semipunct.search.oracle import Derivation, arcs, oracle
from semipunct.search.transitions import ACTIONS, LEFT, RIGHT, SHIFT, Field, keep_head

__all__ = [
    "ACTIONS",
    "LEFT",
    "RIGHT",
    "SHIFT",
    "Derivation",
    "Field",
    "Path",
    "Question",
    "Scores",
    "Tops",
    "Trace",
    "arcs",
    "beam_search",
    "keep_head",
    "oracle",
    "path",
]
