"""Correction of single slots of text as written (section 6.2).

As in restoration, draws estimate the posterior of the correct string of each slot and determine the
choice. A chosen string that differs from the original is a correction. The best underlying tree of
the corrected sentence attributes it to constituents.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from semipunct.corpus.parallel import as_written
from semipunct.corpus.sentences import Sentence, Words, Written
from semipunct.corpus.statistics import with_unknown
from semipunct.corpus.treebank import OmittedT, with_omitted, without_omitted
from semipunct.errors import ModelError, UsageError
from semipunct.marks import Puncteme
from semipunct.models.punctuation import decode
from semipunct.models.punctuation.corrector import CorrectionModel
from semipunct.models.punctuation.decode import Analysis
from semipunct.models.punctuation.draws import Draws
from semipunct.pipelines.choice import beside_what_stands, best_draw, best_strings, may_replace
from semipunct.pipelines.decoding import part_seed
from semipunct.pipelines.distributions import SlotPosterior, posteriors
from semipunct.pipelines.options import CorrectOptions, Helpers, RestoreOptions
from semipunct.pipelines.parses import check_reads_words, parse
from semipunct.pipelines.results import Attached, Corrected, Reason, explain_corrections
from semipunct.pipelines.trained import InPlace, Slots, Trained, punctuation_model
from semipunct.pipelines.tree_restoration import draw_punctuation, numbers_of_trees


def correct_trees(
    model: Trained[Any],
    sentences: Sequence[Sentence | Words | OmittedT],
    options: CorrectOptions,
    helpers: Helpers,
    first: int | Sequence[int] = 0,
) -> list[Corrected | OmittedT]:
    """Correct the punctuation of sentences; words, tags and trees are unchanged.

    Args:
        first: the number of the first sentence when continuing an earlier call, or the number of
            each sentence that is not omitted; with the seed it determines the draws.
    """
    fitted = correction_model(model)
    options.check(fitted.model.inventory.tokens)
    analysis, each = helpers.analysis, 1
    if fitted.model.analysed == (analysis is None):
        problem = "needs" if fitted.model.analysed else "does not use"
        raise UsageError(
            f"the model {problem} an underlying tree of the original punctuation; "
            f"{'give' if fitted.model.analysed else 'leave out'} the model that finds it"
        )
    trees = _with_trees(without_omitted(sentences), helpers.parsers)
    sentences_read = [as_written(sentence) for sentence in trees]
    several = [[sentence] for sentence in sentences_read]
    if analysis is not None:
        each = max(1, options.analyses)
        seed = part_seed(options.seed, first if isinstance(first, int) else next(iter(first), 0))
        several = add_written_trees(analysis, sentences_read, options.analyses, seed)
    # The written marks are an input of the model, not evidence of the corrected ones.
    draw_options = RestoreOptions(
        samples=options.samples // each, seed=options.seed, keep="replace"
    )
    flat = [sentence for of in several for sentence in of]
    draws = list(draw_punctuation(fitted, flat, draw_options, numbers_of_trees(first, each)))
    joined = [Draws.joined(draws[i : i + each]) for i in range(0, len(draws), each)]
    chosen = [_chosen(s, d, fitted.model, options) for s, d in zip(trees, joined, strict=True)]
    return with_omitted(sentences, _explained(fitted, [of[0] for of in several], trees, chosen))


def correction_model(trained: Trained[Any]) -> InPlace[CorrectionModel]:
    """Return a correction model with its weights in place."""
    if not isinstance(trained.model, CorrectionModel):
        raise ModelError(
            f"the model is of the kind {trained.model.kind}, but one of the kind "
            f"{CorrectionModel.kind} is needed; train it on original text and its corrected "
            "version (semipunct train --kind correction), or a text model on text with its "
            "punctuation (--kind text)"
        )
    return InPlace.of(trained)


def _with_trees(
    sentences: Sequence[Sentence | Words], parsers: Sequence[Trained[Any]]
) -> list[Sentence]:
    for parser in parsers[:1]:
        check_reads_words(parser, "to correct punctuation")
        return [parse_of_sentence.sentence for parse_of_sentence in parse(parser, sentences)]
    with_trees: list[Sentence] = []
    for sentence in sentences:
        if isinstance(sentence, Words):
            raise UsageError(f"{sentence.where}: has no tree; give a parser as well")
        with_trees.append(sentence)
    return with_trees


def add_written_trees(
    analysis: Trained[Any], sentences: Sequence[Sentence], count: int = 0, seed: int = 0
) -> list[list[Sentence]]:
    """Add underlying trees of the original punctuation to sentences.

    Returns:
        For each sentence, a copy per tree; without punctemes if the punctuation has no analysis,
        which only hard sets produce.
    """
    fitted = punctuation_model(analysis, alone=True)
    bare = [
        replace(s, slots=s.slots if s.written is None else s.written.slots, written=None)
        for s in sentences
    ]
    trees: list[list[Analysis]]
    if count:
        trees = decode.sample(fitted.model, fitted.parameters, bare, count, seed)
    else:
        best = decode.best(fitted.model, fitted.parameters, bare)
        trees = [[tree] if tree else [] for tree in best]
    with_analyses: list[list[Sentence]] = []
    for sentence, plain, analyses_of_sentence in zip(sentences, bare, trees, strict=True):
        nothing = (((), ()),) * len(sentence.forms)
        pairs = [tree.pairs for tree in analyses_of_sentence] or [nothing] * max(1, count)
        with_analyses.append([replace(sentence, written=Written(plain.slots, p)) for p in pairs])
    return with_analyses


def _chosen(
    sentence: Sentence, draws: Draws, model: CorrectionModel, options: CorrectOptions
) -> tuple[Slots, tuple[SlotPosterior, ...]]:
    tokens = frozenset(model.inventory.tokens)
    views = tuple(
        _with_own_string(view, written, tokens)
        for view, written in zip(posteriors(draws), sentence.slots, strict=True)
    )
    if options.minimise == "errors":
        pairs = zip(views, sentence.slots, strict=True)
        views = tuple(_possible(view, written, model) for view, written in pairs)
        best = [_most_probable(k, w, options) for k, w in zip(views, sentence.slots, strict=True)]
    else:
        choose = best_strings if options.minimise == "slots" else best_draw
        best = choose(draws, posteriors(draws))
    slots = [
        string
        if may_replace(string, written_string, options.marks) and view.of(string) >= options.least
        else written_string
        for string, written_string, view in zip(best, sentence.slots, views, strict=True)
    ]
    if sentence.source == "text":
        slots = beside_what_stands(sentence, slots, views, model.inventory.joining)
    return tuple(slots), views


def _with_own_string(view: SlotPosterior, written: Puncteme, tokens: Set[str]) -> SlotPosterior:
    """Replace the model's encoding of the original string by the string itself."""
    encoded = with_unknown(written, tokens)
    if encoded == written:
        return view
    strings = tuple(written if string == encoded else string for string in view.strings)
    return replace(view, strings=strings)


def _possible(view: SlotPosterior, written: Puncteme, model: CorrectionModel) -> SlotPosterior:
    """Condition on strings that the corrections seen in training can produce."""
    possible = [
        (string, probability)
        for string, probability in zip(view.strings, view.probability.tolist(), strict=True)
        if string == written or model.may_become(written, string)
    ]
    if not possible:
        return SlotPosterior((written,), np.ones(1))
    probability = np.array([p for _, p in possible])
    return SlotPosterior(tuple(s for s, _ in possible), probability / probability.sum())


def _most_probable(view: SlotPosterior, written: Puncteme, options: CorrectOptions) -> Puncteme:
    """Return the most probable string among the original and its possible replacements."""
    strings = (s for s in view.strings if s == written or may_replace(s, written, options.marks))
    return next(strings, written)


def _explained(
    fitted: InPlace[CorrectionModel],
    read_sentences: Sequence[Sentence],
    sentences: Sequence[Sentence],
    chosen: Sequence[tuple[Slots, tuple[SlotPosterior, ...]]],
) -> list[Corrected]:
    """Add reasons from the best underlying trees of the corrected sentences."""
    changed = [i for i, (s, (slots, _)) in enumerate(zip(sentences, chosen, strict=True))
               if s.slots != slots]  # fmt: skip
    right = [replace(read_sentences[i], slots=chosen[i][0]) for i in changed]
    best = decode.best(fitted.model, fitted.parameters, right) if right else []
    analyses = dict(zip(changed, best, strict=True))
    return [
        explain_corrections(sentence, slots, views, partial(reason, analyses.get(i)))
        for i, (sentence, (slots, views)) in enumerate(zip(sentences, chosen, strict=True))
    ]


def reason(analysis: Analysis | None, slot: int) -> Reason | None:
    """Return the punctemes at a slot of an underlying tree, and their rewriting."""
    if analysis is None:
        return None
    ending, starting = analysis.sentence.tree.junctions[slot]
    closing = (Attached(node + 1, "right", analysis.pairs[node][1]) for node in ending)
    opening = (Attached(node + 1, "left", analysis.pairs[node][0]) for node in starting)
    attached = tuple(each for each in (*closing, *opening) if each.tokens)
    return Reason(attached, analysis.slots[slot].edits)
