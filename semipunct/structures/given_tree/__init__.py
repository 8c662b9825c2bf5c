"""Given trees whose nodes choose labels at the edges of their constituents, and slot automata.

``trees`` contains the structure and its recursion, ``order`` and ``schedule`` the order of
operations, computed on the host, ``window`` and ``narrow`` automata of a sliding-window transducer.
"""

from semipunct.structures.given_tree.narrow import Columns, Trie
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
    log_totals,
)
from semipunct.structures.given_tree.window import Edits, WindowAutomata
from semipunct.structures.phrases import phrase_marks

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
    "phrase_marks",
    "place",
]
