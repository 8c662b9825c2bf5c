"""Parsing of punctuated text: the trees of a parser, reranked by a punctuation model.

The posterior of a tree T given words w and marks x is proportional to p(T given w) p(x given T).
The parser, which reads no marks, provides the first factor, the punctuation model the second (Li,
Wang and Eisner 2019, equation 1 and section 8).
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
from semipunct.models.punctuation.decode import corpus_log_likelihood
from semipunct.tasks import limits
from semipunct.tasks.base import Trained
from semipunct.tasks.parse import Parse, check_reads_words, parses
from semipunct.tasks.punctuation_models import punctuation_model
from semipunct.wording import quantity

Floats = npt.NDArray[np.float64]

CANDIDATES = 8
"""Trees to rerank; the compiled program that finds the best trees grows with their number."""


def parse_punctuated(
    parser: Trained[Any],
    model: Trained[Any],
    sentences: Sequence[Sentence | Words],
    *,
    candidates: int = CANDIDATES,
    weight: float = 1.0,
) -> list[Parse]:
    """Parse sentences by their words and their punctuation.

    Among the parser's most probable trees, the one with the highest expected number of correct
    heads under the posterior over these trees is chosen.

    Args:
        parser: a parser with its weights.
        model: a punctuation model with its weights.
        sentences: words and marks; existing tags and trees are ignored.
        candidates: the number of the parser's trees to rerank.
        weight: the weight of log p(x given T), relative to the log probability of the tree; 0 to
            ignore the punctuation model.

    Returns:
        The chosen analyses, each with its log posterior probability among the candidates.

    Raises:
        ModelError: if a model is of another kind, or the parser reads punctuation itself.
        UsageError: if the number of candidates or the weight is invalid.
    """
    if not 1 <= candidates <= limits.RANKS:
        raise UsageError(f"{quantity(candidates, 'candidate')}; give 1 to {limits.RANKS}")
    if not 0 <= weight < np.inf:
        raise UsageError(f"the weight of the punctuation is {weight}; give 0 or more")
    fitted = punctuation_model(model, alone=True)
    check_reads_words(parser, "with a punctuation model")
    several = parses(parser, sentences, candidates, draw=False)
    flat = [candidate for of in several for candidate in of]
    scores = np.array([candidate.log_probability for candidate in flat], np.float64)
    suits = np.zeros_like(scores)
    if weight:
        trees = [candidate.sentence for candidate in flat]
        suits = weight * corpus_log_likelihood(fitted.model, fitted.parameters, trees)
    ends = accumulate((len(of) for of in several), initial=0)
    return [
        _least_risk(of, scores[start:end], suits[start:end])
        for of, (start, end) in zip(several, pairwise(ends), strict=True)
    ]


def _least_risk(several: Sequence[Parse], prior: Floats, suits: Floats) -> Parse:
    """Return the tree with the most expected correct heads, with its posterior probability.

    Args:
        several: trees of one sentence.
        prior: the log probabilities of the trees.
        suits: the weighted log likelihoods of the marks given each tree; ignored if the marks are
            impossible given every tree.
    """
    scores = prior + suits if np.isfinite(suits).any() else prior
    weights = np.exp(scores - scores.max())
    posterior = weights / weights.sum()
    heads = np.array([candidate.sentence.tree.heads for candidate in several])
    agreement = (heads[:, None] == heads[None]).sum(-1)
    best = int(np.argmax(agreement @ posterior))
    with np.errstate(divide="ignore"):
        return replace(several[best], log_probability=float(np.log(posterior[best])))
