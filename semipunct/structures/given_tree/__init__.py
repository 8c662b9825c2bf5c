"""Given trees whose nodes choose labels at the edges of their constituents, and slot automata.

``trees`` has the structure and its recursion, ``order`` and ``schedule`` plan the computation on
the host, and ``window`` and ``narrow`` implement automata of a sliding-window transducer.
"""

from typing import TYPE_CHECKING

from semipunct.lazy import lazy_names

if TYPE_CHECKING:
    from semipunct.structures.given_tree.narrow import Columns as Columns
    from semipunct.structures.given_tree.narrow import Trie as Trie
    from semipunct.structures.given_tree.order import Absorptions as Absorptions
    from semipunct.structures.given_tree.order import absorptions as absorptions
    from semipunct.structures.given_tree.order import mirrored_absorptions as mirrored_absorptions
    from semipunct.structures.given_tree.schedule import Capacity as Capacity
    from semipunct.structures.given_tree.schedule import Placement as Placement
    from semipunct.structures.given_tree.schedule import Schedule as Schedule
    from semipunct.structures.given_tree.schedule import pack as pack
    from semipunct.structures.given_tree.schedule import place as place
    from semipunct.structures.given_tree.trees import GivenTrees as GivenTrees
    from semipunct.structures.given_tree.trees import Pairs as Pairs
    from semipunct.structures.given_tree.trees import SlotAutomata as SlotAutomata
    from semipunct.structures.given_tree.trees import VectorsByLabel as VectorsByLabel
    from semipunct.structures.given_tree.trees import inside as inside
    from semipunct.structures.given_tree.trees import log_factors as log_factors
    from semipunct.structures.given_tree.trees import log_totals as log_totals
    from semipunct.structures.given_tree.window import Edits as Edits
    from semipunct.structures.given_tree.window import WindowAutomata as WindowAutomata
    from semipunct.structures.phrases import phrase_marks as phrase_marks

if not TYPE_CHECKING:  # to a type checker a module with a __getattr__ has every name
    __getattr__, __dir__ = lazy_names(__name__, __file__)
