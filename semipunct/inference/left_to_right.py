"""Drawing from left to right: features of a constituent may look at the marks to the left.

At each slot the constituents that end there draw their right punctemes and those that begin there
their left ones, given the surface so far; then the channel rewrites what meets. Many sentences
take each slot together, and draws of a sentence that agree in what is looked at share the work.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from semipunct.arrays.unique_rows import Ints, unique_rows
from semipunct.errors import UsageError
from semipunct.features.history import CLOSING, OPENING, MarkHistory
from semipunct.features.index import FeatureMap, Finder
from semipunct.features.templates import CLOSING_TARGETS
from semipunct.inference.bottom_up import INSIDE
from semipunct.inference.categorical import Categorical
from semipunct.inference.channel_sampler import ChannelSampler, SlotInputs, within
from semipunct.inference.draws import Draws, Request
from semipunct.inference.resampling import SPELT, UNEXPLAINED, Evidence, ratio, resampled, spelling
from semipunct.marks import Puncteme, is_symmetric
from semipunct.models.punctuation.attach import left_scores, right_scores
from semipunct.models.punctuation.model import Parameters, PunctuationModel, TreeScores
from semipunct.models.punctuation.network import network_weights, scores_of_marks

Floats = npt.NDArray[np.float32]

TOGETHER = 1 << 15
"""Draws of all sentences that are made together; a sentence with more goes alone."""

AT_ONCE = 1 << 17
"""Draws of all edges at a slot whose labels are found at once, to bound the memory."""


@dataclass(frozen=True, slots=True)
class LeftToRight:
    """What the draws of all sentences share.

    Attributes:
        channel: the channel.
        features: the features of a model.
        pair: ``[labels, labels]`` the pair of a left and a right label; the number of pairs
            where there is none.
        symmetric: ``[labels, labels]`` one where they mirror each other.
        opening: ``[features + 1, labels]`` weights; the last ones, of no feature, are zero.
        closing: the same for right labels, and in a last column for mirroring the left one.
        network: weights of the network; none without one.
        label: the number of each label.
    """

    channel: ChannelSampler
    features: FeatureMap
    pair: Ints
    symmetric: Floats
    opening: Floats
    closing: Floats
    network: Mapping[str, Floats]
    label: Mapping[Puncteme, int]

    @classmethod
    def of(cls, model: PunctuationModel, parameters: Parameters) -> LeftToRight:
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
        channel = ChannelSampler.of(model, parameters)
        label = {puncteme: i for i, puncteme in enumerate(inventory.labels)}
        return cls(
            channel=channel,
            features=model.features,
            pair=pair,
            symmetric=symmetric,
            opening=np.pad(of_left, ((0, 1), (0, 0))),
            closing=closing,
            network=network,
            label=label,
        )

    def draw(self, requests: Sequence[Request], scores: TreeScores, count: int) -> list[Draws]:
        """Draw the punctuation of sentences.

        Args:
            requests: the sentences.
            scores: what words and trees say of all their words, one sentence after another.
            count: draws of each sentence.
        """
        # What is known of a sentence chooses among its draws: it takes its slots alone.
        alone = any(request.evidence for request in requests)
        together = 1 if alone else max(1, TOGETHER // count)
        ends = np.cumsum([0, *(request.sentence.tree.words for request in requests)])
        found: list[Draws] = []
        for i in range(0, len(requests), together):
            part = requests[i : i + together]
            words = slice(int(ends[i]), int(ends[i + len(part)]))
            of_part = TreeScores(*(array[words] for array in scores))
            found += _Drawing(self, part, of_part, count).run()
        return found


class _Edge(NamedTuple):
    """Where a constituent begins or ends: its sentence, its word, and the slot where it begins."""

    sentence: int
    word: int
    left: int


class _Drawing:
    """The draws of some sentences in the making.

    Words are numbered through all sentences. Every array of draws is ``[sentences, draws]``, or
    has one such row; after the last slot of a sentence its rows mean nothing.
    """

    def __init__(
        self, order: LeftToRight, requests: Sequence[Request], scores: TreeScores, count: int
    ) -> None:
        self.order, self.requests, self.count = order, requests, count
        sentences = [request.sentence for request in requests]
        self.generators = [request.generator for request in requests]
        self.left, self.summary = np.asarray(scores.left), np.asarray(scores.summary)
        # A last column stands for pairs that are none.
        self.pair = np.pad(scores.pair, ((0, 0), (0, 1)), constant_values=-np.inf)
        self.opening, self.closing = order.features.finders(
            sentences, (("opening",), OPENING), (CLOSING_TARGETS, CLOSING)
        )
        slots = [len(sentence.slots) for sentence in sentences]
        self.ends = np.array(slots)
        self.shown = np.zeros((max(slots), len(sentences), count), np.int64)
        self.history = MarkHistory((len(sentences), count), order.features.symbols)
        self.labels: dict[int, Ints] = {}  # Left labels of the constituents that have begun.
        self.ending: list[list[_Edge]] = [[] for _ in self.shown]
        self.starting: list[list[_Edge]] = [[] for _ in self.shown]
        first = 0
        for i, tree in enumerate(sentence.tree for sentence in sentences):
            edges = [_Edge(i, first + w, left) for w, left in enumerate(tree.left)]
            for slot, (ending, starting) in enumerate(tree.junctions):
                self.ending[slot] += (edges[w] for w in ending)
                self.starting[slot] += (edges[w] for w in starting)
            first += tree.words

    def run(self) -> list[Draws]:
        """Draw slot by slot."""
        for slot in range(len(self.shown)):
            closing, opening = self.ending[slot], self.starting[slot]
            edges = [*closing, *opening]
            choices = [self._closing(slot, part) for part in self._parts(closing)]
            choices += [self._opening(slot, part) for part in self._parts(opening)]
            labels = self._labels(edges, choices)
            evidence = self.requests[0].evidence
            if evidence and evidence.strings[slot]:
                labels, self.shown[slot] = self._agreeing(slot, edges, choices, labels, evidence)
            else:
                inputs = self._inputs(slot, edges, labels)
                self.shown[slot] = self.order.channel.sample(
                    inputs, self.generators, self.history.strings
                )
            begun = zip(opening, labels[len(closing) :], strict=True)
            self.labels |= {edge.word: row for edge, row in begun}
            self.history.read(slot, self.shown[slot])
        strings = self.history.strings.things
        return [Draws.of(self.shown[:end, i], strings) for i, end in enumerate(self.ends.tolist())]

    def _parts(self, edges: list[_Edge]) -> list[list[_Edge]]:
        step = max(1, AT_ONCE // self.count)
        return [edges[i : i + step] for i in range(0, len(edges), step)]

    def _opening(self, slot: int, edges: Sequence[_Edge]) -> Categorical:
        """The left labels of constituents that begin; one row of draws after another."""
        sentence, word, _ = np.array(edges).T
        edge = np.arange(len(edges)).repeat(self.count)
        seen = self._seen(slot, sentence)
        first, kind = unique_rows(edge, *seen)
        words, seen = word[edge[first]], np.column_stack([column[first] for column in seen])
        marks = _weighed(self.order.opening, self.opening, words, seen)
        if self.order.network:
            marks += scores_of_marks(self.order.network, "opening", self.summary[words], seen)
        return Categorical.of(left_scores(self.left.take(words, 0), marks), kind)

    def _closing(self, slot: int, edges: Sequence[_Edge]) -> Categorical:
        """The right labels of constituents that end, given their left ones; likewise."""
        sentence, word, left = np.array(edges).T
        edge = np.arange(len(edges)).repeat(self.count)
        label = np.concatenate([self.labels.pop(w) for w in word.tolist()])
        token = self.history.ends[self.shown[left, sentence].ravel()][:, 0]
        place = self.history.last_place(left[:, None], sentence).ravel()
        seen = [*self._seen(slot, sentence), token, place]
        first, kind = unique_rows(edge, label, *seen)
        words, labels = word[edge[first]], label[first]
        seen = np.column_stack([column[first] for column in seen])
        given = _weighed(self.order.closing, self.closing, words, seen)
        marks, symmetry = given[:, :-1], given[:, -1:]
        if self.order.network:
            marks = marks + scores_of_marks(
                self.order.network, "closing", self.summary[words], seen
            )
        own, some = unique_rows(words, labels)
        tree = self.pair[words[own, None], self.order.pair[labels[own]]].take(some, 0)
        symmetric = self.order.symmetric.take(labels, 0)
        return Categorical.of(right_scores(tree, marks, symmetry, symmetric), kind)

    def _seen(self, slot: int, sentences: Ints) -> list[Ints]:
        """Give the columns ``SEEN`` for the draws of some sentences, one after another."""
        return [column.ravel() for column in self.history.seen(slot, sentences)]

    def _labels(self, edges: Sequence[_Edge], choices: Sequence[Categorical]) -> Ints:
        """``[edges, draws]``."""
        if not edges:
            return np.zeros((0, self.count), np.int64)
        points = np.concatenate([self.generators[e.sentence].random(self.count) for e in edges])
        ends = np.cumsum([len(choice.kind) for choice in choices])
        parts = zip(choices, np.split(points, ends[:-1]), strict=True)
        return self._rows(np.concatenate([choice.draw(part) for choice, part in parts]))

    def _rows(self, draws: Ints) -> Ints:
        return draws.reshape(-1, self.count)

    def _inputs(self, slot: int, edges: Sequence[_Edge], labels: Ints) -> SlotInputs:
        channel = self.order.channel
        boundaries = [channel.boundaries(slot, end - 1) for end in self.ends.tolist()]
        sentences = np.array([edge.sentence for edge in edges], np.int64)
        return channel.inputs(labels, sentences, boundaries)

    def _agreeing(
        self,
        slot: int,
        edges: Sequence[_Edge],
        choices: Sequence[Categorical],
        free: Ints,
        evidence: Evidence,
    ) -> tuple[Ints, Ints]:
        """Labels and surface that agree with what is known of a slot; see ``evidence``."""
        (generator,) = self.generators
        order, channel = self.order, self.order.channel
        stands = evidence.strings[slot]
        string = tuple(order.features.symbols.known("token", stands))
        own = [Categorical(c.weight, row) for c in choices for row in self._rows(c.kind)]
        spelt, probability = spelling(own, order.label, string, generator)
        chosen = (probability > 0) & (generator.random(self.count) < SPELT)
        labels = np.where(chosen, spelt, free)
        inputs = self._inputs(slot, edges, labels)
        wanted = within(channel.boundaries(slot, int(self.ends[0]) - 1), string)
        spells = channel.of_strings(inputs, lambda x: float(x == wanted))
        weight = 1 / ratio(probability, spells)
        if evidence.mistaken:
            shown = channel.sample(inputs, self.generators, self.history.strings)[0]
            first, kind = unique_rows(shown)
            strings = (self.history.strings.things[i] for i in shown[first].tolist())
            weight *= np.array([evidence.weight(slot, x) for x in strings])[kind]
        else:
            shown = np.full(self.count, self.history.strings.number(stands))
            explain = channel.rewriter.explain
            weight *= UNEXPLAINED + channel.of_strings(
                inputs, lambda x: math.exp(explain(x, wanted).log_probability)
            )
        survivors = resampled(weight, generator)
        self._select(survivors)
        return labels[:, survivors], shown[survivors]

    def _select(self, survivors: Ints) -> None:
        """Let some draws, with all that they hold, take the places of all."""
        self.history.select(survivors)
        self.shown = self.shown[:, :, survivors]
        self.labels = {w: label[survivors] for w, label in self.labels.items()}


def _weighed(weights: Floats, finders: Sequence[Finder], words: Ints, seen: Ints) -> Floats:
    """``[cases, columns]`` summed weights of the features of words, given what is seen."""
    total = np.zeros((len(words), weights.shape[1]), np.float32)
    for finder in finders:
        values = seen[:, finder.looked_at]
        first, kind = unique_rows(words, *values.T)
        part = np.zeros((len(first), weights.shape[1]), np.float32)
        for family in finder.rows(words[first], values[first]).T:
            part += weights.take(family, 0)
        total += part.take(kind, 0)
    return total
