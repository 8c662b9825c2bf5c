"""Sentence segmentation with maximum expected F1.

The most probable tags have too few sentences where the model is uncertain. Given the tokens,
sentence ends are assumed to be independent; a sentence is correct if both its ends are sentence
ends and no token between them is. The algorithm of Dinkelbach (1967) maximises a ratio of sums:
each iteration maximises the sum of the probabilities of the sentences minus a price for each, which
is half of the previous ratio.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

LEAST = 0.01
"""Tokens with a smaller probability of ending a sentence are not candidates."""

SPAN = 64
"""The maximum number of candidates in a sentence."""

PRICE = 0.25
"""The initial price of a sentence."""

_ROUNDS = 20  # three or four iterations suffice


def sentence_ends(probability: npt.NDArray[np.floating]) -> npt.NDArray[np.bool_]:
    """Return the sentence ends with maximum expected F1; the last token is always an end.

    Args:
        probability: ``[tokens]``, that a sentence ends at each token.
    """
    ends = np.zeros(len(probability), bool)
    if not len(ends):
        return ends
    p = probability.astype(np.float64)
    p[-1] = 1.0
    places = np.flatnonzero(p >= LEAST)
    sentences, expected = _sentences(p, places), float(p.sum())
    chosen = best = _cut(sentences, PRICE)
    price = 0.0
    for _ in range(_ROUNDS):
        probable = float(sentences[chosen, np.diff(chosen, prepend=-1) - 1].sum())
        half = probable / (expected + len(chosen))  # half of the expected F1
        if half <= price:
            break
        best, price = chosen, half
        chosen = _cut(sentences, price)
    ends[places[best]] = True
    return ends


def _sentences(p: npt.NDArray[np.float64], places: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
    """Return the probability of sentences with ends j and j - k - 1 of ``places``, [m, SPAN]."""
    none = np.concatenate([[0.0], np.cumsum(np.log1p(-np.minimum(p, 1 - 1e-12)))])
    before = np.arange(len(places))[:, None] - 1 - np.arange(SPAN)  # -1 where the text begins
    last = places[np.maximum(before, 0)]
    start = np.where(before < 0, 0, last + 1)
    begins = np.where(before < 0, 1.0, p[last])
    inside = np.exp(none[places][:, None] - none[start])
    return np.where(before < -1, -np.inf, begins * inside * p[places][:, None])


def _cut(sentences: npt.NDArray[np.float64], price: float) -> npt.NDArray[np.intp]:
    """Return the ends with the highest sum of sentence probabilities minus prices."""
    count = len(sentences)
    value = np.full(count + SPAN, -np.inf)  # of the best ends up to each place, latest place first
    value[count] = 0.0
    length = np.zeros(count, np.intp)
    for j in range(count):
        at = count - j
        sums = value[at : at + SPAN] + sentences[j]
        length[j] = sums.argmax()
        value[at - 1] = sums[length[j]] - price
    ends: list[int] = []
    j = count - 1
    while j >= 0:
        ends.append(j)
        j -= int(length[j]) + 1
    return np.array(ends[::-1], np.intp)
