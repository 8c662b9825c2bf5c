"""Left-to-right sampling, for features of the marks to the left of a constituent's edges.

At each slot, the right punctemes of the constituents that end there and the left punctemes of those
that begin there are drawn given the surface so far; then the channel rewrites the resulting string.
Draws of a sentence with equal features share the computation.

A pair has probability p(l, r | w) = p(l | T, x before a) p(r | l, T, x before b), where a and b are
the slots at the edges of the constituent of w. Without features of x this is equation 4 of Li, Wang
and Eisner (2019); see docs/decisions/punctuation-model.md.
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
from semipunct.features.index import FeatureIndex, FeatureLookup, summed_weights
from semipunct.marks import Puncteme, is_symmetric
from semipunct.models.base import Weights
from semipunct.models.punctuation.attach import left_scores, right_scores, weights_of
from semipunct.models.punctuation.bottom_up import INSIDE
from semipunct.models.punctuation.channel_sampler import ChannelSampler, UnderlyingStrings, enclose
from semipunct.models.punctuation.draws import (
    GUIDED,
    UNEXPLAINED,
    Categorical,
    Draws,
    Evidence,
    Request,
    proposal_ratio,
    sample_spelling,
    systematic_resample,
)
from semipunct.models.punctuation.model import PunctuationModel, TreeScores

Floats = npt.NDArray[np.float32]

# With fewer, the overhead of NumPy calls dominates; with more, arrays exceed the cache. 120
# sentences of 1,000 draws took 5.7 s with 2^12, 3.1 s with 2^15 and 4.3 s with 2^18 on two cores.
DRAWS_TOGETHER = 1 << 15
"""Maximum number of draws made together; a sentence with more draws is processed alone."""

# In the worst case every draw has its own distribution over about a hundred labels in single
# precision; 2^17 of them take about 50 MB.
LABELS_TOGETHER = 1 << 17
"""Maximum number of labels of a slot drawn together, which bounds the memory."""


@dataclass(frozen=True, slots=True)
class LeftToRightSampler:
    """The tables of a model for left-to-right sampling, shared by all sentences."""

    channel: ChannelSampler
    features: FeatureIndex
    pair: Ints  # [labels, labels]; the number of pairs if there is no such pair
    symmetric: Floats  # [labels, labels], one if they mirror each other
    # [features + 1, labels], weights of left labels; the last row is zero, for no feature
    opening: Floats
    # the same for right labels, with a last column for symmetry with the left label
    closing: Floats
    label: Mapping[Puncteme, int]
    opening_lookups: Sequence[FeatureLookup]  # for the attributes ``OPENING``
    closing_lookups: Sequence[FeatureLookup]  # for the attributes ``CLOSING``

    @classmethod
    def of(cls, model: PunctuationModel, parameters: Weights) -> LeftToRightSampler:
        """Build the tables of a model.

        Raises:
            UsageError: if marks within constituents are features, too.
        """
        if model.features.uses(INSIDE):
            raise UsageError(
                "the model depends on the marks to the left (template history) and on those inside "
                "(template c), so it cannot be drawn from: train with only one of the two"
            )
        inventory = model.inventory
        labels, pairs = len(inventory.labels), inventory.pairs
        pair = np.full((labels, labels), len(pairs), np.int64)
        pair[pairs[:, 0], pairs[:, 1]] = np.arange(len(pairs))
        symmetric = np.zeros((labels, labels), np.float32)
        symmetric[pairs[:, 0], pairs[:, 1]] = [
            is_symmetric(*inventory.pair_name(p)) for p in range(len(pairs))
        ]
        # The last row is for no feature; the last column of ``closing`` is for symmetry.
        opening, closing = (
            np.pad(
                model.supports[table].table(np.asarray(parameters[weights_of(table)])),
                ((0, 1), (0, 0)),
            )
            for table in ("opening", "closing")
        )
        return cls(
            channel=ChannelSampler.of(model, parameters),
            features=model.features,
            pair=pair,
            symmetric=symmetric,
            opening=opening,
            closing=closing,
            label={puncteme: i for i, puncteme in enumerate(inventory.labels)},
            opening_lookups=model.features.lookups("opening", OPENING),
            closing_lookups=model.features.lookups("closing", CLOSING),
        )

    def draw(self, requests: Sequence[Request], scores: TreeScores, count: int) -> list[Draws]:
        """Draw punctuation, given the tree scores of all words of the sentences, end to end."""
        ends = np.cumsum([0, *(request.sentence.tree.words for request in requests)])
        draws: list[Draws] = []
        i = 0
        while i < len(requests):
            part = _drawn_together(requests, i, max(1, DRAWS_TOGETHER // count))
            words = slice(int(ends[i]), int(ends[i + len(part)]))
            of_part = TreeScores(*(array[words] for array in scores))
            draws += _Drawing(self, part, of_part, count).run()
            i += len(part)
        return draws


def _drawn_together(requests: Sequence[Request], first: int, most: int) -> Sequence[Request]:
    """Return the requests from ``first`` on that are drawn together; with evidence, one alone."""
    last = first + 1
    if not requests[first].evidence:
        while last < min(len(requests), first + most) and not requests[last].evidence:
            last += 1
    return requests[first:last]


class _Edge(NamedTuple):
    """One edge of a constituent."""

    sentence: int
    word: int  # head of the constituent, numbered across all sentences
    left: int  # slot at which the constituent begins


class _Drawing:
    """The state of drawing the punctuation of several sentences.

    Words are numbered across all sentences. Arrays of draws have shape ``[sentences, draws]``, or
    are one such row; after the last slot of a sentence its rows are undefined.
    """

    def __init__(
        self, order: LeftToRightSampler, requests: Sequence[Request], scores: TreeScores, count: int
    ) -> None:
        self.order, self.requests, self.count = order, requests, count
        sentences = [request.sentence for request in requests]
        self.generators = [request.generator for request in requests]
        self.left = np.asarray(scores.left)
        # The last column is for labels that are not a pair. Its score is minus infinity, so that a
        # right label is drawn from the pairs of its left label without a mask for each draw.
        self.pair = np.pad(scores.pair, ((0, 0), (0, 1)), constant_values=-np.inf)
        attributes = order.features.attributes(sentences)
        self.opening, self.closing = (
            [(lookup, lookup.place_node_codes(attributes)) for lookup in lookups]
            for lookups in (order.opening_lookups, order.closing_lookups)
        )
        slots = [len(sentence.slots) for sentence in sentences]
        self.ends = np.array(slots)
        # Slots come first: a step writes one slot of all sentences, which is then contiguous.
        self.shown = np.zeros((max(slots), len(sentences), count), np.int64)
        self.history = MarkHistory((len(sentences), count), order.features.vocabulary)
        self.before = self.history.distinct(0)
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
        for slot in range(len(self.shown)):
            # Labels in text order: right labels of the constituents that end here, then left
            # labels. They are independent given the surface before the slot, because the
            # constituents that end here drew their left labels at earlier slots.
            closing, opening = self.ending[slot], self.starting[slot]
            edges = [*closing, *opening]
            if edges:
                self.before = self.history.distinct(slot)
            choices = [self._closing(part) for part in self._parts(closing)]
            choices += [self._opening(part) for part in self._parts(opening)]
            labels = self._labels(edges, choices)
            evidence = self.requests[0].evidence
            if evidence and evidence.strings[slot]:
                labels, self.shown[slot] = self._draw_given_evidence(
                    slot, edges, choices, labels, evidence
                )
            else:
                inputs = self._inputs(slot, edges, labels)
                self.shown[slot] = self.order.channel.sample(
                    inputs, self.generators, self.history.strings
                )
            begun = zip(opening, labels[len(closing) :], strict=True)
            self.labels |= {edge.word: row for edge, row in begun}
            self.history.read(slot, self.shown[slot])
        strings = self.history.strings.items
        return [Draws.of(self.shown[:end, i], strings) for i, end in enumerate(self.ends.tolist())]

    def _parts(self, edges: list[_Edge]) -> list[list[_Edge]]:
        step = max(1, LABELS_TOGETHER // self.count)
        return [edges[i : i + step] for i in range(0, len(edges), step)]

    def _opening(self, edges: Sequence[_Edge]) -> Categorical:
        """Return the distributions of left labels; the draws of an edge are consecutive."""
        # p(l | T, x before a): ``left`` has the sums over r of the scores of pairs, to which the
        # features of the history are added. Draws with the same history share a distribution.
        sentence, word, _ = np.array(edges).T
        edge = np.arange(len(edges)).repeat(self.count)
        kind = self.before.kind[sentence].ravel()
        first, inverse = unique_rows(edge, kind)
        words, seen = word[edge[first]], self.before.seen[kind[first]]
        marks = summed_weights(self.order.opening, self.opening, words, seen)
        return Categorical.of(left_scores(self.left.take(words, 0), marks), inverse)

    def _closing(self, edges: Sequence[_Edge]) -> Categorical:
        """Return the distributions of right labels given left labels."""
        # p(r | l, T, x before b): the scores of the pairs with the left label, plus features of the
        # history at the right edge, of the first token at the left edge (``token``) and of the
        # last mark within the constituent (``place``).
        sentence, word, left = np.array(edges).T
        edge = np.arange(len(edges)).repeat(self.count)
        label = np.concatenate([self.labels.pop(w) for w in word.tolist()])
        string, state = self.shown[left, sentence].ravel(), self.before.state[sentence].ravel()
        # Features are looked up once for each of the few distinct states and strings.
        first, several = unique_rows(edge, label, state, string)
        edge, label, state = edge[first], label[first], state[first]
        token = self.history.ends[string[first]][:, 0]
        kind = self.before.kind_of_state[state]
        place = self.before.last_place(left)[edge, state]
        first, inverse = unique_rows(edge, label, kind, token, place)
        inverse = inverse.take(several)
        words, labels = word[edge[first]], label[first]
        seen = np.column_stack([self.before.seen[kind[first]], token[first], place[first]])
        log_weights = summed_weights(self.order.closing, self.closing, words, seen)
        marks, symmetry = log_weights[:, :-1], log_weights[:, -1:]
        of_pair, some = unique_rows(words, labels)
        tree = self.pair[words[of_pair, None], self.order.pair[labels[of_pair]]].take(some, 0)
        symmetric = self.order.symmetric.take(labels, 0)
        return Categorical.of(right_scores(tree, marks, symmetry, symmetric), inverse)

    def _labels(self, edges: Sequence[_Edge], choices: Sequence[Categorical]) -> Ints:
        """Draw the labels of all edges at a slot, ``[edges, draws]``."""
        if not edges:
            return np.zeros((0, self.count), np.int64)
        # With a generator for each sentence, draws depend neither on other sentences nor on how the
        # edges of a slot are split (docs/decisions/restoration.md).
        points = np.empty((len(edges), self.count))
        for edge, row in zip(edges, points, strict=True):
            self.generators[edge.sentence].random(out=row)
        ends = np.cumsum([len(choice.distribution) for choice in choices])
        parts = zip(choices, np.split(points.ravel(), ends[:-1]), strict=True)
        drawn = np.concatenate([choice.draw(part) for choice, part in parts])
        return drawn.reshape(-1, self.count)

    def _inputs(self, slot: int, edges: Sequence[_Edge], labels: Ints) -> UnderlyingStrings:
        channel = self.order.channel
        boundaries = [channel.boundaries(slot, end - 1) for end in self.ends.tolist()]
        sentences = np.array([edge.sentence for edge in edges], np.int64)
        return channel.inputs(labels, sentences, boundaries)

    def _draw_given_evidence(
        self,
        slot: int,
        edges: Sequence[_Edge],
        choices: Sequence[Categorical],
        free: Ints,
        evidence: Evidence,
    ) -> tuple[Ints, Ints]:
        """Draw labels ``[edges, draws]`` and surface ``[draws]`` given evidence, and resample."""
        # Let y be the labels of a draw at this slot, u(y) their concatenation, x the surface and
        # e(x) the likelihood of the evidence, all conditioned on the preceding slots. The posterior
        # is proportional to p(y) p(x | u(y)) e(x).
        #
        # Proposal: the evidence s often has a low prior probability, so few or no labels drawn from
        # p(y) lead to it. In most slots u is rewritten as itself, so labels that spell s are the
        # best guess: q(y) = (1 - g) p(y) + g p(y | u(y) = s), with g = ``GUIDED``.
        #
        # Weight: with x drawn from p(x | u(y)) it is p(y) / q(y) e(x). If existing marks are kept,
        # e is one for x = s and zero otherwise, so hardly any draw of x would survive; instead, x
        # is set to s, and the weight is p(y) / q(y) p(s | u(y)), summed over the channel's edits,
        # which is the expectation of the former weight.
        #
        # Resampling makes all weights equal again. Copies of a draw share their past only.
        (generator,) = self.generators
        order, channel = self.order, self.order.channel
        existing = evidence.strings[slot]
        string = tuple(order.features.vocabulary.replace_unknown("token", existing))
        of_draws = [
            Categorical(c.weight, row)
            for c in choices
            for row in c.distribution.reshape(-1, self.count)
        ]
        spelt, probability = sample_spelling(of_draws, order.label, string, generator)
        guided = (probability > 0) & (generator.random(self.count) < GUIDED)
        labels = np.where(guided, spelt, free)
        inputs = self._inputs(slot, edges, labels)
        target = enclose(channel.boundaries(slot, int(self.ends[0]) - 1), string)
        # Labels drawn from p(y) may also spell the string: the weight depends on the labels, not on
        # the mixture component from which they were drawn.
        spells = channel.map_strings(inputs, lambda x: float(x == target))
        weight = 1 / proposal_ratio(probability, spells)
        if evidence.mistaken:
            shown = channel.sample(inputs, self.generators, self.history.strings)[0]
            first, inverse = unique_rows(shown)
            strings = (self.history.strings.items[i] for i in shown[first].tolist())
            weight *= np.array([evidence.weight(slot, x) for x in strings])[inverse]
        else:
            shown = np.full(self.count, self.history.strings.number(existing))
            explain = channel.rewriter.explain
            weight *= UNEXPLAINED + channel.map_strings(
                inputs, lambda x: math.exp(explain(x, target).log_probability)
            )
        survivors = systematic_resample(weight, generator)
        self.history.select(survivors)
        self.shown = self.shown[:, :, survivors]
        self.labels = {w: label[survivors] for w, label in self.labels.items()}
        return labels[:, survivors], shown[survivors]
