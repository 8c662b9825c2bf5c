"""Drawing from the inside out: features of a constituent may look at the marks within it.

A constituent draws its pair when all that is within it is drawn. As soon as all punctemes that
meet at a slot are drawn, the channel rewrites them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from semipunct.errors import UsageError
from semipunct.inference.evidence import Evidence
from semipunct.inference.kinds import Choice, Ints, kinds
from semipunct.inference.transmission import SlotDraws, Transmitter
from semipunct.model.features import FeatureMap
from semipunct.model.punctuation import Parameters, PunctuationModel, TreeScores
from semipunct.treebank.sentences import Puncteme, Sentence
from semipunct.treebank.trees import constituents

Bits = npt.NDArray[np.uint64]
"""Sets of tokens: bit ``t % 64`` of word ``t // 64``."""

INSIDE = "inside"
"""The attribute that looks at surface marks."""


@dataclass(frozen=True, slots=True)
class Inward:
    """What the draws of all sentences share.

    Attributes:
        transmitter: the channel.
        features: the features of a model.
        tokens: numbers of the tokens that features look at.
        pairs: ``[pairs, 2]`` the labels of each pair.
        weights: ``[features + 1, pairs]`` of pair features; the last, of none, are zero.
    """

    transmitter: Transmitter
    features: FeatureMap
    tokens: dict[str, int]
    pairs: Ints
    weights: npt.NDArray[np.float32]

    @classmethod
    def of(cls, model: PunctuationModel, parameters: Parameters) -> Inward:
        """Read it off a model.

        Raises:
            UsageError: if marks within a constituent decide anything but its pair.
        """
        families = [c for c in model.features.conjunctions if c.over == INSIDE and len(c.kept)]
        if other := {c.target for c in families} - {"pair"}:
            raise UsageError(f"templates over {INSIDE!r} weigh {sorted(other)}; draw pairs only")
        tokens = {t: i for i, t in enumerate(model.features.symbols.values["token"])}
        weights = np.pad(np.asarray(parameters["attach.pair"]), ((0, 1), (0, 0)))
        pairs = model.inventory.pairs.astype(np.int64)
        return cls(Transmitter.of(model, parameters), model.features, tokens, pairs, weights)

    def draw(
        self,
        sentence: Sentence,
        scores: TreeScores,
        evidence: Evidence | None,
        count: int,
        generator: np.random.Generator,
    ) -> list[SlotDraws]:
        """Draw the slots of a sentence.

        Args:
            sentence: words and tree, and boundary marks in the outer slots.
            scores: what words and tree say.
            evidence: None.
            count: draws.
            generator: the source of chance.

        Raises:
            UsageError: if there is evidence.
        """
        if evidence is not None:
            raise UsageError(
                "this model draws from the inside out, and marks can be kept only by one that "
                "draws from left to right: train with the template history instead of c"
            )
        heads = sentence.heads
        left, right = constituents(heads)
        words = len(heads)
        rows = self.features.rows_over(sentence, INSIDE)
        slots: list[SlotDraws | None] = [None] * (words + 1)
        # Labels of the constituents that end and that start at each slot, innermost first.
        ending: list[list[Ints]] = [[] for _ in slots]
        starting: list[list[Ints]] = [[] for _ in slots]
        nothing = np.zeros((count, -(-len(self.tokens) // 64)), np.uint64)
        within = [nothing] * words
        dependents: list[list[int]] = [[] for _ in heads]
        size = np.array(right) - np.array(left)

        def send(slot: int) -> SlotDraws:
            meeting = ending[slot] + starting[slot][::-1]
            return self.transmitter.send(sentence.slots[slot], meeting, count, generator)

        for w in np.argsort(size, kind="stable").tolist():
            inner = {w, w + 1, *(side[d] for d in dependents[w] for side in (left, right))}
            seen = [within[d] for d in dependents[w] if within[d] is not nothing]
            for i in inner - {left[w], right[w]}:
                slots[i] = shown = send(i)
                if len(shown.strings) > 1 or shown.strings[0]:
                    seen.append(self._members(shown.strings)[shown.chosen])
            for d in dependents[w]:
                within[d] = nothing  # No longer needed.
            within[w] = np.bitwise_or.reduce(seen) if seen else nothing
            pair = self._draw_pair(np.asarray(scores.pair[w]), rows[w], within[w], generator)
            starting[left[w]].append(self.pairs[pair, 0])
            ending[right[w]].append(self.pairs[pair, 1])
            if heads[w]:
                dependents[heads[w] - 1].append(w)
        for i in (0, words):
            slots[i] = send(i)
        return [slot for slot in slots if slot is not None]

    def _draw_pair(
        self,
        scores: npt.NDArray[np.float32],
        rows: Ints,
        seen: Bits,
        generator: np.random.Generator,
    ) -> Ints:
        """``[draws]`` pairs of one constituent, given the tokens seen within it."""
        looked_at = np.flatnonzero((rows >= 0).any(1))
        bits = _members([looked_at.tolist()], seen.shape[1])[0]
        told_apart, kind = kinds(seen & bits)
        has = (told_apart[:, looked_at // 64] >> (looked_at % 64).astype(np.uint64)) & np.uint64(1)
        some = has.any(0)
        gain = self.weights[rows[looked_at[some]]].sum(1)
        return Choice.of(scores + has[:, some].astype(np.float32) @ gain, kind).draw(generator)

    def _members(self, strings: Sequence[Puncteme]) -> Bits:
        numbers = [[self.tokens[t] for t in string] for string in strings]
        return _members(numbers, -(-len(self.tokens) // 64))


def _members(sets: Sequence[Sequence[int]], words: int) -> Bits:
    """``[sets, words]`` the members of each set as bits."""
    table = np.zeros((len(sets), words), np.uint64)
    for row, numbers in zip(table, sets, strict=True):
        for s in numbers:
            row[s // 64] |= np.uint64(1 << (s % 64))
    return table
