"""The plan of a training run: the number of visits, and the sentences of each step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from semipunct.arrays.padding import shuffled
from semipunct.models.kind import SharedTrainOptions


class Plan(NamedTuple):
    """The relation of visits and steps.

    Attributes:
        sentences: sentences of the training treebank; an epoch visits each once.
        batch_size: sentences in a batch; the last of an epoch may hold fewer.
        visits: sentence visits in all.
        evaluate_every: sentence visits between evaluations.
    """

    sentences: int
    batch_size: int
    visits: int
    evaluate_every: int

    @classmethod
    def of(cls, sentences: int, options: SharedTrainOptions) -> Plan:
        """Make the plan that the settings ask for; where they leave it open, it suits the treebank.

        Args:
            sentences: the number of training sentences.
            options: of training.
        """
        visits = options.visits or options.suggested_visits(sentences)
        every = options.evaluate_every or -(-visits // options.evaluations)
        return cls(sentences, options.batch_size, visits, every)

    @property
    def steps_per_epoch(self) -> int:
        """The number of batches of an epoch."""
        return -(-self.sentences // self.batch_size)

    @property
    def steps(self) -> int:
        """The number of all batches; the last may go beyond ``visits`` by less than a batch."""
        epochs, rest = divmod(self.visits, self.sentences)
        return epochs * self.steps_per_epoch + -(-rest // self.batch_size)

    def batches(self, seed: int, first: int) -> Iterator[list[int]]:
        """Yield the members of each batch: a function of the seed and the epoch alone.

        Args:
            seed: of the order.
            first: the step to begin with.
        """
        epoch, skip = divmod(first, self.steps_per_epoch)
        left = self.steps - first
        while left > 0:
            order = shuffled(self.sentences, self.batch_size, np.random.default_rng([seed, epoch]))
            for members in list(order)[skip:]:
                if left <= 0:
                    return
                yield members
                left -= 1
            epoch, skip = epoch + 1, 0
