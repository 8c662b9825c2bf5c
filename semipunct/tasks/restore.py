"""Punctuation restoration: from words and tree to surface punctuation (section 6.1).

The posterior over surface punctuation is represented by draws from it. The loss is edit distance,
which is a sum over slots, so the expected loss is minimised for each slot separately, exactly,
among the strings drawn there. (The paper minimises it among whole draws, as ``best_draw`` does.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from semipunct.corpus import Sentence
from semipunct.corpus.examples import treebank_digest
from semipunct.corpus.treebank import OmittedT, with_omitted, without_omitted
from semipunct.evaluation.results import figures_signature
from semipunct.marks import Puncteme
from semipunct.marks.spacing import BY_TYPOGRAPHY, JoiningMarks
from semipunct.models.base import Weights
from semipunct.models.punctuation.attach import has_history_features
from semipunct.models.punctuation.decode import corpus_log_likelihood
from semipunct.models.punctuation.draws import Draws, Evidence
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.punctuation.sampler import generate
from semipunct.tasks.base import Slots, Trained
from semipunct.tasks.choice import Standing, chosen_strings
from semipunct.tasks.options import RestoreOptions, RestoreSettings
from semipunct.tasks.punctuation_models import punctuation_model
from semipunct.tasks.restoration import Restoration
from semipunct.tasks.run import in_groups
from semipunct.tasks.slot_posteriors import SlotPosterior, posteriors

Floats = npt.NDArray[np.float64]

_CELLS = 2**23
"""Slots times draws held at a time: 64 megabytes, not counting the memory for drawing them."""


def restore(
    model: Trained[Any],
    sentences: Sequence[Sentence[Any] | OmittedT],
    options: RestoreOptions | None = None,
    *,
    first: int | Sequence[int] = 0,
    **settings: Unpack[RestoreSettings],
) -> list[Restoration | OmittedT]:
    """Restore the punctuation of sentences, from scratch or given existing marks.

    Args:
        model: a punctuation model with its weights.
        sentences: words and trees; ``options.keep`` determines the treatment of existing marks.
            Omitted ones pass through.
        options: by default ``RestoreOptions()``.
        first: the number of the first sentence, for sentences that continue an earlier call, or
            the number of each that is not omitted; with the seed it determines the draws.
        **settings: attributes of ``RestoreOptions`` by name, which override those of ``options``.

    Raises:
        UsageError: if an option is invalid, or names marks that the model lacks.
        ModelError: if the model is of another kind.
    """
    options = replace(options or RestoreOptions(), **settings)
    usable: list[Sentence] = without_omitted(sentences)
    draws = draw_punctuation(model, usable, options, first)
    joining = punctuation_model(model).model.inventory.joining
    restorations = [
        restore_from_draws(s, d, options, joining=joining)
        for s, d in zip(usable, draws, strict=True)
    ]
    return with_omitted(sentences, restorations)


def draw_punctuation(
    model: Trained[Any],
    sentences: Sequence[Sentence],
    options: RestoreOptions,
    first: int | Sequence[int] = 0,
) -> Iterator[Draws]:
    """Draw the punctuation of sentences, a few of them at a time.

    Args:
        model: a punctuation model with its weights.
        sentences: words and trees; ``options.keep`` determines the treatment of existing marks.
        options: the options of restoration, with the number of draws and the use of evidence.
        first: the number of the first sentence, or those of all.

    Raises:
        UsageError: if an option is invalid, or names marks that the model lacks.
        ModelError: if the model is of another kind.
    """
    fitted = punctuation_model(model)
    options.check(fitted.model)
    reads_marks = has_history_features(fitted.parameters)
    start = 0
    # The draws of a group fit into memory; no sentence is split.
    for group in in_groups(sentences, lambda s: options.samples * len(s.slots), _CELLS):
        numbers = first + start if isinstance(first, int) else first[start : start + len(group)]
        evidence = [_evidence(s, options, reads_marks=reads_marks) for s in group]
        yield from generate(
            fitted.model, fitted.parameters, group, options.samples, options.seed, evidence, numbers
        )
        start += len(group)


def _evidence(sentence: Sentence, options: RestoreOptions, *, reads_marks: bool) -> Evidence | None:
    """Return the marks of a sentence as evidence; None if there are none, or they are removed.

    A model without features of the marks to the left cannot be drawn given other marks. Unless
    evidence is requested, what it draws for the empty slots of a text does not depend on them.
    """
    keep = options.keep_for(sentence)
    if keep == "replace" or not any(sentence.slots) or (options.keep is None and not reads_marks):
        return None
    return Evidence(sentence.slots, options.mistaken if keep == "repair" else 0.0)


@dataclass(frozen=True, slots=True)
class Restorer:
    """A trained model as a ``Punctuator``, for comparison with other systems.

    Attributes:
        model: the model.
        parameters: the weights.
        options: the options of restoration.
    """

    model: PunctuationModel
    parameters: Weights
    options: RestoreOptions = field(default_factory=RestoreOptions)

    def log_likelihoods(self, sentences: Sequence[Sentence]) -> Floats:
        """Return log p(x | T) of each sentence, ``[sentences]``."""
        return corpus_log_likelihood(self.model, self.parameters, sentences)

    def restore(self, sentences: Sequence[Sentence]) -> list[Slots]:
        """Return the punctuation of least expected edit distance."""
        restorations = restore(self, sentences, self.options)
        return [restoration.slots for restoration in restorations]


def restore_from_draws(
    sentence: Sentence,
    draws: Draws,
    options: RestoreOptions,
    views: tuple[SlotPosterior, ...] | None = None,
    joining: JoiningMarks = BY_TYPOGRAPHY,
    threshold: float | None = None,
    *,
    paired: bool = False,
) -> Restoration:
    """Return the punctuation of least expected edit distance under some draws.

    Args:
        sentence: words and tree, and existing marks if they are kept.
        draws: draws of its punctuation.
        options: the options of restoration.
        views: the posteriors of the slots; by default they are estimated from the draws.
        joining: marks that only join words, which are not put between words of a text that stand
            apart.
        threshold: for a high F1, the probability from which marks are inserted.
        paired: whether inserted brackets and quotation marks need partners in any case.
    """
    views = posteriors(draws) if views is None else views
    standing = Standing(sentence, options.keep_for(sentence), joining, paired)
    slots = chosen_strings(standing, draws, views, options, threshold)
    return Restoration(sentence, tuple(slots), views, most_frequent(draws, options.nbest))


def most_frequent(draws: Draws, count: int) -> tuple[tuple[tuple[Puncteme, ...], float], ...]:
    """Return the most frequent whole draws, each with its relative frequency.

    Args:
        draws: the draws.
        count: the maximum number of results.
    """
    if not count:
        return ()
    rows, counts = np.unique(draws.chosen, axis=0, return_counts=True)
    times = Counter({tuple(r): n for r, n in zip(rows.tolist(), counts.tolist(), strict=True)})
    return tuple(
        (tuple(s[i] for s, i in zip(draws.strings, row, strict=True)), n / len(draws.chosen))
        for row, n in times.most_common(count)
    )


def restoration_signature(
    digest: str, sentences: Sequence[Sentence], options: RestoreOptions
) -> str:
    """Return the signature of figures, which are comparable if they differ only in the model.

    Args:
        digest: the digest of the model.
        sentences: the restored sentences, with their gold punctuation.
        options: the options of restoration.
    """
    return figures_signature(
        "restoration",
        digest[:12],
        treebank_digest(sentences),
        {
            "samples": str(options.samples),
            "seed": str(options.seed),
            "minimise": options.minimise,
            "marks": "all" if options.marks is None else str(len(options.marks)),
            "confidence": f">={options.minimum_confidence:g}",
            "keep": _keep_signature(options, sentences),
        },
    )


def _keep_signature(options: RestoreOptions, sentences: Sequence[Sentence]) -> str:
    keep = "+".join(sorted({options.keep_for(sentence) for sentence in sentences}))
    return keep + (f"*{options.mistaken:g}" if keep == "repair" else "")
