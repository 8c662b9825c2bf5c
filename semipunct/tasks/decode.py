"""Decoding: the underlying tree of each sentence, the best few, or draws from the posterior."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from semipunct.corpus import Sentence
from semipunct.errors import UsageError
from semipunct.inference import decode as inference
from semipunct.inference.decode import Analysis
from semipunct.models.base import Weights
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.tasks import limits
from semipunct.tasks.base import Trained, punctuation_model
from semipunct.tasks.semirings import installed_semiring
from semirings import Derivation, KBest, Sampling, Selective, plugins

CHUNK = 1024
"""Sentences that share the random numbers of a seed: it fixes the draws of any number of them."""


def decode(
    model: Trained[Any],
    sentences: Sequence[Sentence],
    semiring: str = "viterbi",
    *,
    samples: int | None = None,
    nbest: int | None = None,
    seed: int = 0,
) -> list[list[Analysis]]:
    """Find the underlying punctuation trees of sentences.

    Args:
        model: a punctuation model with its weights.
        sentences: words, trees and surface punctuation.
        semiring: ``viterbi`` for the best tree, ``kbest`` for the best few, ``sampling`` for trees
            drawn from the posterior, or the name of another selective semiring.
        samples: trees drawn for each sentence, with ``sampling`` (by default 1), at most
            ``limits.TREES``.
        nbest: different trees of a sentence at most, with ``kbest`` (by default 4), at most
            ``limits.RANKS``.
        seed: fixes what is drawn.

    Returns:
        The analyses of each sentence, the best first; none for a sentence that has no analysis,
        which only a model with hard sets can have.

    Raises:
        UsageError: if there is no such semiring, it cannot decode, or ``nbest`` or ``samples``
            means nothing with it.
        ModelError: if the model is of another kind.
    """
    chosen = choose_decoder(semiring, samples, nbest, seed)
    asked = punctuation_model(model)
    return [
        analyses
        for number, start in enumerate(range(0, len(sentences), CHUNK))
        for analyses in chosen.analyse(
            asked.model, asked.parameters, sentences[start : start + CHUNK], number
        )
    ]


@dataclass(frozen=True, slots=True)
class Decoder:
    """A way to analyse sentences.

    Attributes:
        analyse: the function from model, weights, sentences and the number of their chunk to the
            analyses of each sentence.
        label: ``sample`` or ``rank`` if the analyses of a sentence are numbered in the output.
    """

    analyse: Callable[[PunctuationModel, Weights, Sequence[Sentence], int], list[list[Analysis]]]
    label: str = ""


def choose_decoder(name: str, samples: int | None, nbest: int | None, seed: int) -> Decoder:
    """Return what decoding with a semiring means.

    A selective semiring gives the best derivation, ``kbest`` the best few, ``sampling`` draws from
    the posterior.

    Args:
        name: of the semiring.
        samples: draws of each sentence; None for 1.
        nbest: analyses of each sentence at most; None for the semiring's own number.
        seed: fixes the draws.

    Raises:
        UsageError: if there is no such semiring, if it cannot decode, or if ``samples`` or
            ``nbest`` is given where it means nothing, or beyond its limit.
        SemipunctError: if it cannot be loaded.
    """
    _, chosen = installed_semiring(name)
    if samples is not None and not isinstance(chosen, Sampling):
        raise UsageError(f"--samples needs --semiring sampling; {name} draws nothing")
    if nbest is not None and not isinstance(chosen, KBest):
        raise UsageError(f"--nbest needs --semiring kbest; {name} ranks nothing")
    _check_limit("samples", samples, limits.TREES)
    _check_limit("nbest", nbest, limits.RANKS)
    if isinstance(chosen, Sampling):
        draws = samples or 1
        return Decoder(
            lambda m, p, sentences, chunk: inference.sample(
                m, p, sentences, draws, _seed(seed, chunk)
            ),
            label="sample",
        )
    if isinstance(chosen, KBest):
        count = nbest or chosen.k
        return Decoder(
            lambda m, p, sentences, _: inference.best_of(m, p, sentences, count), label="rank"
        )
    if isinstance(chosen, Selective):
        by = chosen if isinstance(chosen, Derivation) else Derivation(chosen)
        return Decoder(
            lambda m, p, sentences, _: [
                [a] if a else [] for a in inference.best(m, p, sentences, by)
            ]
        )
    able = [
        key
        for key, plugin in plugins.available().items()
        if isinstance(plugin.semiring, Selective | Sampling | KBest)
    ]
    raise UsageError(
        f"the semiring {name} adds where decoding has to choose (it is not selective); "
        f"take one of: {', '.join(able)}"
    )


def _check_limit(name: str, number: int | None, most: int) -> None:
    if number is not None and not 1 <= number <= most:
        raise UsageError(f"{number} {name}; give 1 to {most:,}")


def _seed(seed: int, chunk: int) -> int:
    """Return a seed for each chunk of sentences, which must not share their random numbers."""
    return int(np.random.SeedSequence((seed, chunk)).generate_state(1)[0] >> 1)
