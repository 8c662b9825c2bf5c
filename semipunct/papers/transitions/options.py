"""Settings of the beam parser and of its training, and its entry in the registry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from semipunct.models import kind
from semipunct.models.settings import AtLeastOne, Count, Positive

Punctuation = Literal["all", "paired", "baseline", "stripped"]
Bits = Annotated[int, Meta(ge=4, le=26)]

EPOCHS = 20
"""Passes over the training sentences; an evaluation follows each, and the best weights are kept."""


@dataclass(frozen=True, slots=True)
class BeamParserOptions:
    """Settings that determine the architecture of a parser.

    Attributes:
        punctuation: ``all``, marks are properties of neighbouring words; ``paired``, brackets and
            quotation marks are, and other marks are parsed as words; ``baseline``, all marks are
            parsed as words; ``stripped``, all marks are removed.
        tags: the column of part-of-speech tags to use.
        labelled: whether arcs have labels.
        beam: number of states kept for a sentence, in training and in parsing.
        minimum_word_count: rarer words are treated as unknown.
        table_bits: binary logarithm of the number of rows in the table of feature weights; features
            hashed to the same row share its weights.
        label_bits: the same for the weights of labels.
    """

    punctuation: Punctuation = "all"
    tags: Literal["xpos", "upos"] = "xpos"
    labelled: bool = False
    beam: AtLeastOne = 8
    minimum_word_count: AtLeastOne = 1
    table_bits: Bits = 20
    label_bits: Bits = 16


@dataclass(frozen=True, slots=True)
class BeamParserTrainOptions(kind.SharedTrainOptions):
    """Training settings specific to this kind, and defaults that differ from the shared ones.

    Attributes:
        update: the position of the update against the best wrong prefix: ``early``, where the gold
            prefix falls out of the beam (Collins and Roark 2004), or ``max-violation``, where the
            violation is largest (Huang, Fayong and Guo 2012).
    """

    batch_size: AtLeastOne = 4
    learning_rate: Positive = 1.0
    schedule: kind.Schedule = "constant"
    patience: Count = 0
    update: Literal["early", "max-violation"] = "early"

    evaluations: ClassVar[int] = EPOCHS

    def suggested_visits(self, sentences: int) -> int:
        return EPOCHS * sentences


KIND = kind.Kind(
    name="beam-parser",
    tasks="semipunct.papers.transitions.task:TASKS",
    model="semipunct.papers.transitions.parser:BeamParser",
    model_options=BeamParserOptions,
    train_options=BeamParserTrainOptions,
    criterion=kind.Criterion("uas", "UAS", highest=True),
    predicts="trees",
    assess="semipunct.papers.transitions.parser:attachment",
    examples="sentences with marks as words",
)
