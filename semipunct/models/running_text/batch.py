"""Padded passages, as the text model reads them in training."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from semipunct.models.running_text.words import Codes


class TextBatch(NamedTuple):
    """Padded passages.

    Attributes:
        codes: ``[distinct, CODES]`` of the distinct words.
        words: ``[batch, length]`` rows of ``codes``.
        shapes: ``[batch, length]`` the shapes of the words.
        possible: ``[batch, length, SHAPES]`` the shapes that each word can have.
        tags: ``[batch, length + 1]`` the strings of the slots.
        spelling: ``[batch, length + 1]`` log-probability of a string, given its tag.
        ends: ``[batch, length + 1]`` whether a sentence ends in a slot.
        lengths: ``[batch]`` numbers of words; 0 in rows without a passage.
    """

    codes: Codes
    words: Codes
    shapes: Codes
    possible: npt.NDArray[np.bool_]
    tags: Codes
    spelling: npt.NDArray[np.float32]
    ends: npt.NDArray[np.bool_]
    lengths: Codes
