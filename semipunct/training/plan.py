"""The plan of a training run: the number of visits, and the sentences of each step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from semipunct.arrays.padding import balanced, bucketed, buckets, round_up, shuffled
from semipunct.models.base import Batching
from semipunct.models.kind import SharedTrainOptions

_TYPICAL = 64
"""Batches to choose padded sizes by, at least; a larger one later costs one more compiled shape."""

_TYPICAL_SENTENCES = 4096
"""Sentences in these, at least: the fewer a batch holds, the more its sizes vary."""


class Plan(NamedTuple):
    """The relation of visits and steps.

    Attributes:
        lengths: ``[sentences]`` words of the training sentences; an epoch visits each once.
        batch_size: sentences in a batch; the last of an epoch may hold fewer.
        batching: see ``Model.batching``.
        visits: sentence visits in all.
        evaluate_every: sentence visits between evaluations.
    """

    lengths: Sequence[int]
    batch_size: int
    visits: int
    evaluate_every: int
    batching: Batching = "sentences"

    @classmethod
    def of(
        cls,
        lengths: Sequence[int],
        options: SharedTrainOptions,
        *,
        batching: Batching = "sentences",
    ) -> Plan:
        """Make the plan that the settings ask for; where they leave it open, it suits the treebank.

        Args:
            lengths: ``[sentences]`` words of the training sentences.
            options: of training.
            batching: see the attribute.
        """
        visits = options.visits or options.suggested_visits(len(lengths))
        every = options.evaluate_every or -(-visits // options.evaluations)
        return cls(lengths, options.batch_size, visits, every, batching)

    @property
    def sentences(self) -> int:
        """The number of training sentences."""
        return len(self.lengths)

    @property
    def steps_per_epoch(self) -> int:
        """The number of batches of an epoch."""
        if self.batching == "length":
            return buckets(self.lengths, self.batch_size)
        return -(-self.sentences // self.batch_size)

    @property
    def steps(self) -> int:
        """The number of all batches; the last may go beyond ``visits`` by less than a batch."""
        epochs, rest = divmod(self.visits, self.sentences)
        whole = self.steps_per_epoch
        return epochs * whole + -(-rest * whole // self.sentences)

    def batches(self, seed: int, first: int) -> Iterator[list[int]]:
        """Yield the members of each batch: a function of the seed and the epoch alone.

        Args:
            seed: of the order.
            first: the step to begin with.
        """
        epoch, skip = divmod(first, self.steps_per_epoch)
        left = self.steps - first
        while left > 0:
            for members in self._epoch(np.random.default_rng([seed, epoch]))[skip:]:
                if left <= 0:
                    return
                yield members
                left -= 1
            epoch, skip = epoch + 1, 0

    def most_sentences(self, seed: int) -> int:
        """Return how many sentences a batch may hold; nearly the same for all seeds.

        Args:
            seed: of the order.
        """
        if self.batching != "words":
            return self.batch_size
        return round_up(max(map(len, self.batches(seed, 0)), default=1))

    def typical_batches(self) -> list[list[int]]:
        """Return the batches to choose padded sizes by: the first ones, and the largest.

        They are the same for every seed, so that runs share what the compiler has cached.
        """
        lengths = np.asarray(self.lengths)

        def words(members: list[int]) -> int:
            return int(lengths[members].sum())

        largest = max(self.batches(0, 0), key=words, default=[])
        count = max(_TYPICAL, _TYPICAL_SENTENCES // self.batch_size)
        return [*islice(self.batches(0, 0), count), largest]

    def _epoch(self, generator: np.random.Generator) -> list[list[int]]:
        if self.batching == "words":
            return list(balanced(self.lengths, self.batch_size, generator))
        if self.batching == "length":
            return list(bucketed(self.lengths, self.batch_size, generator))
        return list(shuffled(len(self.lengths), self.batch_size, generator))
