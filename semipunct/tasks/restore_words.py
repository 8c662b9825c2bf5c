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
from itertools import accumulate, pairwise
from typing import Any, Unpack

from semipunct.corpus.sentences import Sentence, Words
from semipunct.errors import UsageError
from semipunct.inference.draws import Draws
from semipunct.tasks import limits
from semipunct.tasks.base import Trained, punctuation_model
from semipunct.tasks.parse import Parse, check_reads_words, parse, parses, slot_posteriors
from semipunct.tasks.restore import Restoration, RestoreOptions, RestoreSettings, drawn, restored
from semipunct.tasks.slot_posteriors import mean, posteriors

SHARE = 0.4
"""Weight of the parser's own view of slots (docs/decisions/0026-restoring-words.md)."""


def restore_words(
    model: Trained[Any],
    parser: Trained[Any],
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
        parser: a parser with its weights.
        sentences: words; their marks count as ``options.keep`` decides, tags and trees do not.
        options: how; by default the defaults.
        trees: how many trees of each sentence are drawn; their punctuation is drawn in equal
            numbers, ``options.samples`` in all, rounded down. 0 for the parser's one tree.
        share: weight of what the parser itself expects between words, in the mean of both. It does
            not count where marks of the input do (``options.keep``), nor with
            ``options.minimise="draws"``, nor for a parser that predicts no punctuation.
        first: the number of the first sentence, where these go on after others: with the seed it
            fixes the draws.
        **settings: attributes of ``RestoreOptions`` by name, which win over those of ``options``.

    Raises:
        UsageError: if an option makes no sense, or asks for marks that the model lacks.
        ModelError: if a model is of another kind, or the parser reads punctuation.
    """
    options = replace(options or RestoreOptions(), **settings)
    options.check(punctuation_model(model).model)  # before the parser is at work for minutes
    check_reads_words(parser, "words whose punctuation is to be restored")
    if not 0 <= share <= 1:
        raise UsageError(f"a share of {share} for the parser's own view; give one from 0 to 1")
    if trees < 0 or trees > min(limits.TREES, options.samples):
        raise UsageError(
            f"{trees} trees for {options.samples:,} samples; give 0 to "
            f"{min(limits.TREES, options.samples):,} trees, each of which has a sample"
        )
    found: Sequence[Sequence[Parse]]
    if trees:
        found = parses(parser, sentences, trees, seed=options.seed, first=first)
    else:
        found = [[one] for one in parse(parser, sentences)]
    each = replace(options, samples=options.samples // max(1, trees))
    parsed = [one.sentence for several in found for one in several]
    draws = list(drawn(model, parsed, each, first * max(1, trees)))
    ends = list(accumulate((len(several) for several in found), initial=0))
    joined = [Draws.joined(draws[start:end]) for start, end in pairwise(ends)]
    chosen = [parsed[start] for start in ends[:-1]]
    alone = options.keep != "replace" or options.minimise != "slots"
    expected = slot_posteriors(parser, sentences) if share and not alone else None
    if expected is None:
        return [restored(s, d, options) for s, d in zip(chosen, joined, strict=True)]
    return [
        restored(
            s,
            d,
            options,
            tuple(mean(a, b, share) for a, b in zip(posteriors(d), own, strict=True)),
        )
        for s, d, own in zip(chosen, joined, expected, strict=True)
    ]
