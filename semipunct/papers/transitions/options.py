"""Settings of the beam parser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from semipunct.models import kind
from semipunct.models.settings import AtLeastOne, Count, Positive

Punctuation = Literal["all", "paired", "baseline", "stripped"]
Bits = Annotated[int, Meta(ge=4, le=26)]

EPOCHS = 20


@dataclass(frozen=True, slots=True)
class BeamParserOptions:
    """Architecture of a beam parser.

    Attributes:
        punctuation: ``all``, marks are properties of neighbouring words; ``paired``, only brackets
            and quotation marks are; ``baseline``, all marks are parsed as words; ``stripped``, all
            marks are removed.
        tags: column of tags.
        labelled: whether arcs have labels.
        beam: states of a sentence, in training and in parsing.
        minimum_word_count: rarer words are unknown.
        table_bits: binary logarithm of the size of the weight table.
        label_bits: the same for weights of labels.
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
    """Training settings of beam parsers.

    Attributes:
        update: ``early``, where the gold prefix falls out of the beam (Collins and Roark 2004), or
            ``max-violation``, where the violation is largest (Huang, Fayong and Guo 2012).
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
