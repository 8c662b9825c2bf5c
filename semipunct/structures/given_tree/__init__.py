"""Given trees whose nodes delimit their constituents with labels, and the automata of their slots.

``trees`` holds the structure and its recursion, ``order`` and ``schedule`` decide on the host what
is computed when, ``window``, ``outputs`` and ``trie`` are slot automata made from a
sliding-window transducer.
"""

from semipunct.structures.given_tree.enclosure import log_totals
from semipunct.structures.given_tree.narrow import Columns
from semipunct.structures.given_tree.order import (
    Absorptions,
    absorptions,
    mirrored_absorptions,
)
from semipunct.structures.given_tree.schedule import Capacity, Placement, Schedule, pack, place
from semipunct.structures.given_tree.trees import (
    GivenTrees,
    Pairs,
    SlotAutomata,
    VectorsByLabel,
    inside,
)
from semipunct.structures.given_tree.trie import Trie
from semipunct.structures.given_tree.window import Edits, WindowAutomata

__all__ = [
    "Absorptions",
    "Capacity",
    "Columns",
    "Edits",
    "GivenTrees",
    "Pairs",
    "Placement",
    "Schedule",
    "SlotAutomata",
    "Trie",
    "VectorsByLabel",
    "WindowAutomata",
    "absorptions",
    "inside",
    "log_totals",
    "mirrored_absorptions",
    "pack",
    "place",
]
