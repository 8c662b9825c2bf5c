"""The heads of punctuation: where tokens in the slots of a tree hang from.

The rules are those of Universal Dependencies (https://universaldependencies.org/u/dep/punct).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from semipunct.marks import Puncteme, spacing
from semipunct.marks.spacing import Place
from semipunct.trees.tree import constituents

Convention = Literal["unit", "governor"]
"""Where a mark between units hangs: from the unit it sets off, or from that unit's governor."""

CONVENTIONS: tuple[Convention, ...] = get_args(Convention)

_NOTHING: Mapping[Place, int] = {}
_FIRST_OF_TERMINALS = frozenset(".?!…。？！؟।")


def attach(
    heads: Sequence[int],
    relations: Sequence[str],
    slots: Sequence[Puncteme],
    convention: Convention = "unit",
    kept: Mapping[Place, int] = _NOTHING,
) -> list[list[int]]:
    """Choose the head, a word 1..n, of every token in the slots.

    `heads` and `relations` are those of the words, a projective tree; `slots` are n + 1 strings
    of tokens with none of `plain.SILENT`. `kept` fixes the heads of some tokens.

    By the convention `unit`, the guidelines of UD 2, a mark between conjuncts hangs from the
    following one, a mark before or after a dependent unit from that unit, at the highest node
    that keeps the tree projective. Equal marks at both edges of a constituent (commas around an
    apposition) belong to it; a full stop within the sentence belongs to what is before it. By
    the convention `governor`, found in treebanks of UD 1 and in English ones still, a mark
    between units hangs from the lowest word above both. By either, paired marks hang from the
    same word, the highest they enclose if that can be, and marks at the edges of the sentence
    from its root.

    The tree of words and tokens is projective if that of words and kept tokens is.
    """
    tree = _Tree.of(heads, relations, slots)
    wanted = {**_pair_heads(tree, kept), **kept}
    rows: list[list[int]] = []
    for slot, tokens in enumerate(slots):
        row: list[int] = []
        ranks: list[int] = []
        for index, token in enumerate(tokens):
            place = slot, index
            paired = place in wanted
            row.append(wanted[place] if paired else _single_head(tree, slot, token, convention))
            ranks.append(2 if place in kept else int(paired))
        rows.append(_in_order(tree.joints[slot].nodes, row, ranks))
    return rows


class _Joint(NamedTuple):
    """The words that a mark in one slot can hang from without crossing an arc.

    `ending` are the nodes whose constituents end at the slot, highest last, `starting` those
    whose constituents start there, highest first; `above` is the lowest node that covers both
    sides, 0 at the edges of the sentence.
    """

    ending: tuple[int, ...]
    above: int
    starting: tuple[int, ...]

    @property
    def nodes(self) -> tuple[int, ...]:
        """All of them, in the order in which the heads of neighbouring marks must stand."""
        return (*self.ending, *((self.above,) if self.above else ()), *self.starting)


@dataclass(frozen=True, slots=True)
class _Tree:
    """A tree with its slots, the constituents of its nodes and the joints at its slots."""

    root: int
    relations: Sequence[str]
    slots: Sequence[Puncteme]
    left_slots: Sequence[int]
    right_slots: Sequence[int]
    joints: Sequence[_Joint]

    @classmethod
    def of(
        cls, heads: Sequence[int], relations: Sequence[str], slots: Sequence[Puncteme]
    ) -> "_Tree":
        left_slots, right_slots = constituents(heads)
        joints: list[_Joint] = []
        for slot in range(len(slots)):
            left, ending = slot, list[int]()
            while left and right_slots[left - 1] == slot:
                ending.append(left)
                left = heads[left - 1]
            right, starting = (slot + 1) % len(slots), list[int]()
            while right and left_slots[right - 1] == slot:
                starting.append(right)
                right = heads[right - 1]
            # At the edges one of the two is no word, and the other's climb ended above the root.
            joints.append(_Joint(tuple(ending), left or right, tuple(reversed(starting))))
        return cls(heads.index(0) + 1, relations, slots, left_slots, right_slots, joints)

    def width(self, word: int) -> int:
        """Count the words that a word dominates, itself included."""
        return self.right_slots[word - 1] - self.left_slots[word - 1]

    def is_set_off(self, word: int, token: str) -> bool:
        """Tell whether the token stands at both edges of the word's constituent."""
        edges = self.left_slots[word - 1], self.right_slots[word - 1]
        return all(token in self.slots[slot] for slot in edges)


def _pair_heads(tree: _Tree, kept: Mapping[Place, int]) -> dict[Place, int]:
    """Choose the heads of the opening and closing tokens that match and enclose words."""
    found: dict[Place, int] = {}
    for opening, closing in spacing.matched_pairs(tree.slots):
        first, last = opening[0], closing[0]
        if first == last:
            continue
        before, after = tree.joints[first].nodes, tree.joints[last].nodes
        common = set(before).intersection(after)
        fixed = common.intersection(kept[place] for place in (opening, closing) if place in kept)
        enclosed = [word for word in common if first < word <= last]
        if fixed:
            found[opening] = found[closing] = min(fixed)
        elif enclosed:
            found[opening] = found[closing] = max(enclosed, key=tree.width)
        elif common:
            found[opening] = found[closing] = min(common, key=tree.width)
        else:
            for place, nodes in ((opening, before), (closing, after)):
                found[place] = max((w for w in nodes if first < w <= last), key=tree.width)
    return found


def _single_head(tree: _Tree, slot: int, token: str, convention: Convention) -> int:
    """Choose the head of a token without a partner."""
    ending, above, starting = tree.joints[slot]
    if not above:
        return tree.root
    if convention == "governor":
        return above
    relation = tree.relations[starting[0] - 1].partition(":")[0] if starting else ""
    follows = above <= slot  # what starts here depends on a word before the slot
    if follows and relation == "conj":
        return starting[0]
    for word in ending:
        if tree.is_set_off(word, token):
            return word
    if not follows:
        set_off = (word for word in starting if tree.is_set_off(word, token))
        return next(set_off, ending[-1])
    # A conjunction that hangs from the first conjunct (UD 1) keeps the second out of reach.
    return above if relation == "cc" or token[0] in _FIRST_OF_TERMINALS else starting[0]


def _in_order(nodes: Sequence[int], row: Sequence[int], ranks: Sequence[int]) -> list[int]:
    """Bring the heads of one slot's tokens into the order of `nodes`, so that no arcs cross.

    Where two heads are in the wrong order the one of lower rank, of equal ones the right one,
    moves as far as it must. A head that is not among the nodes stays.
    """
    position = {node: place for place, node in enumerate(nodes)}
    places = [position.get(head) for head in row]
    settled: list[int | None] = [None] * len(row)
    for index in sorted(range(len(row)), key=lambda index: -ranks[index]):
        place = places[index]
        if place is not None:
            lowest = max((p for p in settled[:index] if p is not None), default=0)
            highest = min((p for p in settled[index:] if p is not None), default=len(nodes) - 1)
            settled[index] = min(max(place, lowest), highest)
    return [
        head if place is None else nodes[place] for head, place in zip(row, settled, strict=True)
    ]
