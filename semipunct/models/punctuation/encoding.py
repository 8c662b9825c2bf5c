"""Encoded sentences: everything that does not depend on how they are batched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from semipunct.corpus.sentences import Sentence, unfillable
from semipunct.features.index import FeatureRows
from semipunct.features.support import Support
from semipunct.features.templates import Table
from semipunct.marks import with_boundaries
from semipunct.models.punctuation.inventory import Inventory
from semipunct.structures.given_tree import Absorptions, absorptions, mirrored_absorptions


@dataclass(frozen=True, slots=True)
class EncodedSentences:
    """Sentences ready for batching: features extracted and trees ordered.

    Attributes:
        strings: the distinct surface strings, as symbols in text order; the first is empty.
        string_of_slot: for each sentence ``[n + 1]`` numbers of strings, in reading order.
        absorptions: for each sentence, the operations of its recursion.
        relation: ``[words of all sentences]`` relation numbers.
        features: feature vectors of all words, by table.
        supports: the outcomes for which features have weights, by table.
        start: ``[sentences + 1]`` where each sentence's words begin.
        closed: ``[words of all sentences, 2]`` whether the slots at the left and at the right of
            each constituent are within orthographic words; None if no slot is.
        slots: ``[sentences]`` numbers of slots that may contain marks.
        widths: number of vector widths of the slot automata: 2, for slots of at most one token and
            of more, or 1 for all.
    """

    strings: tuple[tuple[int, ...], ...]
    string_of_slot: tuple[npt.NDArray[np.int32], ...]
    absorptions: tuple[Absorptions, ...]
    relation: npt.NDArray[np.int32]
    features: Mapping[Table, FeatureRows]
    supports: Mapping[Table, Support]
    start: npt.NDArray[np.int64]
    closed: npt.NDArray[np.bool_] | None
    slots: tuple[int, ...]
    widths: int

    @property
    def lengths(self) -> list[int]:
        """The number of words in each sentence."""
        return np.diff(self.start).tolist()

    def words(self, members: Sequence[int]) -> npt.NDArray[np.int64]:
        """Return the numbers of the words of some sentences, counted over all sentences.

        Args:
            members: numbers of the sentences.
        """
        return np.concatenate([np.arange(*self.start[i : i + 2]) for i in members])


def encode(
    sentences: Sequence[Sentence],
    inventory: Inventory,
    features: Mapping[Table, FeatureRows],
    supports: Mapping[Table, Support],
    directions: Sequence[bool],
    *,
    final_mark: bool,
) -> EncodedSentences:
    """Compute everything that does not depend on how sentences are batched.

    Args:
        sentences: words, trees and surface punctuation.
        inventory: gives the numbers of strings and relations.
        features: feature vectors of all words, by table.
        supports: the outcomes for which features have weights, by table.
        directions: for each pass of the channel, whether its window moves from right to left.
        final_mark: whether the channel also puts a mark at the end of a sentence.
    """
    mirrored = directions[0]
    number: dict[tuple[int, ...], int] = {(): 0}
    encoded: dict[tuple[str, ...], int] = {}
    string_of_slot: list[npt.NDArray[np.int32]] = []
    orders: list[Absorptions] = []
    for sentence in sentences:
        strings: list[int] = []
        for slot in with_boundaries(sentence.slots, final=final_mark):
            if slot not in encoded:
                encoded[slot] = number.setdefault(inventory.encode(slot), len(number))
            strings.append(encoded[slot])
        left, right = (np.asarray(x, np.int32) for x in sentence.tree.edges)
        order = mirrored_absorptions if mirrored else absorptions
        orders.append(order(sentence.tree.heads, left, right, [not s for s in strings]))
        in_order = strings[::-1] if mirrored else strings
        string_of_slot.append(np.array(in_order, np.int32))
    row = {r: i for i, r in enumerate(inventory.relations)}
    relation = [row.get(r, len(row)) for s in sentences for r in s.tree.relations]
    start = np.cumsum([0, *(len(s.forms) for s in sentences)])
    closed = None
    empty = [unfillable(sentence) for sentence in sentences]
    if any(empty):
        closed = np.array(
            [
                (left in slots, right in slots)
                for sentence, slots in zip(sentences, empty, strict=True)
                for left, right in zip(*sentence.tree.edges, strict=True)
            ]
        )
    return EncodedSentences(
        tuple(number),
        tuple(string_of_slot),
        tuple(orders),
        np.array(relation, np.int32),
        features,
        supports,
        start,
        closed,
        tuple(sentence.choices for sentence in sentences),
        2 if len(directions) == 1 else 1,
    )
