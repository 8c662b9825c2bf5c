"""Drawing from left to right: features of a constituent may look at the marks to the left.

At each slot the constituents that end there draw their right punctemes and those that begin there
their left ones, given the surface so far; then the channel rewrites what meets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from semipunct.errors import UsageError
from semipunct.inference.evidence import UNEXPLAINED, Evidence, resampled, spelling
from semipunct.inference.inward import INSIDE
from semipunct.inference.kinds import Choice, Ints, kinds
from semipunct.inference.transmission import SlotDraws, Transmitter
from semipunct.marks import is_symmetric
from semipunct.model.features import FeatureMap, Finder
from semipunct.model.history import (
    CLOSING,
    NOTHING,
    OPENING,
    Past,
    first_tokens,
    last_place,
    seen_from,
)
from semipunct.model.network import network_weights, scores_of_marks
from semipunct.model.punctuation import Parameters, PunctuationModel, TreeScores
from semipunct.model.templates import CLOSING_TARGETS
from semipunct.treebank.sentences import Puncteme, Sentence
from semipunct.treebank.trees import constituents

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Rightward:
    """What the draws of all sentences share.

    Attributes:
        transmitter: the channel.
        features: the features of a model.
        pair: ``[labels, labels]`` the pair of a left and a right label; the number of pairs
            where there is none.
        symmetric: ``[labels, labels]`` one where they mirror each other.
        opening: ``[features + 1, labels]`` weights; the last ones, of no feature, are zero.
        closing: the same for right labels, and in a last column for mirroring the left one.
        network: weights of the network; none without one.
        label: the number of each label.
    """

    transmitter: Transmitter
    features: FeatureMap
    pair: Ints
    symmetric: Floats
    opening: Floats
    closing: Floats
    network: Mapping[str, Floats]
    label: Mapping[Puncteme, int]

    @classmethod
    def of(cls, model: PunctuationModel, parameters: Parameters) -> Rightward:
        """Read it off a model.

        Raises:
            UsageError: if features look at the marks within constituents, too.
        """
        if any(c.over == INSIDE and len(c.kept) for c in model.features.conjunctions):
            raise UsageError(
                "the model looks at the marks to the left (template history) and at those within "
                "(template c): no order of drawing allows for both"
            )
        inventory = model.inventory
        labels, pairs = len(inventory.labels), inventory.pairs
        pair = np.full((labels, labels), len(pairs), np.int64)
        pair[pairs[:, 0], pairs[:, 1]] = np.arange(len(pairs))
        symmetric = np.zeros((labels, labels), np.float32)
        symmetric[pairs[:, 0], pairs[:, 1]] = [
            is_symmetric(*inventory.pair_name(p)) for p in range(len(pairs))
        ]
        of_left, of_right, of_both = (
            np.asarray(parameters[f"attach.{target}"]) for target in ("opening", *CLOSING_TARGETS)
        )
        # One look-up for all features of the closing: whether the sides are symmetric is a column.
        closing = np.zeros((len(of_right) + len(of_both) + 1, labels + 1), np.float32)
        closing[: len(of_right), :-1] = of_right
        closing[len(of_right) : -1, -1:] = of_both
        network = network_weights({n: np.asarray(x) for n, x in parameters.items()})
        transmitter = Transmitter.of(model, parameters)
        label = {puncteme: i for i, puncteme in enumerate(inventory.labels)}
        return cls(
            transmitter=transmitter,
            features=model.features,
            pair=pair,
            symmetric=symmetric,
            opening=np.pad(of_left, ((0, 1), (0, 0))),
            closing=closing,
            network=network,
            label=label,
        )

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
            evidence: what is known of the surface, if anything is.
            count: draws.
            generator: the source of chance.
        """
        padded = np.pad(scores.pair, ((0, 0), (0, 1)), constant_values=-np.inf)
        finders = self.features.finders(
            sentence, (("opening",), OPENING), (CLOSING_TARGETS, CLOSING)
        )
        past = np.zeros(count, np.int64)
        return _Drawing(
            self, sentence, scores, padded[:, self.pair], evidence, finders, generator, past
        ).run()


@dataclass(slots=True)
class _Drawing:
    """The draws of one sentence in the making.

    Attributes:
        order: what all sentences share.
        sentence: words and tree.
        scores: what words and tree say.
        pair: the same of pairs, ``[words, left labels, right labels]``.
        evidence: what is known of the surface.
        finders: of the features of the history, for left and for right labels.
        generator: the source of chance.
        past: ``[draws]`` which of the different pasts each draw has.
        pasts: the different pasts.
        at: ``[pasts]`` the last marked slot of each.
        slots: what is drawn so far.
        edges: for each slot so far ``[draws]`` the code of its first token.
        lefts: ``[draws]`` left labels of the constituents that have begun.
    """

    order: Rightward
    sentence: Sentence
    scores: TreeScores
    pair: Floats
    evidence: Evidence | None
    finders: Sequence[Finder]
    generator: np.random.Generator
    past: Ints
    pasts: list[Past] = field(default_factory=lambda: [NOTHING])
    at: Ints = field(default_factory=lambda: np.array([NOTHING.at]))
    slots: list[SlotDraws] = field(default_factory=list[SlotDraws])
    edges: list[Ints] = field(default_factory=list[Ints])
    lefts: dict[int, Ints] = field(default_factory=dict[int, Ints])

    def run(self) -> list[SlotDraws]:
        """Draw slot by slot."""
        symbols = self.order.features.symbols
        left, right = constituents(self.sentence.heads)
        words = len(left)
        size = np.array(right) - np.array(left)
        ending: list[list[int]] = [[] for _ in range(words + 1)]
        starting: list[list[int]] = [[] for _ in range(words + 1)]
        for w in np.argsort(size, kind="stable").tolist():
            ending[right[w]].append(w)
            starting[left[w]].append(w)
        for slot in range(words + 1):
            seen = seen_from(self.pasts, np.full(len(self.pasts), slot), symbols)
            opening = starting[slot][::-1]
            choices = [self._closing(w, left[w], seen) for w in ending[slot]]
            choices += [self._opening(w, seen) for w in opening]
            labels = [choice.draw(self.generator) for choice in choices]
            if self.evidence and self.evidence.strings[slot]:
                labels, shown = self._agreeing(slot, choices, labels, self.evidence)
            else:
                shown = self._send(slot, labels)
            self.lefts.update(zip(opening, labels[len(ending[slot]) :], strict=True))
            self.slots.append(shown)
            self.edges.append(first_tokens(shown.strings, symbols)[shown.chosen])
            self._remember(slot, shown)
        return self.slots

    def _opening(self, w: int, seen: Ints) -> Choice:
        """The left label of a constituent that begins."""
        scores = self.order.opening[self.finders[0].rows(w, seen)].sum(1)
        scores += self.scores.left[w]
        if self.order.network:
            summary = self.scores.summary[w]
            scores += scores_of_marks(self.order.network, "opening", summary, seen)
        return Choice.of(scores, self.past)

    def _closing(self, w: int, edge: int, seen: Ints) -> Choice:
        """The right label of a constituent that ends, given its left one."""
        told_apart, kind = kinds(np.stack([self.past, self.lefts.pop(w), self.edges[edge]], 1))
        past, label, first = told_apart.T
        place = last_place(self.at[past], np.full(len(past), edge))
        looked_at = np.column_stack([seen[past], first, place])
        given = self.order.closing[self.finders[1].rows(w, looked_at)].sum(1)
        scores = self.pair[w, label] + given[:, :-1] + given[:, -1:] * self.order.symmetric[label]
        if self.order.network:
            summary = self.scores.summary[w]
            scores += scores_of_marks(self.order.network, "closing", summary, looked_at)
        return Choice.of(scores, kind)

    def _send(self, slot: int, labels: list[Ints]) -> SlotDraws:
        given = self.sentence.slots[slot]
        return self.order.transmitter.send(given, labels, len(self.past), self.generator)

    def _agreeing(
        self, slot: int, choices: list[Choice], free: list[Ints], evidence: Evidence
    ) -> tuple[list[Ints], SlotDraws]:
        """Labels and surface that agree with what is known of a slot; see ``evidence``."""
        order, count = self.order, len(self.past)
        stands = evidence.strings[slot]
        string = tuple(order.features.symbols.known("token", stands))
        spelt, probability = spelling(choices, order.label, string, self.generator)
        possible = probability > 0
        chosen = possible & (self.generator.random(count) < 0.5)
        labels = [np.where(chosen, a, b) for a, b in zip(spelt, free, strict=True)]
        underlying, kind = kinds(np.stack(labels, 1))
        strings = [order.transmitter.underlying(row) for row in underlying.tolist()]
        spells = np.array([u == string for u in strings])[kind]
        # What the draws are chosen by: half of them freely, half under the condition.
        share = np.where(spells, 1 / np.where(possible, probability, 1), 0)
        weight = 1 / np.where(possible, 0.5 + 0.5 * share, 1.0)
        if evidence.mistaken:
            shown = self._send(slot, labels)
            weight *= np.array([evidence.weight(slot, x) for x in shown.strings])[shown.chosen]
        else:
            shown = SlotDraws([stands], np.zeros(count, np.int64))
            given = self.sentence.slots[slot]
            explained = [order.transmitter.probability(given, u, string) for u in strings]
            weight *= np.array(explained)[kind] + UNEXPLAINED
        survivors = resampled(weight, self.generator)
        self._select(survivors)
        shown = shown._replace(chosen=shown.chosen[survivors])
        return [label[survivors] for label in labels], shown

    def _select(self, survivors: Ints) -> None:
        """Let some draws, with all that they hold, take the places of all."""
        self.past = self.past[survivors]
        self.slots = [slot._replace(chosen=slot.chosen[survivors]) for slot in self.slots]
        self.edges = [edge[survivors] for edge in self.edges]
        self.lefts = {w: label[survivors] for w, label in self.lefts.items()}

    def _remember(self, slot: int, shown: SlotDraws) -> None:
        """Take what is shown in a slot into the pasts of the draws."""
        symbols = self.order.features.symbols
        if len(shown.strings) == 1 and not shown.strings[0]:
            return
        told_apart, kind = kinds(np.stack([self.past, shown.chosen], 1))
        known = [tuple(symbols.known("token", string)) for string in shown.strings]
        number: dict[Past, int] = {}
        new = [
            number.setdefault(self.pasts[past].after(slot, known[string]), len(number))
            for past, string in told_apart.tolist()
        ]
        self.pasts, self.past = list(number), np.array(new)[kind]
        self.at = np.array([past.at for past in self.pasts], np.int64)
