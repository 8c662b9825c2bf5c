"""Sparse weighted automata and transducers over any semiring: lists of arcs.

The operations have the names and the meaning of those of OpenFst (Allauzen et al. 2007) and of
Mohri (2009), Weighted automata algorithms.
"""

from semipunct.structures.sparse_automata.accepting import AcceptingPaths, accepting_paths
from semipunct.structures.sparse_automata.composition import compose
from semipunct.structures.sparse_automata.connection import connect
from semipunct.structures.sparse_automata.dense import from_dense, to_dense
from semipunct.structures.sparse_automata.determinisation import determinise
from semipunct.structures.sparse_automata.distance import shortest_distance, total_weight
from semipunct.structures.sparse_automata.epsilons import remove_epsilon
from semipunct.structures.sparse_automata.machine import (
    EPSILON,
    SparseTransducer,
    lift,
    log_weights,
    sparse_transducer,
)
from semipunct.structures.sparse_automata.minimisation import minimise
from semipunct.structures.sparse_automata.pushing import push
from semipunct.structures.sparse_automata.rational import (
    closure,
    concatenate,
    inputs_of,
    invert,
    outputs_of,
    reverse,
    union,
)
from semipunct.structures.sparse_automata.shortest import shortest_path
from semipunct.structures.sparse_automata.strings import Path, from_strings, paths

__all__ = [
    "EPSILON",
    "AcceptingPaths",
    "Path",
    "SparseTransducer",
    "accepting_paths",
    "closure",
    "compose",
    "concatenate",
    "connect",
    "determinise",
    "from_dense",
    "from_strings",
    "inputs_of",
    "invert",
    "lift",
    "log_weights",
    "minimise",
    "outputs_of",
    "paths",
    "push",
    "remove_epsilon",
    "reverse",
    "shortest_distance",
    "shortest_path",
    "sparse_transducer",
    "to_dense",
    "total_weight",
    "union",
]
