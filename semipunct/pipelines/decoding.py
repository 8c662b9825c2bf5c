"""The best underlying tree of each sentence, the k best, or samples from the posterior."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from semipunct.corpus import Sentence
from semipunct.corpus.treebank import OmittedT, with_omitted, without_omitted
from semipunct.errors import SemipunctError, UsageError, suggest
from semipunct.models.base import Weights
from semipunct.models.punctuation import decode as inference
from semipunct.models.punctuation.decode import Analysis
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.pipelines import limits
from semipunct.pipelines.chunks import in_chunks
from semipunct.pipelines.options import DecodeOptions
from semipunct.pipelines.trained import Trained, punctuation_model
from semirings import Derivation, KBest, Sampling, Selective, Semiring, plugins
from semirings.plugins import Plugin

# Sentences per derived seed; a constant, so that a seed determines the draws of any number.
CHUNK = 1024


def decode(
    model: Trained[Any], sentences: Sequence[Sentence | OmittedT], options: DecodeOptions
) -> list[list[Analysis] | OmittedT]:
    """Find the underlying punctuation trees of sentences.

    Returns:
        The analyses of each sentence, the best first. A sentence without an analysis, which only
        hard sets produce, gets an empty list.
    """
    chosen = choose_decoder(options)
    punctuation = punctuation_model(model)
    usable: list[Sentence] = without_omitted(sentences)
    analyses_of_all = [
        analyses
        for number, chunk in enumerate(in_chunks(usable, CHUNK))
        for analyses in chosen.analyse(punctuation.model, punctuation.parameters, chunk, number)
    ]
    return with_omitted(sentences, analyses_of_all)


@dataclass(frozen=True, slots=True)
class Decoder:
    """A method of analysing sentences."""

    analyse: Callable[[PunctuationModel, Weights, Sequence[Sentence], int], list[list[Analysis]]]
    label: str = ""


def choose_decoder(options: DecodeOptions) -> Decoder:
    """Return the decoder for a semiring.

    A selective semiring gives the best derivation, ``kbest`` the k best, and ``sampling`` draws
    from the posterior.
    """
    name, samples, nbest = options.semiring, options.samples, options.nbest
    _, chosen = installed_semiring(name)
    if samples is not None and not isinstance(chosen, Sampling):
        raise UsageError(f"--samples needs --semiring sampling; {name} does not draw")
    if nbest is not None and not isinstance(chosen, KBest):
        raise UsageError(f"--nbest needs --semiring kbest; {name} does not rank")
    _check_limit("samples", samples, limits.TREES)
    _check_limit("nbest", nbest, limits.RANKS)
    if isinstance(chosen, Sampling):
        draws = samples or 1
        return Decoder(
            lambda m, p, sentences, chunk: inference.sample(
                m, p, sentences, draws, part_seed(options.seed, chunk)
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
        f"the semiring {name} is not selective, so decoding cannot choose a tree with it; "
        f"give one of: {', '.join(able)}"
    )


def _check_limit(name: str, number: int | None, most: int) -> None:
    if number is not None and not 1 <= number <= most:
        raise UsageError(f"{number} {name}; give 1 to {most:,}")


def part_seed(seed: int, part: int) -> int:
    """Derive the seed of a part of the input; no two parts or seeds share random numbers."""
    return int(np.random.SeedSequence((seed, part)).generate_state(1)[0] >> 1)


def installed_semiring(name: str) -> tuple[Plugin, Semiring]:
    """Return the plugin and the semiring of a name."""
    plugin_of = plugins.available()
    if name not in plugin_of:
        known = ", ".join(plugin_of)
        raise UsageError(f"there is no semiring {name!r}{suggest(name, plugin_of)}; known: {known}")
    plugin = plugin_of[name]
    if plugin.semiring is None:
        raise SemipunctError(
            f"the semiring {name!r} of {plugin.distribution} {plugin.version} cannot be loaded "
            f"({plugin.fault}); repair or remove that package"
        )
    return plugin, plugin.semiring
