"""Restoration of punctuation to words without trees, using one or several trees of a parser.

The expected loss is over punctuation and trees: draws for several trees of a sentence are pooled,
and each slot gets the string of least expected edit distance under all of them (Li, Wang and Eisner
2019, footnote 20).

The parser's network also predicts the strings of slots directly, which helps where its trees are
wrong. The two distributions of each slot are averaged, and the loss is minimised under their mean.
A text model, which has learned from much more text than there are trees, takes the parser's place
in running text, whose style is not that of a treebank, and is one more vote in a treebank.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Unpack

from semipunct.corpus.sentences import Sentence, Words
from semipunct.corpus.treebank import OmittedT, with_omitted, without_omitted
from semipunct.errors import UsageError
from semipunct.marks import spacing
from semipunct.models.punctuation.draws import Draws
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.running_text.model import THRESHOLD, TextModel
from semipunct.tasks import limits
from semipunct.tasks.base import Trained, model_of_kind
from semipunct.tasks.options import RestoreOptions, RestoreSettings
from semipunct.tasks.parse import Parse, check_reads_words, parse, parses
from semipunct.tasks.punctuation_models import punctuation_model
from semipunct.tasks.restoration import Restoration
from semipunct.tasks.restore import draw_punctuation, restore_from_draws
from semipunct.tasks.slot_posteriors import SlotPosterior, mean, posteriors
from semipunct.tasks.text_views import text_views
from semipunct.wording import quantity

AWARE, UNAWARE = 0.3, 0.6
"""Default weights of the parser's own distributions of slots: for a model that reads the parser's
probabilities, and for one that takes every tree for correct and so is too certain
(docs/decisions/0026-parsed-text.md)."""

TEXT = 0.7
"""The default weight of the distributions of a text model, in a treebank together with those of
parsers (docs/decisions/0046-text-and-trees.md)."""


def restore_words(
    model: Trained[Any],
    parser: Trained[Any] | Sequence[Trained[Any]],
    sentences: Sequence[Sentence | Words | OmittedT],
    options: RestoreOptions | None = None,
    *,
    text_model: Trained[Any] | None = None,
    first: int | Sequence[int] = 0,
    **settings: Unpack[RestoreSettings],
) -> list[Restoration | OmittedT]:
    """Restore the punctuation of sentences, given the trees and tags predicted by a parser.

    Args:
        model: a punctuation model with its weights.
        parser: a parser with its weights, or several, which are weighted equally; the tree and tags
            in the result are those of the first.
        sentences: words; ``options.keep`` determines the treatment of existing marks, while
            existing tags and trees are ignored. Omitted ones pass through.
        options: by default ``RestoreOptions()``. ``trees`` are drawn from each parser per sentence;
            the ``samples`` draws of punctuation are divided equally among all trees, rounded down.
            With 0, each parser's single tree from ``parse`` is used. ``share`` is the weight of the
            parsers' own distributions of slots in the mean, by default 0.3 for a model of the
            preset ``parsed`` and 0.6 for others (``default_share``). It is ignored for sentences
            whose existing marks are used (``keep``), with ``minimise="draws"``, and for parsers
            that predict no punctuation. ``objective`` is by default ``f1`` for sentences of a text
            and ``edits`` for sentences of a treebank, and needs a text model.
        text_model: a text model with its weights, whose distributions of slots replace those of
            the parsers in sentences of a text, and join them in those of a treebank, with the same
            weight as a parser's; the default share of them all is 0.7. Sentences of one file that
            follow each other are read as one text. Kept marks are evidence for it.
        first: the number of the first sentence, for sentences that continue an earlier call, or
            the number of each that is not omitted; with the seed it determines the draws.
        **settings: attributes of ``RestoreOptions`` by name, which override those of ``options``.

    Raises:
        UsageError: if an option is invalid, or names marks that the model lacks.
        ModelError: if a model is of another kind, or a parser reads punctuation.
    """
    options = replace(options or RestoreOptions(), **settings)
    fitted = punctuation_model(model, alone=True).model
    options.check(fitted)  # before parsing, which may take minutes
    threshold = _threshold(text_model, options)
    trees, share = options.trees, options.share
    if share is None:
        share = default_share(fitted) if text_model is None else TEXT
    parsers = parser if isinstance(parser, Sequence) else [parser]
    for each_parser in parsers:
        check_reads_words(each_parser, "to restore punctuation")
    if not 0 <= share <= 1:
        raise UsageError(f"the share of the parser is {share}; give a number from 0 to 1")
    number = max(1, trees) * len(parsers)
    if trees < 0 or not 0 < number <= min(limits.TREES, options.samples):
        of_each = quantity(trees, "tree")
        if len(parsers) != 1:
            of_each += f" of {quantity(len(parsers), 'parser')}"
        raise UsageError(
            f"{of_each} for {quantity(options.samples, 'sample')}; give 0 to "
            f"{min(limits.TREES, options.samples):,} trees in all, with at least one sample each"
        )
    usable: list[Sentence | Words] = without_omitted(sentences)
    pooled = share > 0 and options.minimise == "slots"
    parses_of_all: list[list[Parse]] = [[] for _ in usable]
    for each_parser in parsers:
        slots = pooled and (text_model is None or any(s.source != "text" for s in usable))
        several = _trees(each_parser, usable, trees, options.seed, first, slots=slots)
        for of, parses_of_sentence in zip(parses_of_all, several, strict=True):
            of += parses_of_sentence
    each = replace(options, samples=options.samples // number)
    analyses = [parsed.sentence for parsed in chain.from_iterable(parses_of_all)]
    if isinstance(first, int):
        numbers: int | Sequence[int] = first * number
    else:
        numbers = [of_sentence * number + tree for of_sentence in first for tree in range(number)]
    draws = draw_punctuation(model, analyses, each, numbers)
    texts = text_views(text_model, usable, options) if text_model is not None and pooled else []
    restorations: list[Restoration] = []
    # Draws are counted as they are made: those of many sentences would not fit into memory.
    for place, (sentence, of) in enumerate(zip(usable, parses_of_all, strict=True)):
        joined = Draws.joined([next(draws) for _ in of])
        views = texts[place : place + 1]
        # A parser sees no marks, and knows the style of a treebank only.
        is_known = sentence.source != "text" or not texts
        if is_known and not _is_decided(sentence, options, reads_marks=False):
            # All trees of a parser come with the same distributions of slots.
            views = [*views, *(p.slots for p in of[:: max(1, trees)] if p.slots)]
        pool = None
        if pooled and views and not _is_decided(sentence, options, reads_marks=bool(texts)):
            pool = _pooled(posteriors(joined), share, views)
        least = threshold if options.objective or sentence.source == "text" else None
        restoration = restore_from_draws(
            of[0].sentence,
            joined,
            options,
            pool,
            fitted.inventory.joining,
            least,
            paired=bool(texts),
        )
        restorations.append(restoration)
    return with_omitted(sentences, restorations)


def default_share(model: PunctuationModel) -> float:
    """Return the weight of the parsers' own distributions that suits a model.

    Args:
        model: the punctuation model.
    """
    return AWARE if "expected" in model.options.templates else UNAWARE


def _threshold(text_model: Trained[Any] | None, options: RestoreOptions) -> float | None:
    """Return the probability from which marks are inserted for a high F1; None for edits.

    Raises:
        UsageError: if an option needs another one.
        ModelError: if the model is no text model.
    """
    if text_model is None:
        if options.objective is not None:
            raise UsageError("the objective needs a text model (--text); give one, or leave it out")
        return None
    model_of_kind(text_model, TextModel)
    if options.minimise == "draws":
        if options.objective == "f1":
            raise UsageError(
                "whole draws minimise edits; leave out --objective f1, or --minimise draws"
            )
        return None
    return None if options.objective == "edits" else float(text_model.parameters[THRESHOLD])


def _is_decided(sentence: Sentence | Words, options: RestoreOptions, *, reads_marks: bool) -> bool:
    """Return whether the visible marks of a sentence are evidence that only the draws respect.

    Args:
        sentence: the sentence.
        options: say whether its marks are used.
        reads_marks: whether the distributions of slots take kept marks into account.
    """
    keep = options.keep_for(sentence)
    is_used = keep == "repair" or (keep == "keep" and not reads_marks)
    return is_used and any(spacing.visible(sentence.slots))


def _trees(
    parser: Trained[Any],
    sentences: Sequence[Sentence | Words],
    count: int,
    seed: int,
    first: int | Sequence[int],
    *,
    slots: bool,
) -> list[list[Parse]]:
    """Return the trees of each sentence: ``count`` drawn ones, or the best one if it is 0."""
    if count:
        return parses(parser, sentences, count, seed=seed, first=first, slots=slots)
    return [[parsed] for parsed in parse(parser, sentences, slots=slots)]


def _pooled(
    model_views: Sequence[SlotPosterior], share: float, views: Sequence[Sequence[SlotPosterior]]
) -> tuple[SlotPosterior, ...]:
    """Return the weighted mean of a model's and the parsers' distributions of each slot.

    Args:
        model_views: ``[slots]`` the distributions of the model.
        share: the weight of all other distributions together.
        views: ``[slots]`` those of each parser, and of the text model.
    """
    weights = [1 - share, *(share / len(views),) * len(views)]
    return tuple(mean(of_slot, weights) for of_slot in zip(model_views, *views, strict=True))
