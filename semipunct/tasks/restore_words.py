"""Restoration of punctuation to words without trees: a parser's trees, one or several.

The expectation of a loss over punctuation is also one over trees: draws for several trees of a
sentence are put together, and each slot gets the string of least expected edit distance under all
of them (Li, Wang and Eisner 2019, footnote 20).

Where trees are wrong, a network that needs none does well: the parser's own. Both are distributions
of the string of a slot, and what is restored is best under their mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Unpack

from semipunct.corpus.sentences import Sentence, Words
from semipunct.errors import UsageError
from semipunct.inference.draws import Draws
from semipunct.tasks import limits
from semipunct.tasks.base import Trained, punctuation_model
from semipunct.tasks.parse import Parse, check_reads_words, parse, parses, slot_posteriors
from semipunct.tasks.restoration import Restoration, RestoreOptions, RestoreSettings
from semipunct.tasks.restore import drawn, restored
from semipunct.tasks.slot_posteriors import SlotPosterior, mean, posteriors
from semipunct.wording import counted

SHARE = 0.5
"""Weight of the parser's own view of slots (docs/decisions/0026-parsed-text.md)."""


def restore_words(
    model: Trained[Any],
    parser: Trained[Any] | Sequence[Trained[Any]],
    sentences: Sequence[Sentence | Words],
    options: RestoreOptions | None = None,
    *,
    trees: int = 0,
    share: float = SHARE,
    first: int = 0,
    **settings: Unpack[RestoreSettings],
) -> list[Restoration]:
    """Restore the punctuation of sentences by a parser's trees and tags.

    Args:
        model: a punctuation model with its weights.
        parser: a parser with its weights, or several, whose trees and views of slots count alike;
            tree and tags of what is returned are the first one's.
        sentences: words; their marks count as ``options.keep`` decides, tags and trees do not.
        options: how; by default the defaults.
        trees: how many trees of each sentence are drawn from each parser; punctuation is drawn for
            all in equal numbers, ``options.samples`` in all, rounded down. 0 for one tree of each
            parser, the one that it thinks best.
        share: weight of what the parsers themselves expect between words, in the mean of both. It
            does not count where marks of the input do (``options.keep``), nor with
            ``options.minimise="draws"``, nor for parsers that predict no punctuation.
        first: the number of the first sentence, where these go on after others: with the seed it
            fixes the draws.
        **settings: attributes of ``RestoreOptions`` by name, which win over those of ``options``.

    Raises:
        UsageError: if an option makes no sense, or asks for marks that the model lacks.
        ModelError: if a model is of another kind, or a parser reads punctuation.
    """
    options = replace(options or RestoreOptions(), **settings)
    options.check(
        punctuation_model(model, alone=True).model
    )  # before a parser is at work for minutes
    parsers = parser if isinstance(parser, Sequence) else [parser]
    for one in parsers:
        check_reads_words(one, "words whose punctuation is to be restored")
    if not 0 <= share <= 1:
        raise UsageError(f"a share of {share} for the parser's own view; give one from 0 to 1")
    number = max(1, trees) * len(parsers)
    if trees < 0 or not 0 < number <= min(limits.TREES, options.samples):
        of_each = counted(trees, "tree")
        if len(parsers) != 1:
            of_each += f" of {counted(len(parsers), 'parser')}"
        raise UsageError(
            f"{of_each} for {counted(options.samples, 'sample')}; give 0 to "
            f"{min(limits.TREES, options.samples):,} trees in all, each of which has a sample"
        )
    found: list[list[Sentence]] = [[] for _ in sentences]
    for one in parsers:
        for of, own in zip(found, _trees(one, sentences, trees, options.seed, first), strict=True):
            of += own
    each = replace(options, samples=options.samples // number)
    draws = list(drawn(model, list(chain.from_iterable(found)), each, first * number))
    joined = [Draws.joined(draws[i : i + number]) for i in range(0, len(draws), number)]
    views: Sequence[Sequence[Sequence[SlotPosterior]]] = [()] * len(found)
    if share and options.keep == "replace" and options.minimise == "slots":
        expected = (slot_posteriors(one, sentences) for one in parsers)
        views = list(zip(*(one for one in expected if one is not None), strict=True)) or views
    return [
        restored(of[0], draws, options, _pooled(posteriors(draws), share, own) if own else None)
        for of, draws, own in zip(found, joined, views, strict=True)
    ]


def _trees(
    parser: Trained[Any], sentences: Sequence[Sentence | Words], count: int, seed: int, first: int
) -> list[list[Sentence]]:
    """Return trees of each sentence: so many that are drawn, or the best one."""
    several: Sequence[Sequence[Parse]]
    if count:
        several = parses(parser, sentences, count, seed=seed, first=first)
    else:
        several = [[one] for one in parse(parser, sentences)]
    return [[one.sentence for one in of] for of in several]


def _pooled(
    known: Sequence[SlotPosterior], share: float, views: Sequence[Sequence[SlotPosterior]]
) -> tuple[SlotPosterior, ...]:
    """Return the mean of what a model knows of each slot and the views of parsers.

    Args:
        known: ``[slots]`` of the model.
        share: weight of all views together.
        views: ``[slots]`` for each parser.
    """
    weights = [1 - share, *(share / len(views),) * len(views)]
    return tuple(mean(of_slot, weights) for of_slot in zip(known, *views, strict=True))
