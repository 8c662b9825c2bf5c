"""Restoration of surface punctuation from words and trees (section 6.1).

Draws represent the posterior over surface punctuation. Edit distance is a sum over slots, so its
expectation is minimised exactly in each slot, among the strings drawn there. The paper minimises it
among whole draws instead (``best_draw``).

With a parser, draws for several trees of a sentence are pooled (Li, Wang and Eisner 2019, footnote
20), and averaged in each slot with the parser's own distributions, which help where its trees are
wrong. A text model, trained on far more text, replaces these distributions in running text, and
joins them in a treebank.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from semipunct.corpus.examples import treebank_digest
from semipunct.corpus.sentences import Sentence, Words
from semipunct.corpus.treebank import OmittedT, with_omitted, without_omitted
from semipunct.errors import UsageError
from semipunct.evaluation.results import figures_signature
from semipunct.marks import Puncteme, spacing
from semipunct.marks.spacing import BY_TYPOGRAPHY, JoiningMarks
from semipunct.models.punctuation.attach import has_history_features
from semipunct.models.punctuation.draws import Draws, Evidence
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.punctuation.sampler import generate
from semipunct.models.running_text.model import THRESHOLD, TextModel
from semipunct.pipelines import limits
from semipunct.pipelines.choice import Standing, chosen_strings
from semipunct.pipelines.chunks import in_groups
from semipunct.pipelines.distributions import SlotPosterior, mean, posteriors
from semipunct.pipelines.options import Helpers, RestoreOptions, check_values
from semipunct.pipelines.parses import Parse, check_reads_words, parse, parses
from semipunct.pipelines.results import Restoration
from semipunct.pipelines.text_restoration import text_views
from semipunct.pipelines.trained import Trained, model_of_kind, punctuation_model
from semipunct.wording import quantity

# Slots times draws per batch: 64 megabytes, without the memory for drawing.
_CELLS = 2**23

# Default weights of the parser's own distributions: with a model that reads the parser's
# probabilities, and with an overconfident model that trusts every tree
# (docs/decisions/restoration.md).
AWARE, UNAWARE = 0.3, 0.6

# Default weight of a text model beside parsers in a treebank (docs/decisions/restoration.md).
TEXT = 0.7


def restore_trees(
    model: Trained[Any],
    sentences: Sequence[Sentence | Words | OmittedT],
    options: RestoreOptions,
    helpers: Helpers,
    first: int | Sequence[int] = 0,
) -> list[Restoration | OmittedT]:
    """Restore the punctuation of sentences, given their trees, or trees and tags of parsers.

    Args:
        options: ``share`` has no effect on sentences whose visible marks are used (``keep``), with
            ``minimise="draws"``, and with parsers that predict no punctuation. ``objective`` is by
            default ``f1`` for text and ``edits`` for treebanks, and needs a text model.
        helpers: parsers of equal weight, the first of which provides the tree and tags of the
            result, and a text model, which weighs as much as one parser. Consecutive sentences of
            one file are one text, for which kept marks are evidence.
        first: the number of the first sentence when continuing an earlier call, or the number of
            each sentence that is not omitted; with the seed it determines the draws.
        --
    """
    usable: list[Any] = without_omitted(sentences)
    if helpers.parsers:
        return with_omitted(sentences, _restored_words(model, usable, options, helpers, first))
    draws = draw_punctuation(model, usable, options, first)
    joining = punctuation_model(model).model.inventory.joining
    restored = [
        restore_from_draws(s, d, options, joining=joining)
        for s, d in zip(usable, draws, strict=True)
    ]
    return with_omitted(sentences, restored)


def _restored_words(
    model: Trained[Any],
    sentences: Sequence[Sentence | Words],
    options: RestoreOptions,
    helpers: Helpers,
    first: int | Sequence[int],
) -> list[Restoration]:
    parsers, reader, trees = helpers.parsers, helpers.text_model, options.trees
    fitted = punctuation_model(model, alone=True).model
    check_values(options, fitted.inventory.tokens)  # before parsing, which may take minutes
    threshold = _threshold(reader, options)
    share = options.share
    if share is None:
        share = default_share(fitted) if reader is None else TEXT
    for parser in parsers:
        check_reads_words(parser, "to restore punctuation")
    number = max(1, trees) * len(parsers)
    if not 0 < number <= min(limits.TREES, options.samples):
        of_each = quantity(trees, "tree")
        if len(parsers) != 1:
            of_each += f" of {quantity(len(parsers), 'parser')}"
        raise UsageError(
            f"{of_each} for {quantity(options.samples, 'sample')}; give 0 to "
            f"{min(limits.TREES, options.samples):,} trees in all, with at least one sample each"
        )
    pooled = share > 0 and options.minimise == "slots"
    parses_of_all: list[list[Parse]] = [[] for _ in sentences]
    for parser in parsers:
        slots = pooled and (reader is None or any(s.source != "text" for s in sentences))
        if trees:
            several = parses(parser, sentences, trees, seed=options.seed, first=first, slots=slots)
        else:
            several = [[parsed] for parsed in parse(parser, sentences, slots=slots)]
        for of, parses_of_sentence in zip(parses_of_all, several, strict=True):
            of += parses_of_sentence
    each = replace(options, samples=options.samples // number)
    analyses = [parsed.sentence for of in parses_of_all for parsed in of]
    draws = draw_punctuation(model, analyses, each, numbers_of_trees(first, number))
    texts = text_views(reader, sentences, options) if reader is not None and pooled else []
    restorations: list[Restoration] = []
    # Draws are counted on the fly to bound the memory.
    for place, (sentence, of) in enumerate(zip(sentences, parses_of_all, strict=True)):
        joined = Draws.joined([next(draws) for _ in of])
        views = texts[place : place + 1]
        # A parser sees no marks, and has only learned the style of treebanks.
        is_known = sentence.source != "text" or not texts
        if is_known and not _is_decided(sentence, options, reads_marks=False):
            # All trees of a parser share its distributions of slots.
            views = [*views, *(p.slots for p in of[:: max(1, trees)] if p.slots)]
        pool = None
        if pooled and views and not _is_decided(sentence, options, reads_marks=bool(texts)):
            pool = _pooled(posteriors(joined), share, views)
        least = threshold if options.objective or sentence.source == "text" else None
        joining, paired = fitted.inventory.joining, bool(texts)
        restorations.append(
            restore_from_draws(of[0].sentence, joined, options, pool, joining, least, paired=paired)
        )
    return restorations


def numbers_of_trees(first: int | Sequence[int], each: int) -> int | Sequence[int]:
    """Return the numbers of the trees of sentences, for independent draws."""
    if isinstance(first, int):
        return first * each
    return [of_sentence * each + tree for of_sentence in first for tree in range(each)]


def draw_punctuation(
    model: Trained[Any],
    sentences: Sequence[Sentence],
    options: RestoreOptions,
    first: int | Sequence[int] = 0,
) -> Iterator[Draws]:
    """Draw the punctuation of sentences, in batches."""
    fitted = punctuation_model(model)
    check_values(options, fitted.model.inventory.tokens)
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
    """Return the visible marks as evidence; None if there are none or they are removed.

    A model without features of the marks to the left cannot condition on marks. Its draws for the
    empty slots of a text are independent of them, unless evidence is requested.
    """
    keep = options.keep_for(sentence)
    if keep == "replace" or not any(sentence.slots) or (options.keep is None and not reads_marks):
        return None
    return Evidence(sentence.slots, options.mistaken if keep == "repair" else 0.0)


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
    """Return the punctuation of least expected edit distance under draws.

    Args:
        views: the posteriors of the slots; by default the relative frequencies of the draws.
    """
    views = posteriors(draws) if views is None else views
    standing = Standing(sentence, options.keep_for(sentence), joining, paired)
    slots = chosen_strings(standing, draws, views, options, threshold)
    return Restoration(sentence, tuple(slots), views, most_frequent(draws, options.nbest))


def most_frequent(draws: Draws, count: int) -> tuple[tuple[tuple[Puncteme, ...], float], ...]:
    """Return the most frequent whole draws with their relative frequencies."""
    if not count:
        return ()
    rows, counts = np.unique(draws.chosen, axis=0, return_counts=True)
    times = Counter({tuple(r): n for r, n in zip(rows.tolist(), counts.tolist(), strict=True)})
    return tuple(
        (tuple(s[i] for s, i in zip(draws.strings, row, strict=True)), n / len(draws.chosen))
        for row, n in times.most_common(count)
    )


def default_share(model: PunctuationModel) -> float:
    """Return the default weight of the parsers' own distributions for a model."""
    return AWARE if "expected" in model.options.templates else UNAWARE


def _threshold(reader: Trained[Any] | None, options: RestoreOptions) -> float | None:
    """Return the insertion threshold for a high F1; None to minimise edits."""
    if reader is None:
        return None
    model_of_kind(reader, TextModel)
    if options.minimise == "draws":
        if options.objective == "f1":
            raise UsageError(
                "whole draws minimise edits; leave out --objective f1, or --minimise draws"
            )
        return None
    return None if options.objective == "edits" else float(reader.parameters[THRESHOLD])


def _is_decided(sentence: Sentence | Words, options: RestoreOptions, *, reads_marks: bool) -> bool:
    """Return whether only the draws respect the visible marks of a sentence."""
    keep = options.keep_for(sentence)
    is_used = keep == "repair" or (keep == "keep" and not reads_marks)
    return is_used and any(spacing.visible(sentence.slots))


def _pooled(
    model_views: Sequence[SlotPosterior], share: float, views: Sequence[Sequence[SlotPosterior]]
) -> tuple[SlotPosterior, ...]:
    """Return the weighted mean of the distributions of each slot."""
    weights = [1 - share, *(share / len(views),) * len(views)]
    return tuple(mean(of_slot, weights) for of_slot in zip(model_views, *views, strict=True))


def restoration_signature(
    digest: str, sentences: Sequence[Sentence], options: RestoreOptions
) -> str:
    """Return the signature of the figures of a restoration."""
    keep = "+".join(sorted({options.keep_for(sentence) for sentence in sentences}))
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
            "keep": keep + (f"*{options.mistaken:g}" if keep == "repair" else ""),
        },
    )
