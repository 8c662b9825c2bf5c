"""The plan of a training run: the number of visits, and the sentences of each step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from semipunct.arrays.padding import (
    balanced_batches,
    bucketed_batches,
    buckets,
    round_up,
    shuffled_batches,
)
from semipunct.models.base import Batching
from semipunct.models.kind import SharedTrainOptions

# Minimum number of batches for choosing padded sizes.
_TYPICAL = 64

# Minimum number of sentences in these batches.
_TYPICAL_SENTENCES = 4096


@dataclass(frozen=True)
class Plan:
    """The schedule of a run.

    Attributes:
        lengths: ``[sentences]`` words of each training sentence.
        visits: the total number of sentence visits.
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
        """Create a plan; the defaults of options depend on the treebank."""
        visits = options.visits or options.suggested_visits(len(lengths))
        every = options.evaluate_every or -(-visits // options.evaluations)
        return cls(lengths, options.batch_size, visits, every, batching)

    @cached_property
    def steps_per_epoch(self) -> int:
        if self.batching == "length":
            return buckets(self.lengths, self.batch_size)
        return -(-len(self.lengths) // self.batch_size)

    @cached_property
    def steps(self) -> int:
        """The maximal number of batches, by which learning rates are scheduled."""
        epochs, remainder = divmod(self.visits, len(self.lengths))
        whole = self.steps_per_epoch
        if self.batching == "sentences":
            return epochs * whole + -(-remainder // self.batch_size)
        return epochs * whole + -(-remainder * whole // len(self.lengths))

    def is_done(self, step: int, visits: int) -> bool:
        return visits >= self.visits or step >= self.steps

    def batches(self, seed: int, first: int) -> Iterator[list[int]]:
        """Yield the members of each batch, which depend only on the seed and the epoch."""
        epoch, skip = divmod(first, self.steps_per_epoch)
        step, visits = first - skip, epoch * len(self.lengths)
        while not self.is_done(step, visits):
            for members in self._epoch(np.random.default_rng([seed, epoch])):
                if self.is_done(step, visits):
                    return
                if step >= first:
                    yield members
                step, visits = step + 1, visits + len(members)
            epoch += 1

    def most_sentences(self, seed: int) -> int:
        """Return the maximum number of sentences of a batch, which hardly depends on the seed."""
        if self.batching != "words":
            return self.batch_size
        return round_up(max(map(len, self.batches(seed, 0)), default=1))

    def typical_batches(self) -> list[list[int]]:
        """Return batches for choosing padded sizes: the first ones, and the largest.

        They are the same for every seed, so that runs share compiled programs.
        """
        lengths = np.asarray(self.lengths)
        largest = max(self.batches(0, 0), key=lambda m: int(lengths[m].sum()), default=list[int]())
        count = max(_TYPICAL, _TYPICAL_SENTENCES // self.batch_size)
        return [*islice(self.batches(0, 0), count), largest]

    def _epoch(self, generator: np.random.Generator) -> list[list[int]]:
        if self.batching == "words":
            return list(balanced_batches(self.lengths, self.batch_size, generator))
        if self.batching == "length":
            return list(bucketed_batches(self.lengths, self.batch_size, generator))
        return list(shuffled_batches(len(self.lengths), self.batch_size, generator))
