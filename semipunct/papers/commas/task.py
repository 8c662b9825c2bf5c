"""Comma restoration: from words and phrases to commas (Shieber and Tao 2003)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar, Unpack

import numpy as np

from semipunct.corpus.digest import treebank_digest
from semipunct.corpus.omission import OmittedT, with_omitted, without_omitted
from semipunct.corpus.sentences import Sentence, Words
from semipunct.errors import ModelError, UsageError
from semipunct.evaluation.signature import figures_signature
from semipunct.marks import Puncteme
from semipunct.marks.neighbours import may_stand_between
from semipunct.papers.commas.delimiters import DelimiterModel
from semipunct.papers.commas.marks_as_words import (
    join_marks,
    slots_of_words,
    with_marks_as_words,
)
from semipunct.papers.commas.model import CommaModel
from semipunct.papers.commas.ngrams import MARK
from semipunct.papers.commas.parser import PhraseParser
from semipunct.papers.commas.parsing import parse_phrases
from semipunct.papers.commas.restorer import COMMA_MODELS, Commas, comma_restorer
from semipunct.papers.commas.trees import PhraseTree
from semipunct.tasks import limits
from semipunct.tasks.base import Trained, model_of_kind
from semipunct.tasks.options import RestoreOptions, RestoreSettings
from semipunct.tasks.restoration import Restoration
from semipunct.tasks.slot_posteriors import SlotPosterior

T = TypeVar("T")


def restore_commas(
    model: Trained[Any],
    sentences: Sequence[Sentence[PhraseTree] | OmittedT],
    options: RestoreOptions | None = None,
    **settings: Unpack[RestoreSettings],
) -> list[Restoration[Sentence[Any]] | OmittedT]:
    """Restore the commas of sentences.

    Probabilities are exact; nothing is drawn. With ``options.minimise="slots"`` a slot gets a comma
    if its marginal probability is above 0.5; with ``"draws"`` the result is the most probable
    sequence as a whole, as in the paper.

    Args:
        model: a comma model with its weights.
        sentences: words and phrases; marks other than commas are unchanged. Omitted ones pass
            through.
        options: by default ``RestoreOptions()``; ``keep`` must be ``replace`` or ``keep``.
        **settings: attributes of ``RestoreOptions`` by name, which override those of ``options``.

    Raises:
        UsageError: if an option is invalid for a comma model.
        ModelError: if the model is of another kind.
    """
    options = replace(options or RestoreOptions(), **settings)
    check(options)
    fitted = model.model
    if not isinstance(fitted, COMMA_MODELS):
        fitted = model_of_kind(model, CommaModel)
    if isinstance(fitted, DelimiterModel) and options.nbest > 1:
        raise UsageError("a model of the kind phrase-commas has one best result; leave out --nbest")
    restorer = comma_restorer(fitted, model.parameters)
    usable: list[Sentence[PhraseTree]] = without_omitted(sentences)
    commas_of_all = restorer.commas(usable, max(1, options.nbest))
    restored = [
        _restored(s, commas, options) for s, commas in zip(usable, commas_of_all, strict=True)
    ]
    return with_omitted(sentences, restored)


def restore_commas_of_words(
    model: Trained[Any],
    parser: Trained[Any],
    sentences: Sequence[Sentence[Any] | Words | OmittedT],
    options: RestoreOptions | None = None,
    **settings: Unpack[RestoreSettings],
) -> list[Restoration[Sentence[Any] | Words] | OmittedT]:
    """Restore the commas of sentences, given the phrases predicted by a parser.

    Args:
        model: a comma model with its weights.
        parser: a parser of phrases that reads no commas, with its weights.
        sentences: sentences of bracketed trees, with all marks but commas among the words; or
            words, with all marks in their slots. Existing tags and trees are ignored; omitted ones
            pass through.
        options: as in ``restore_commas``.
        **settings: attributes of ``RestoreOptions`` by name, which override those of ``options``.

    Raises:
        UsageError: if an option is invalid for a comma model.
        ModelError: if a model is of another kind, or the parser reads commas.
    """
    options = replace(options or RestoreOptions(), **settings)
    check(options)
    if model_of_kind(parser, PhraseParser).options.commas:
        raise ModelError(
            "the parser reads commas, which are to be restored; name one that was trained with "
            "model.commas=false"
        )
    usable: list[Sentence[Any] | Words] = without_omitted(sentences)
    read = [with_marks_as_words(s, _PREDICTED) if isinstance(s, Words) else s for s in usable]
    restorations = restore_commas(model, parse_phrases(parser, read), options)
    restored = [
        _with_own_slots(s, restoration) if isinstance(s, Words) else restoration
        for s, restoration in zip(usable, restorations, strict=True)
    ]
    return with_omitted(sentences, restored)


_PREDICTED = frozenset((MARK,))


def _with_own_slots(sentence: Words, restoration: Restoration[Sentence[Any]]) -> Restoration[Words]:
    """Map a result for a sentence with marks among its words back to the original slots."""

    def own_slots(slots: Sequence[Puncteme]) -> tuple[Puncteme, ...]:
        parts = slots_of_words(sentence, slots, _PREDICTED)
        rows = zip(sentence.slots, parts, strict=True)
        return tuple(join_marks(slot, part, _PREDICTED) for slot, part in rows)

    views: list[SlotPosterior] = []
    rows = slots_of_words(sentence, restoration.posteriors, _PREDICTED)
    for slot, parts in zip(sentence.slots, rows, strict=True):
        # Commas on either side of a mark are treated as independent.
        ways: list[tuple[list[Puncteme], float]] = [([], 1.0)]
        for part in parts:
            pairs = list(zip(part.strings, part.probability.tolist(), strict=True))
            ways = [([*way, s], p * q) for way, p in ways for s, q in pairs][:_MOST_WAYS]
        strings = {join_marks(slot, way, _PREDICTED): p for way, p in ways}
        ranked = sorted(strings.items(), key=lambda item: -item[1])
        views.append(SlotPosterior(tuple(s for s, _ in ranked), np.array([p for _, p in ranked])))
    nbest = tuple((own_slots(way), p) for way, p in restoration.nbest)
    return Restoration(sentence, own_slots(restoration.slots), tuple(views), nbest)


_MOST_WAYS = 64


def check(options: RestoreOptions) -> None:
    """Check the options of comma restoration.

    Raises:
        UsageError: if an option is invalid.
    """
    if options.marks is not None and options.marks != {MARK}:
        unsupported = " ".join(sorted(options.marks - {MARK})) or "nothing"
        raise UsageError(f"the model restores only commas, not {unsupported}; give --marks ,")
    usual = RestoreOptions()
    if (options.samples, options.seed) != (usual.samples, usual.seed):
        raise UsageError("a comma model does not draw; leave out --samples and --seed")
    if not 0 <= options.minimum_confidence <= 1:
        raise UsageError(
            f"the minimum confidence is {options.minimum_confidence}; give a probability, 0 to 1"
        )
    if not 0 <= options.nbest <= limits.RANKS:
        raise UsageError(f"nbest is {options.nbest}; give 0 to {limits.RANKS}")
    if options.keep == "repair":
        raise UsageError("a comma model cannot repair marks; give --keep replace or keep")


def _restored(
    sentence: Sentence[PhraseTree], commas: Commas, options: RestoreOptions
) -> Restoration[Sentence[PhraseTree]]:
    chosen = commas.marginal > 0.5 if options.minimise == "slots" else commas.best[0]
    slots: list[Puncteme] = []
    views: list[SlotPosterior] = []
    words = ("", *sentence.forms, "")
    rows = zip(sentence.slots, commas.marginal, chosen.tolist(), strict=True)
    for number, (slot, p, comma) in enumerate(rows):
        if number in sentence.closed:
            slots.append(slot)
            views.append(SlotPosterior((slot,), np.ones(1)))
            continue
        has, lacks = _with(slot), _without(slot)
        views.append(
            SlotPosterior((has, lacks), np.array([p, 1 - p]))
            if p > 0.5
            else SlotPosterior((lacks, has), np.array([1 - p, p]))
        )
        sure = (p if comma else 1 - p) >= options.minimum_confidence
        beside = sentence.source == "treebank" or may_stand_between(
            (MARK,), *words[number : number + 2]
        )
        string = has if comma and sure and beside else lacks
        slots.append(slot if options.keep_for(sentence) == "keep" and slot else string)
    ways = zip(commas.best, np.exp(commas.log_probability).tolist(), strict=True)
    nbest = tuple(
        (
            tuple(
                s if i in sentence.closed else _with(s) if c else _without(s)
                for i, (s, c) in enumerate(zip(sentence.slots, way, strict=True))
            ),
            p,
        )
        for way, p in ways
    )[: options.nbest]
    return Restoration(sentence, tuple(slots), tuple(views), nbest)


def _with(slot: Puncteme) -> Puncteme:
    return slot if MARK in slot else (*slot, MARK)


def _without(slot: Puncteme) -> Puncteme:
    return tuple(token for token in slot if token != MARK)


def commas_signature(
    digest: str, sentences: Sequence[Sentence[Any]], options: RestoreOptions
) -> str:
    """Return the signature of figures, which are comparable if they differ only in the model.

    Trees are not part of it, so that systems given the trees of different parsers are comparable.

    Args:
        digest: the digest of the model.
        sentences: the restored sentences, with their gold commas.
        options: the options of restoration.
    """
    words = [_Surface(s) for s in sentences]
    return figures_signature(
        "restoration",
        digest[:12],
        treebank_digest(words),
        {
            "minimise": options.minimise,
            "marks": "commas",
            "confidence": f">={options.minimum_confidence:g}",
            "keep": options.keep or "replace",
        },
    )


class _Surface:
    """The words and slots of a sentence as an example for ``treebank_digest``, without its tree."""

    def __init__(self, sentence: Sentence[Any]) -> None:
        self.path, self.size, self.choices = sentence.path, sentence.size, sentence.choices
        self.seen = (sentence.forms, sentence.slots)
