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

from semipunct.corpus.sentences import Puncteme
from semipunct.errors import UsageError
from semipunct.features.history import (
    CLOSING,
    MOST,
    NOWHERE,
    OPENING,
    last_place,
    opened_after,
    since,
    token_codes,
)
from semipunct.features.index import FeatureMap, Finder
from semipunct.features.templates import CLOSING_TARGETS
from semipunct.features.vocabulary import Symbols
from semipunct.inference.bottom_up import INSIDE
from semipunct.inference.channel_sampler import Meeting, Transmitter, within
from semipunct.inference.draws import Draws, Request
from semipunct.inference.resampling import SPELT, UNEXPLAINED, Evidence, ratio, resampled, spelling
from semipunct.inference.unique_rows import Choice, Codes, Ints, Numbering, kinds
from semipunct.marks import is_symmetric
from semipunct.models.punctuation.model import Parameters, PunctuationModel
from semipunct.models.punctuation.network import network_weights, scores_of_marks
from semipunct.trees.tree import constituents

Floats = npt.NDArray[np.float32]

TOGETHER = 1 << 15
"""Draws of all sentences that are made together; a sentence with more goes alone."""

AT_ONCE = 1 << 17
"""Draws of all edges at a slot whose labels are found at once, to bound the memory."""


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

    def draw(self, requests: Sequence[Request], count: int) -> list[Draws]:
        """Draw the punctuation of sentences, ``count`` times each."""
        # What is known of a sentence chooses among its draws: it takes its slots alone.
        alone = any(request.evidence for request in requests)
        together = 1 if alone else max(1, TOGETHER // count)
        parts = (requests[i : i + together] for i in range(0, len(requests), together))
        return [draws for part in parts for draws in _Drawing(self, part, count).run()]


class _Memory:
    """Surface strings and open marks that are met while drawing; they go by numbers.

    Attributes:
        surface: surface strings.
        ends: ``[strings, 2]`` the codes of the first and of the last token of each.
        innermost: ``[stacks]`` the code of the innermost open mark.
    """

    def __init__(self, symbols: Symbols) -> None:
        def ends(strings: list[Puncteme]) -> Ints:
            firsts, lasts = ([s[i] if s else None for s in strings] for i in (0, -1))
            return np.stack([token_codes(tokens, symbols) for tokens in (firsts, lasts)], 1)

        def innermost(stacks: list[Puncteme]) -> Ints:
            return token_codes([s[-1] if s else None for s in stacks], symbols)

        self.surface = Numbering[Puncteme](())
        self.ends = Codes(self.surface, ends)
        self._stacks = Numbering[Puncteme](())
        self.innermost = Codes(self._stacks, innermost)
        self._symbols = symbols

    def opened_after(self, stacks: Ints, shown: Ints) -> Ints:
        """The marks that are open beyond a slot: ``[draws]`` each, as numbers."""
        first, kind = kinds(stacks, shown)
        pairs = zip(stacks[first].tolist(), shown[first].tolist(), strict=True)
        new = [
            opened_after(
                self._stacks.things[stack],
                self._symbols.known("token", self.surface.things[string]),
            )
            for stack, string in pairs
        ]
        return np.array([self._stacks.number(stack) for stack in new])[kind]


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

    def __init__(self, order: Rightward, requests: Sequence[Request], count: int) -> None:
        self.order, self.requests, self.count = order, requests, count
        sentences = [request.sentence for request in requests]
        self.memory = _Memory(order.features.symbols)
        self.generators = [request.generator for request in requests]
        scores = [request.scores for request in requests]
        self.left: Floats = np.concatenate([s.left for s in scores])
        self.summary: Floats = np.concatenate([s.summary for s in scores])
        self.pair: Floats = np.concatenate([s.pair for s in scores])
        self.pair = np.pad(self.pair, ((0, 0), (0, 1)), constant_values=-np.inf)
        self.opening, self.closing = order.features.finders(
            sentences, (("opening",), OPENING), (CLOSING_TARGETS, CLOSING)
        )
        slots = [len(sentence.slots) for sentence in sentences]
        self.ends = np.array(slots)
        self.shown = np.zeros((max(slots), len(sentences), count), np.int64)
        # Of the marks so far: the last, how many slots have any, those open, the last such slot.
        nothing = self.memory.ends[np.zeros(1, np.int64)][0, 1]
        self.past = np.zeros((4, len(sentences), count), np.int64)
        self.past[:] = np.array([nothing, 0, 0, NOWHERE])[:, None, None]
        self.labels: dict[int, Ints] = {}  # Left labels of the constituents that have begun.
        self.ending: list[list[_Edge]] = [[] for _ in self.shown]
        self.starting: list[list[_Edge]] = [[] for _ in self.shown]
        first = 0
        for i, sentence in enumerate(sentences):
            left, right = constituents(sentence.heads)
            size = np.array(right) - np.array(left)
            for w in np.argsort(size, kind="stable").tolist():
                self.ending[right[w]].append(_Edge(i, first + w, left[w]))
                self.starting[left[w]].insert(0, _Edge(i, first + w, left[w]))
            first += len(left)

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
                meeting = self._meeting(slot, edges, labels)
                self.shown[slot] = self.order.transmitter.send(
                    meeting, self.generators, self.memory.surface
                )
            begun = zip(opening, labels[len(closing) :], strict=True)
            self.labels |= {edge.word: row for edge, row in begun}
            self._remember(slot)
        strings = self.memory.surface.things
        return [Draws.of(self.shown[:end, i], strings) for i, end in enumerate(self.ends.tolist())]

    def _parts(self, edges: list[_Edge]) -> list[list[_Edge]]:
        step = max(1, AT_ONCE // self.count)
        return [edges[i : i + step] for i in range(0, len(edges), step)]

    def _opening(self, slot: int, edges: Sequence[_Edge]) -> Choice:
        """The left labels of constituents that begin; one row of draws after another."""
        sentence, word, _ = np.array(edges).T
        edge = np.arange(len(edges)).repeat(self.count)
        seen = self._seen(slot, sentence)
        first, kind = kinds(edge, *seen)
        words, seen = word[edge[first]], np.column_stack([column[first] for column in seen])
        scores = _weighed(self.order.opening, self.opening, words, seen)
        scores += self.left.take(words, 0)
        if self.order.network:
            scores += scores_of_marks(self.order.network, "opening", self.summary[words], seen)
        return Choice.of(scores, kind)

    def _closing(self, slot: int, edges: Sequence[_Edge]) -> Choice:
        """The right labels of constituents that end, given their left ones; likewise."""
        sentence, word, left = np.array(edges).T
        edge = np.arange(len(edges)).repeat(self.count)
        label = np.concatenate([self.labels.pop(w) for w in word.tolist()])
        token = self.memory.ends[self.shown[left, sentence].ravel()][:, 0]
        place = last_place(self.past[3, sentence], left[:, None]).ravel()
        seen = [*self._seen(slot, sentence), token, place]
        first, kind = kinds(edge, label, *seen)
        words, labels = word[edge[first]], label[first]
        seen = np.column_stack([column[first] for column in seen])
        given = _weighed(self.order.closing, self.closing, words, seen)
        scores = given[:, :-1].copy()
        scores += given[:, -1:] * self.order.symmetric.take(labels, 0)
        own, some = kinds(words, labels)
        scores += self.pair[words[own, None], self.order.pair[labels[own]]].take(some, 0)
        if self.order.network:
            scores += scores_of_marks(self.order.network, "closing", self.summary[words], seen)
        return Choice.of(scores, kind)

    def _seen(self, slot: int, sentences: Ints) -> list[Ints]:
        """The columns ``SEEN`` for the draws of some sentences, one after another."""
        last, marked, opened, at = self.past[:, sentences].reshape(4, -1)
        return [last, marked, self.memory.innermost[opened], since(slot, at)]

    def _labels(self, edges: Sequence[_Edge], choices: Sequence[Choice]) -> Ints:
        """``[edges, draws]``."""
        if not edges:
            return np.zeros((0, self.count), np.int64)
        points = np.concatenate([self.generators[e.sentence].random(self.count) for e in edges])
        ends = np.cumsum([len(choice.kind) for choice in choices])
        parts = zip(choices, np.split(points, ends[:-1]), strict=True)
        return self._rows(np.concatenate([choice.draw(part) for choice, part in parts]))

    def _rows(self, draws: Ints) -> Ints:
        return draws.reshape(-1, self.count)

    def _meeting(self, slot: int, edges: Sequence[_Edge], labels: Ints) -> Meeting:
        given = [
            request.sentence.slots[slot] if slot < end else ()
            for request, end in zip(self.requests, self.ends.tolist(), strict=True)
        ]
        sentences = np.array([edge.sentence for edge in edges], np.int64)
        return self.order.transmitter.meeting(labels, sentences, given)

    def _agreeing(
        self,
        slot: int,
        edges: Sequence[_Edge],
        choices: Sequence[Choice],
        free: Ints,
        evidence: Evidence,
    ) -> tuple[Ints, Ints]:
        """Labels and surface that agree with what is known of a slot; see ``evidence``."""
        (request,), (generator,) = self.requests, self.generators
        order, transmitter = self.order, self.order.transmitter
        stands = evidence.strings[slot]
        string = tuple(order.features.symbols.known("token", stands))
        own = [Choice(c.weight, row) for c in choices for row in self._rows(c.kind)]
        spelt, probability = spelling(own, order.label, string, generator)
        chosen = (probability > 0) & (generator.random(self.count) < SPELT)
        labels = np.where(chosen, spelt, free)
        meeting = self._meeting(slot, edges, labels)
        wanted = within(request.sentence.slots[slot], string)
        spells = transmitter.of_strings(meeting, lambda x: float(x == wanted))
        weight = 1 / ratio(probability, spells)
        if evidence.mistaken:
            shown = transmitter.send(meeting, self.generators, self.memory.surface)[0]
            first, kind = kinds(shown)
            strings = (self.memory.surface.things[i] for i in shown[first].tolist())
            weight *= np.array([evidence.weight(slot, x) for x in strings])[kind]
        else:
            shown = np.full(self.count, self.memory.surface.number(stands))
            explain = transmitter.rewriter.explain
            weight *= UNEXPLAINED + transmitter.of_strings(
                meeting, lambda x: math.exp(explain(x, wanted).log_probability)
            )
        survivors = resampled(weight, generator)
        self._select(survivors)
        return labels[:, survivors], shown[survivors]

    def _select(self, survivors: Ints) -> None:
        """Let some draws, with all that they hold, take the places of all."""
        self.past = self.past[:, :, survivors]
        self.shown = self.shown[:, :, survivors]
        self.labels = {w: label[survivors] for w, label in self.labels.items()}

    def _remember(self, slot: int) -> None:
        """Take what is shown in a slot into what is remembered."""
        where = self.shown[slot].nonzero()
        if len(where[0]):
            shown = self.shown[slot][where]
            _, marked, opened, _ = self.past[:, *where]
            self.past[:, *where] = (
                self.memory.ends[shown][:, 1],
                np.minimum(marked + 1, MOST),
                self.memory.opened_after(opened, shown),
                np.full(len(shown), slot),
            )


def _weighed(weights: Floats, finders: Sequence[Finder], words: Ints, seen: Ints) -> Floats:
    """``[cases, columns]`` summed weights of the features of words, given what is seen."""
    total = np.zeros((len(words), weights.shape[1]), np.float32)
    for finder in finders:
        values = seen[:, finder.looked_at]
        first, kind = kinds(words, *values.T)
        part = np.zeros((len(first), weights.shape[1]), np.float32)
        for family in finder.rows(words[first], values[first]).T:
            part += weights.take(family, 0)
        total += part.take(kind, 0)
    return total
