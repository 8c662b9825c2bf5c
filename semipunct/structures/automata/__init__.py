"""Small weighted automata and transducers over any semiring."""

from semipunct.structures.automata.machine import (
    EPSILON,
    Automaton,
    Transducer,
    accept,
    as_transducer,
    automaton,
    closure,
    compose,
    distances,
    inputs_of,
    lift,
    log_weights,
    outputs_of,
    remove_epsilon,
    shortest_distance,
    transducer,
)
from semipunct.structures.automata.paths import PathParts, StringPaths, string_paths

__all__ = [
    "EPSILON",
    "Automaton",
    "PathParts",
    "StringPaths",
    "Transducer",
    "accept",
    "as_transducer",
    "automaton",
    "closure",
    "compose",
    "distances",
    "inputs_of",
    "lift",
    "log_weights",
    "outputs_of",
    "remove_epsilon",
    "shortest_distance",
    "string_paths",
    "transducer",
]
