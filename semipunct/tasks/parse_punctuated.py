"""Parsing of punctuated words: trees of a parser, weighed by the marks between the words.

The posterior of a tree T given words w and marks x is in proportion to p(T given w) p(x given T):
the parser reads no marks, and the punctuation model tells how well those of the sentence suit a
tree (Li, Wang and Eisner 2019, equation 1 and section 8).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from semipunct.corpus.sentences import Sentence, Words
from semipunct.errors import UsageError
from semipunct.inference.likelihood import corpus_log_likelihood
from semipunct.tasks import limits
from semipunct.tasks.base import Trained, punctuation_model
from semipunct.tasks.parse import Parse, check_reads_words, parses
from semipunct.wording import counted

Floats = npt.NDArray[np.float64]

CANDIDATES = 8
"""Trees that are weighed: the program that ranks them grows with their number, and is compiled."""


def parse_punctuated(
    parser: Trained[Any],
    model: Trained[Any],
    sentences: Sequence[Sentence | Words],
    *,
    candidates: int = CANDIDATES,
    weight: float = 1.0,
) -> list[Parse]:
    """Parse sentences by their words and their punctuation.

    Of the parser's most probable trees that one is chosen which is expected to have most heads
    right under the posterior of these trees.

    Args:
        parser: a parser with its weights.
        model: a punctuation model with its weights.
        sentences: words and marks; tags and trees that they have do not count.
        candidates: how many of the parser's trees are weighed.
        weight: of log p(x given T), where the log probability of the tree has 1; 0 for no model.

    Returns:
        The log probability of each is that of its posterior among the candidates.

    Raises:
        ModelError: if a model is of another kind, or the parser reads punctuation itself.
        UsageError: for a number of candidates or a weight that makes no sense.
    """
    if not 1 <= candidates <= limits.RANKS:
        raise UsageError(f"{counted(candidates, 'candidate')}; give 1 to {limits.RANKS}")
    if not 0 <= weight < np.inf:
        raise UsageError(f"a weight of {weight} for the punctuation; give 0 or more")
    fitted = punctuation_model(model, alone=True)
    check_reads_words(parser, "a posterior to which a punctuation model adds it")
    several = parses(parser, sentences, candidates, draw=False)
    flat = [one for of in several for one in of]
    scores = np.array([one.log_probability for one in flat], np.float64)
    suits = np.zeros_like(scores)
    if weight:
        trees = [one.sentence for one in flat]
        suits = weight * corpus_log_likelihood(fitted.model, fitted.parameters, trees)
    ends = accumulate((len(of) for of in several), initial=0)
    return [
        _least_risk(of, scores[start:end], suits[start:end])
        for of, (start, end) in zip(several, pairwise(ends), strict=True)
    ]


def _least_risk(several: Sequence[Parse], prior: Floats, suits: Floats) -> Parse:
    """Return the tree with most heads expected to be right, with its posterior probability.

    Args:
        several: trees of one sentence.
        prior: their log probabilities.
        suits: what the marks add. Where they are impossible with every tree they say nothing.
    """
    scores = prior + suits if np.isfinite(suits).any() else prior
    weights = np.exp(scores - scores.max())
    posterior = weights / weights.sum()
    heads = np.array([one.sentence.tree.heads for one in several])
    agreement = (heads[:, None] == heads[None]).sum(-1)
    best = int(np.argmax(agreement @ posterior))
    with np.errstate(divide="ignore"):
        return replace(several[best], log_probability=float(np.log(posterior[best])))
