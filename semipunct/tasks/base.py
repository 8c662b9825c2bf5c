"""The protocol of models of punctuation that tasks use, ours and its competitors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from semipunct.corpus import Sentence
from semipunct.marks import Puncteme

Slots = tuple[Puncteme, ...]
"""A string for each slot of a sentence."""


class Punctuator(Protocol):
    """A fitted model of the punctuation of sentences, given their words and trees."""

    def log_likelihoods(self, sentences: Sequence[Sentence]) -> npt.NDArray[np.float64]:
        """Return the natural log-probability of the punctuation of each sentence, ``[sentences]``.

        Every string over the token vocabulary is possible, so that perplexities compare.
        """
        ...

    def restore(self, sentences: Sequence[Sentence]) -> list[Slots]:
        """Return the punctuation of least expected edit distance, ignoring what stands there."""
        ...
