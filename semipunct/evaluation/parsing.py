"""Parsing: predicted tags and trees compared with a treebank, without punctuation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from semipunct.corpus import Sentence
from semipunct.errors import UsageError
from semipunct.evaluation.figures import Figures, Number, Ratio, Real
from semipunct.evaluation.metric import Column, Count, Counts, Measure, Statistics, ratio, refuse
from semipunct.wording import quantity


class ParsingFigures(Figures, frozen=True):
    """Figures of the tagging and parsing of a corpus."""

    schema = "semipunct.parse-gold/1"
    las: Annotated[
        Real,
        Meta(
            title="heads and relations (LAS)", description="words with the right head and relation"
        ),
    ]
    las_universal: Annotated[
        Real, Meta(title="  without subtypes", description="without subtypes of relations")
    ]
    uas: Annotated[Real, Meta(title="heads (UAS)", description="words with the right head")]
    upos: Annotated[Ratio, Meta(title="universal tags (UPOS)")]
    xpos: Annotated[Ratio, Meta(title="language-specific tags (XPOS)")]
    feats: Annotated[Ratio, Meta(title="morphological features")]
    root: Annotated[Real, Meta(title="roots", description="roots that are found")]
    complete: Annotated[
        Real, Meta(title="sentences with all heads", description="sentences with all heads right")
    ]
    complete_labelled: Annotated[
        Real, Meta(title="  and all relations", description="and all relations")
    ]
    words: Annotated[Number, Meta(title="words")]
    sentences: Annotated[Number, Meta(title="sentences")]


@dataclass(frozen=True, slots=True, eq=False)
class ParsingStatistics(Statistics[ParsingFigures]):
    """The contribution of each sentence to ``ParsingFigures``: counts of words, ``[sentences]``.

    Attributes:
        roots: more than one each only in the sum of several runs.
        universal: words with the right head and relation, ignoring subtypes.
        labelled: words with the right head and relation.
    """

    task: ClassVar[str] = "parsing"
    columns: ClassVar[Mapping[str, Column]] = {
        **dict.fromkeys(("words", "roots"), Count(given=True)),
        **dict.fromkeys(
            ("heads", "universal", "labelled", "upos", "xpos", "feats", "right_roots"), Count()
        ),
    }
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure("las", "LAS", ("labelled",), "words"),
        Measure("las_universal", "  without subtypes", ("universal",), "words"),
        Measure("uas", "UAS", ("heads",), "words"),
        Measure("upos", "UPOS", ("upos",), "words"),
        Measure("xpos", "XPOS", ("xpos",), "words"),
        Measure("feats", "features", ("feats",), "words"),
    )

    words: Counts
    roots: Counts
    heads: Counts
    universal: Counts
    labelled: Counts
    upos: Counts
    xpos: Counts
    feats: Counts
    right_roots: Counts

    def check(self) -> None:
        refuse(self.words < 1, "there is no word")
        refuse(self.roots < 1, "there is no root")
        for smaller, larger, problem in (
            (self.roots, self.words, "more roots than words"),
            (self.heads, self.words, "more right heads than words"),
            (self.universal, self.heads, "more right relations than right heads"),
            (self.labelled, self.universal, "more right relations with subtypes than without"),
            (self.upos, self.words, "more right upos than words"),
            (self.xpos, self.words, "more right xpos than words"),
            (self.feats, self.words, "more right feats than words"),
            (self.right_roots, self.roots, "more right roots than roots"),
            (self.right_roots, self.heads, "more right roots than right heads"),
        ):
            refuse(smaller > larger, problem)

    def figures(self) -> ParsingFigures:
        sentences = len(self)
        return ParsingFigures(
            **self.usual_figures(ParsingFigures),
            root=ratio(int(self.right_roots.sum()), int(self.roots.sum())),
            complete=ratio(int((self.heads == self.words).sum()), sentences),
            complete_labelled=ratio(int((self.labelled == self.words).sum()), sentences),
        )


def parsing_statistics(
    gold: Sequence[Sentence], predicted: Sequence[Sentence]
) -> ParsingStatistics:
    """Compare predicted tags and trees with gold ones, sentence by sentence.

    Tags, features and relations are compared as strings; slots and lemmas are ignored.
    """
    if len(gold) != len(predicted):
        raise UsageError(
            f"{len(gold)} gold sentences and {len(predicted)} predicted ones: "
            "give the same sentences for both"
        )
    for pair in zip(gold, predicted, strict=True):
        _check_words(*pair)
    counts = list(map(_counts, gold, predicted))
    columns = np.array(counts, np.int64).reshape(len(counts), len(ParsingStatistics.columns)).T
    return ParsingStatistics(*columns)


def _counts(gold: Sentence, predicted: Sentence) -> tuple[int, ...]:
    heads = _equal(gold.tree.heads, predicted.tree.heads)
    relations = _equal(gold.tree.relations, predicted.tree.relations)
    plain = _equal(*([r.partition(":")[0] for r in s.tree.relations] for s in (gold, predicted)))
    is_root = np.array(gold.tree.heads) == 0
    return (
        len(gold.forms),
        int(is_root.sum()),
        int(heads.sum()),
        int((heads & plain).sum()),
        int((heads & relations).sum()),
        int(_equal(gold.upos, predicted.upos).sum()),
        int(_equal(gold.xpos, predicted.xpos).sum()),
        int(_equal(gold.feats, predicted.feats).sum()),
        int((heads & is_root).sum()),
    )


def _equal(
    a_values: Sequence[object], b_values: Sequence[object]
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.array([a == b for a, b in zip(a_values, b_values, strict=True)], np.bool_)


def _check_words(gold: Sentence, predicted: Sentence) -> None:
    if gold.forms == predicted.forms:
        return
    advice = "parse the words of the gold sentences, in their order"
    if len(gold.forms) != len(predicted.forms):
        raise UsageError(
            f"{gold.where}: {quantity(len(gold.forms), 'word')}, and {len(predicted.forms)} in the "
            f"predicted sentence {predicted.sentence_id}; {advice}"
        )
    pairs = zip(gold.forms, predicted.forms, strict=True)
    word, (form, predicted_form) = next(
        (w, pair) for w, pair in enumerate(pairs, 1) if pair[0] != pair[1]
    )
    raise UsageError(
        f"{gold.where}: word {word} is {form!r}, and {predicted_form!r} in the predicted sentence "
        f"{predicted.sentence_id}; {advice}"
    )
