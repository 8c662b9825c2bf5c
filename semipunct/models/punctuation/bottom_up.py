"""Bottom-up sampling, for features of the marks within a constituent.

The pair of a constituent is drawn after all pairs and surface strings within it. The channel
rewrites a slot as soon as all its punctemes are drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from semipunct.arrays.unique_rows import Ints, Numbering, RowCache, unique_rows
from semipunct.errors import UsageError
from semipunct.features.index import FeatureIndex
from semipunct.marks import Puncteme
from semipunct.models.base import Weights
from semipunct.models.punctuation.attach import weights_of
from semipunct.models.punctuation.channel_sampler import ChannelSampler
from semipunct.models.punctuation.draws import Categorical, Draws, Request
from semipunct.models.punctuation.model import PunctuationModel, TreeScores

INSIDE = "inside"
"""The attribute of the surface marks within a constituent."""


@dataclass(frozen=True, slots=True)
class BottomUpSampler:
    """The tables of a model for bottom-up sampling, shared by all sentences."""

    channel: ChannelSampler
    features: FeatureIndex
    pairs: Ints  # [pairs, 2], labels
    weights: npt.NDArray[np.float32]  # [features + 1, pairs]; the last row, for no feature, is zero
    token: Mapping[str, int]  # codes of the tokens that features distinguish

    @classmethod
    def of(cls, model: PunctuationModel, parameters: Weights) -> BottomUpSampler:
        """Build the tables of a model.

        Raises:
            UsageError: if marks within a constituent are features of anything but its pair.
        """
        families = [c for c in model.features.conjunctions if c.over == INSIDE and len(c.kept)]
        if unsupported := {target for c in families for target in c.targets} - {"pair"}:
            raise UsageError(
                f"templates over {INSIDE!r} must weight pairs, not {sorted(unsupported)}"
            )
        weights = model.supports["pair"].table(np.asarray(parameters[weights_of("pair")]))
        return cls(
            channel=ChannelSampler.of(model, parameters),
            features=model.features,
            pairs=model.inventory.pairs.astype(np.int64),
            weights=np.pad(weights, ((0, 1), (0, 0))),
            token={t: i for i, t in enumerate(model.features.vocabulary.values["token"])},
        )

    def draw(self, requests: Sequence[Request], scores: TreeScores, count: int) -> list[Draws]:
        """Draw punctuation, given the tree scores of all words of the sentences, end to end.

        Raises:
            UsageError: if there is evidence.
        """
        if any(request.evidence is not None for request in requests):
            raise UsageError(
                "this model draws constituents bottom-up, and only a model that draws from left "
                "to right can keep marks: train with the template history instead of c"
            )
        ends = np.cumsum([request.sentence.tree.words for request in requests])
        rows = np.split(np.asarray(scores.pair), ends)
        return [
            self._draw(request, scores_of_sentence, count)
            for request, scores_of_sentence in zip(requests, rows, strict=False)
        ]

    def _draw(self, request: Request, scores: npt.NDArray[np.float32], count: int) -> Draws:
        sentence, generator = request.sentence, request.generator
        heads, (left, right) = sentence.tree.heads, sentence.tree.edges
        words = len(heads)
        rows = self.features.rows_over(sentence, INSIDE)
        surface, seen = Numbering[Puncteme](()), _TokenSets()
        members = RowCache(surface, partial(seen.members, self.token))
        slots = np.zeros((words + 1, count), np.int64)
        # Labels of the constituents that end or start at each slot, innermost first.
        ending: list[list[Ints]] = [[] for _ in slots]
        starting: list[list[Ints]] = [[] for _ in slots]
        within = np.zeros((words, count), np.int64)
        dependents: list[list[int]] = [[] for _ in heads]
        size = np.array(right) - np.array(left)

        def send(slot: int) -> Ints:
            labels = [*ending[slot], *starting[slot][::-1]]
            of_one = np.zeros(len(labels), np.int64)
            rows = np.array(labels).reshape(-1, count)
            inputs = self.channel.inputs(rows, of_one, [self.channel.boundaries(slot, words)])
            return self.channel.sample(inputs, [generator], surface)[0]

        for w in np.argsort(size, kind="stable").tolist():
            inner = {w, w + 1, *(side[d] for d in dependents[w] for side in (left, right))}
            for i in inner - {left[w], right[w]}:
                slots[i] = send(i)
                seen.unite(within[w], members[slots[i]])
            for d in dependents[w]:
                seen.unite(within[w], within[d])
            choice = self._choice(scores[w], rows[w], within[w], seen)
            pair = choice.draw(generator.random(count))
            starting[left[w]].append(self.pairs[pair, 0])
            ending[right[w]].append(self.pairs[pair, 1])
            if heads[w]:
                dependents[heads[w] - 1].append(w)
        for i in (0, words):
            slots[i] = send(i)
        return Draws.of(slots, surface.items)

    def _choice(
        self, scores: npt.NDArray[np.float32], rows: Ints, within: Ints, seen: _TokenSets
    ) -> Categorical:
        """Return the distribution of the pair of a constituent given the tokens within it."""
        first, inverse = unique_rows(within)
        conditional = np.stack([scores] * len(first))
        for row, number in zip(conditional, within[first].tolist(), strict=True):
            features = rows[list(seen.sets.items[number])]
            row += self.weights[features[features >= 0]].sum(0)
        return Categorical.of(conditional, inverse)


class _TokenSets:
    """Numbered sets of tokens; 0 is the empty set."""

    def __init__(self) -> None:
        self.sets = Numbering[frozenset[int]](frozenset())

    def members(self, token: Mapping[str, int], strings: list[Puncteme]) -> Ints:
        return np.array([self.sets.number(frozenset(token[t] for t in s)) for s in strings])

    def unite(self, sets: Ints, additions: Ints) -> None:
        """Replace the set of each draw by its union with another set, in place."""
        draws = additions.nonzero()[0]
        if len(draws):
            pairs = sets[draws], additions[draws]
            first, inverse = unique_rows(*pairs)
            united = [
                self.sets.number(self.sets.items[a] | self.sets.items[b])
                for a, b in zip(*(numbers[first].tolist() for numbers in pairs), strict=True)
            ]
            sets[draws] = np.array(united)[inverse]
