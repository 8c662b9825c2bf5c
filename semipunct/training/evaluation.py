"""Perplexity of held-out punctuation: log-likelihoods of sentences, and what is told of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct import __version__
from semipunct.arrays.compilation import Shapes
from semipunct.arrays.padding import by_length
from semipunct.corpus.digest import treebank_digest
from semipunct.corpus.sentences import Sentence
from semipunct.evaluation.perplexity import PerplexityFigures
from semipunct.evaluation.signature import join_signature
from semipunct.inference.likelihood import SENTENCES, WORDS, score_batch
from semipunct.models.punctuation.batches import fit_frame
from semipunct.models.punctuation.data import Arrays, model_digest
from semipunct.models.punctuation.model import PunctuationModel


@dataclass(frozen=True, slots=True)
class Evaluation:
    """How well a model predicts the punctuation of some sentences.

    Attributes:
        perplexity: per slot, over all sentences: exp(-log_likelihood / slots); infinite as soon
            as one sentence has probability zero.
        log_likelihood: sum of log p(x | T), natural logarithm.
        slots: n + 1 for each sentence of n words, the initial mark's slot included.
        sentences: how many.
        unscorable: sentences with probability zero (hard sets only).
        perplexity_of_scorable: per slot, over the other ones.
        sentence_log_likelihood: ``[sentences]`` log p(x | T) of each.
        sentence_slots: ``[sentences]`` slots of each.
        signature: says what was measured, on what, with which model and program.
    """

    perplexity: float
    log_likelihood: float
    slots: int
    sentences: int
    unscorable: int
    perplexity_of_scorable: float
    sentence_log_likelihood: npt.NDArray[np.float64]
    sentence_slots: npt.NDArray[np.int64]
    signature: str = ""


class Scorer:
    """Scores the same sentences again and again, prepared and compiled once."""

    def __init__(
        self, model: PunctuationModel, sentences: Sequence[Sentence], shapes: Shapes | None = None
    ) -> None:
        """Prepare sentences; ``shapes`` keeps account of what is compiled."""
        self._model = model
        self._prepared = model.prepare(sentences)
        self._members = list(by_length(self._prepared.lengths, SENTENCES, WORDS))
        self._frame = fit_frame(self._prepared, self._members, SENTENCES) if sentences else None
        self._shapes = shapes or Shapes()
        self.slots = np.array([len(s.slots) for s in sentences], np.int64)

    def __call__(self, parameters: Arrays) -> Evaluation:
        """Score the sentences with the given weights."""
        log_p = np.zeros(len(self.slots))
        # On the device once, not once a batch.
        weights = {name: jnp.asarray(value) for name, value in parameters.items()}
        for members in self._members:
            batch = self._model.lay_out(self._prepared, members, self._frame)
            with self._shapes.first_call("score", batch):
                scores = np.asarray(score_batch(self._model, weights, batch), np.float64)
            log_p[members] = scores[: len(members)]
        return summarise(log_p, self.slots)


def summarise(
    log_likelihood: npt.NDArray[np.float64], slots: npt.NDArray[np.int64], signature: str = ""
) -> Evaluation:
    """Put log-likelihoods and slots of sentences together, both ``[sentences]``."""
    figures = PerplexityFigures.of(log_likelihood, slots)
    return Evaluation(
        perplexity=figures.perplexity,
        log_likelihood=figures.log_likelihood,
        slots=figures.slots,
        sentences=figures.sentences,
        unscorable=figures.unscorable,
        perplexity_of_scorable=figures.perplexity_of_scorable,
        sentence_log_likelihood=log_likelihood,
        sentence_slots=slots,
        signature=signature,
    )


def evaluate(
    model: PunctuationModel,
    parameters: Arrays,
    sentences: Sequence[Sentence],
    treebank: str | None = None,
) -> Evaluation:
    """Perplexity per slot of the punctuation of sentences, given their words and trees.

    Args:
        model: the model.
        parameters: its weights.
        sentences: words, trees and surface punctuation; an empty sequence has perplexity NaN.
        treebank: a sha256 for the signature; by default ``treebank_digest`` of the sentences.
    """
    found = Scorer(model, sentences)(parameters)
    text = signature(model, parameters, treebank or treebank_digest(sentences))
    return summarise(found.sentence_log_likelihood, found.sentence_slots, text)


def signature(model: PunctuationModel, parameters: Arrays, treebank: str) -> str:
    """Return the signature of figures: two of them compare if they differ in the model alone."""
    options = model.options
    parts = {
        "task": "perplexity",
        "model": model_digest(model, parameters)[:12],
        "treebank": treebank[:12],
        "channel": options.channel,
        "sets": "hard" if options.hard_sets else "open",
        "tokens": f">={options.minimum_token_count}",
        "final": "yes" if options.final_mark else "no",
        "version": __version__,
    }
    return join_signature(parts)
