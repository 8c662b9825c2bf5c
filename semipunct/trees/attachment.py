"""Attachment of punctuation: the heads of tokens in the slots of a tree.

The rules are those of Universal Dependencies (https://universaldependencies.org/u/dep/punct).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from semipunct.marks import Puncteme
from semipunct.marks.matching import Place, matched_pairs
from semipunct.trees.conventions import Convention
from semipunct.trees.mark_places import Around
from semipunct.trees.principles import choose_single
from semipunct.trees.tree import DependencyTree

_NOTHING: Mapping[Place, int] = {}


def punctuation_heads(
    tree: DependencyTree,
    slots: Sequence[Puncteme],
    convention: Convention = "unit",
    fixed: Mapping[Place, int] = _NOTHING,
) -> list[list[int]]:
    """Choose the head, a word 1 to n, of every token in the slots.

    By the convention ``unit``, the guidelines of UD 2, a mark between conjuncts is attached to the
    following conjunct, and a mark before or after a dependent unit to that unit, at the highest
    node that keeps the tree projective. Equal marks at both edges of a constituent (commas around
    an apposition) belong to it; a full stop within the sentence belongs to the preceding unit. By
    the convention ``governor``, found in treebanks of UD 1 and still in English ones, a mark
    between units is attached to the lowest word above both. By either convention, paired marks have
    the same head, if possible the highest word that they enclose, and marks at the edges of the
    sentence are attached to its root.

    Args:
        tree: the projective tree of the words.
        slots: ``[n + 1]`` strings of tokens with none of ``marks.SILENT``.
        convention: the attachment of marks between units.
        fixed: heads of some tokens that must not change.

    Returns:
        ``[n + 1]`` the heads of the tokens of each slot. The tree of words and tokens is
        projective if that of words and kept tokens is.
    """
    places = _Places.of(tree, slots)
    chosen_heads = {**_pair_heads(places, fixed), **fixed}
    rows: list[list[int]] = []
    for slot, tokens in enumerate(slots):
        row: list[int] = []
        ranks: list[int] = []
        for index, token in enumerate(tokens):
            place = slot, index
            paired = place in chosen_heads
            row.append(
                chosen_heads[place] if paired else _single_head(places, slot, token, convention)
            )
            ranks.append(2 if place in fixed else int(paired))
        rows.append(_in_order(places.around[slot].words, row, ranks))
    return rows


@dataclass(frozen=True, slots=True)
class _Places:
    """A tree with its slots, and the words around each of them."""

    tree: DependencyTree
    slots: Sequence[Puncteme]
    around: Sequence[Around]

    @classmethod
    def of(cls, tree: DependencyTree, slots: Sequence[Puncteme]) -> "_Places":
        around: list[Around] = []
        for slot, (ending, starting) in enumerate(tree.junctions):
            # Where no constituent ends, the constituent of the word continues; there is none beyond
            # the edges.
            left = tree.heads[ending[-1]] if ending else slot
            right = tree.heads[starting[0]] if starting else (slot + 1) % len(slots)
            words = (tuple(node + 1 for node in nodes) for nodes in (ending, starting))
            around.append(Around(next(words), left or right, next(words)))
        return cls(tree, slots, around)

    def width(self, word: int) -> int:
        """Count the words that a word dominates, itself included."""
        return self.tree.right[word - 1] - self.tree.left[word - 1]

    def is_set_off(self, word: int, token: str) -> bool:
        """Return whether the token is at both edges of the constituent of a word."""
        edges = self.tree.left[word - 1], self.tree.right[word - 1]
        return all(token in self.slots[slot] for slot in edges)


def _pair_heads(places: _Places, fixed: Mapping[Place, int]) -> dict[Place, int]:
    """Choose the heads of the opening and closing tokens that match and enclose words."""
    heads_of_pairs: dict[Place, int] = {}
    for opening, closing in matched_pairs(places.slots):
        first, last = opening[0], closing[0]
        if first == last:
            continue
        before, after = places.around[first].words, places.around[last].words
        common = set(before).intersection(after)
        common_fixed = common.intersection(
            fixed[place] for place in (opening, closing) if place in fixed
        )
        enclosed = [word for word in common if first < word <= last]
        if common_fixed:
            heads_of_pairs[opening] = heads_of_pairs[closing] = min(common_fixed)
        elif enclosed:
            heads_of_pairs[opening] = heads_of_pairs[closing] = max(enclosed, key=places.width)
        elif common:
            heads_of_pairs[opening] = heads_of_pairs[closing] = min(common, key=places.width)
        else:
            for place, nodes in ((opening, before), (closing, after)):
                heads_of_pairs[place] = max(
                    (w for w in nodes if first < w <= last), key=places.width
                )
    return heads_of_pairs


def _single_head(places: _Places, slot: int, token: str, convention: Convention) -> int:
    """Choose the head of a token without a partner."""
    around = places.around[slot]
    if not around.above:
        return places.tree.root
    relation = places.tree.relations[around.starting[0] - 1] if around.starting else ""
    return choose_single(
        around, around.above <= slot, relation, token,
        lambda word: places.is_set_off(word, token), convention,
    ).head  # fmt: skip


def _in_order(words: Sequence[int], row: Sequence[int], ranks: Sequence[int]) -> list[int]:
    """Adjust the heads of the tokens of a slot to the order of ``words``, so that no arcs cross.

    Of two heads in the wrong order, the one of lower rank (the right one in a tie) is moved as far
    as necessary. Heads that are not among the words are unchanged.
    """
    position = {word: place for place, word in enumerate(words)}
    places = [position.get(head) for head in row]
    settled: list[int | None] = [None] * len(row)
    for index in sorted(range(len(row)), key=lambda index: -ranks[index]):
        place = places[index]
        if place is not None:
            lowest = max((p for p in settled[:index] if p is not None), default=0)
            highest = min((p for p in settled[index:] if p is not None), default=len(words) - 1)
            settled[index] = min(max(place, lowest), highest)
    return [
        head if place is None else words[place] for head, place in zip(row, settled, strict=True)
    ]
