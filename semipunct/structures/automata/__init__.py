"""Small weighted automata and transducers over any semiring, and paths of strings."""

from typing import TYPE_CHECKING

from semipunct.lazy import lazy_names

if TYPE_CHECKING:
    from semipunct.structures.automata.machine import EPSILON as EPSILON
    from semipunct.structures.automata.machine import Automaton as Automaton
    from semipunct.structures.automata.machine import Transducer as Transducer
    from semipunct.structures.automata.machine import accept as accept
    from semipunct.structures.automata.machine import as_transducer as as_transducer
    from semipunct.structures.automata.machine import automaton as automaton
    from semipunct.structures.automata.machine import closure as closure
    from semipunct.structures.automata.machine import compose as compose
    from semipunct.structures.automata.machine import distances as distances
    from semipunct.structures.automata.machine import inputs_of as inputs_of
    from semipunct.structures.automata.machine import lift as lift
    from semipunct.structures.automata.machine import log_weights as log_weights
    from semipunct.structures.automata.machine import outputs_of as outputs_of
    from semipunct.structures.automata.machine import remove_epsilon as remove_epsilon
    from semipunct.structures.automata.machine import shortest_distance as shortest_distance
    from semipunct.structures.automata.machine import transducer as transducer
    from semipunct.structures.automata.paths import PathParts as PathParts
    from semipunct.structures.automata.paths import StringPaths as StringPaths
    from semipunct.structures.automata.paths import string_paths as string_paths

if not TYPE_CHECKING:  # to a type checker a module with a __getattr__ has every name
    __getattr__, __dir__ = lazy_names(__name__, __file__)
