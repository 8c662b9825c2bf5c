"""Sentences whose expected F1 is highest, from how probably each token ends one.

The most probable tags have too few sentences where little is certain: an end that has a
probability of 0.4 is none of theirs, and without marks and capitals many ends are such. Given the
tokens, ends are taken to be independent; the probability of a sentence is that of its two ends
and of no other between them. The sentences that maximise a ratio of sums are found as by
Dinkelbach (1967): they maximise the sum of their probabilities less a price for each, which is half
of the ratio that the last ones had.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

LEAST = 0.01
"""Tokens that end a sentence with a smaller probability end none."""

SPAN = 64
"""A sentence has fewer such tokens."""

PRICE = 0.25
"""The first price."""

_ROUNDS = 20  # three or four suffice


def sentence_ends(probability: npt.NDArray[np.floating]) -> npt.NDArray[np.bool_]:
    """Return which tokens end the sentences of highest expected F1; the last one always does.

    Args:
        probability: ``[tokens]`` that a sentence ends there.
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
        half = probable / (expected + len(chosen))  # of the expected F1
        if half <= price:
            break
        best, price = chosen, half
        chosen = _cut(sentences, price)
    ends[places[best]] = True
    return ends


def _sentences(p: npt.NDArray[np.float64], places: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
    """Return ``[m, SPAN]`` how probably a sentence ends at place j, and the last k + 1 before.

    Args:
        p: ``[tokens]`` that a sentence ends there.
        places: ``[m]`` tokens that may end one.
    """
    none = np.concatenate([[0.0], np.cumsum(np.log1p(-np.minimum(p, 1 - 1e-12)))])
    before = np.arange(len(places))[:, None] - 1 - np.arange(SPAN)  # -1 where the text begins
    last = places[np.maximum(before, 0)]
    start = np.where(before < 0, 0, last + 1)
    begins = np.where(before < 0, 1.0, p[last])
    inside = np.exp(none[places][:, None] - none[start])
    return np.where(before < -1, -np.inf, begins * inside * p[places][:, None])


def _cut(sentences: npt.NDArray[np.float64], price: float) -> npt.NDArray[np.intp]:
    """Return the ends, of m, whose sentences have the highest sum less a price for each.

    Args:
        sentences: ``[m, SPAN]`` their probabilities.
        price: of each.
    """
    count = len(sentences)
    value = np.full(count + SPAN, -np.inf)  # of the ends up to each place, the newest first
    value[count] = 0.0
    length = np.zeros(count, np.intp)
    for j in range(count):
        at = count - j
        sums = value[at : at + SPAN] + sentences[j]
        length[j] = sums.argmax()
        value[at - 1] = sums[length[j]] - price
    found: list[int] = []
    j = count - 1
    while j >= 0:
        found.append(j)
        j -= int(length[j]) + 1
    return np.array(found[::-1], np.intp)
