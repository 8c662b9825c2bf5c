"""Figures of models, of predictions compared with a reference, of comparisons, of treebanks.

Why they follow from the metrics: docs/decisions/0053-figures.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from semipunct.evaluation.correction import CorrectionFigures
from semipunct.evaluation.criterion import CriterionFigures
from semipunct.evaluation.figures import Figures
from semipunct.evaluation.parsing import ParsingFigures
from semipunct.evaluation.perplexity import PerplexityFigures
from semipunct.evaluation.restoration import RestorationFigures
from semipunct.render.outputs.parts import Count, Ordinal, Part, Signature

Omitted = Annotated[dict[str, Count], Meta(description="sentences left out, by reason")]


class CorrectionsCompared(
    CorrectionFigures, frozen=True, tag_field="schema", tag="semipunct.correct-gold/1"
):
    """Corrected punctuation compared with a reference: ``correct --gold --json``."""

    signature: Signature


class Evaluated(PerplexityFigures, frozen=True, tag_field="schema", tag="semipunct.evaluate/1"):
    """Figures of a punctuation model: ``evaluate --json``."""

    omitted: Omitted
    projectivised: Annotated[int, Meta(ge=0, description="sentences made projective")]
    signature: Signature


class CriterionEvaluated(
    CriterionFigures, frozen=True, tag_field="schema", tag="semipunct.evaluate-criterion/1"
):
    """Figures by which training chooses the best weights of a kind: ``evaluate --json``."""

    signature: Signature


class ConfusionExample(Part):
    """A slot in its sentence."""

    sentence: Annotated[str, Meta(description="file:line, and the sentence's id")]
    before: str
    after: str


class ConfusionRow(Part):
    """Slots with the same gold string and the same wrong prediction; blanks separate tokens."""

    gold: str
    predicted: str
    count: Count
    edits: Annotated[int, Meta(ge=0, description="the edit distance of all of them")]
    examples: list[ConfusionExample]


class Compared(
    RestorationFigures,
    kw_only=True,
    frozen=True,
    tag_field="schema",
    tag="semipunct.restore-gold/1",
):
    """Restored punctuation compared with that of the input: ``restore --gold --json``."""

    confusions: list[ConfusionRow] | UnsetType = UNSET
    signature: Signature


class ParsesCompared(ParsingFigures, frozen=True, tag_field="schema", tag="semipunct.parse-gold/1"):
    """Trees and tags of a parser compared with those of the input: ``parse --gold --json``.

    Proportions are of words, without punctuation, except those of roots and complete sentences.
    """

    omitted: Omitted
    signature: Signature


COMPARED: Mapping[str, type[Figures]] = {
    "correction": CorrectionsCompared,
    "criterion": CriterionEvaluated,
    "parsing": ParsesCompared,
    "perplexity": Evaluated,
    "restoration": Compared,
}
"""The type of the object with the figures of each metric, and what is printed with them."""


def figures_output(
    task: str, figures: Figures, extra: Mapping[str, Any], signature: str
) -> dict[str, Any]:
    """Return figures as the object that a command prints.

    Args:
        task: the name of the metric; one that is installed with another distribution has no
            published type, and the schema that its figures name, or ``TASK/1``.
        figures: of a corpus.
        extra: further values by key.
        signature: of the figures.
    """
    values = {**extra, "signature": signature}
    if task not in COMPARED:
        return {"schema": figures.schema or f"{task}/1", **figures.as_dict(), **values}
    return COMPARED[task](**msgspec.structs.asdict(figures), **values).as_dict()


class System(Part):
    """One side of a comparison."""

    system: str
    signature: Signature


class Measured(Part):
    """A measure of both sides; null where it is infinite or undefined."""

    a: float | None
    b: float | None
    difference: Annotated[float, Meta(description="a - b")] | None
    interval: Annotated[list[float | None], Meta(description="low and high end")]
    p: Annotated[float, Meta(description="two-sided")] | None


class Comparison(Part, tag_field="schema", tag="semipunct.compare/1"):
    """A permutation test of two stored results: ``compare --json``."""

    files: list[str]
    task: str
    a: System
    b: System
    sentences: Count
    resamples: Ordinal
    seed: Count
    confidence: Annotated[float, Meta(description="confidence level of the intervals")]
    measures: dict[str, Measured]


class Counted(Part, tag_field="schema", tag="semipunct.stats/2"):
    """The counts of a treebank: ``stats --json``."""

    files: list[str]
    sentences_read: Count
    sentences_used: Count
    omitted: Omitted
    first_faults: Annotated[
        dict[str, str], Meta(description="the first place, by reason, of what cannot be read")
    ]
    tokens: Annotated[int, Meta(ge=0, description="words and punctuation of all sentences read")]
    punctuation: Count
    words: Count
    slots: Count
    slot_lengths: Annotated[dict[str, Count], Meta(description="slots by number of tokens")]
    minimum_count: Annotated[int, Meta(ge=0, description="tokens with fewer occurrences are rare")]
    types: Count
    token_counts: dict[str, Count]
    rare_types: Count
    rare_tokens: Count
    punctemes: Count
    pairs: Count
    projectivised: Count
    arcs_lifted: Count
    quotes_replaced: Count
    quotes_straight: Count
    abbreviation_dots: Count
    percent_punctuation: float
    percent_projectivised: float
