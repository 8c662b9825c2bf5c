"""Settings of the CCG parser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from semipunct.models import kind
from semipunct.models.settings import AtLeastOne, NotNegative, Positive, Share

EPOCHS = 12

LeftCommas = Literal["observed", "all", "both", "none"]


@dataclass(frozen=True, slots=True)
class CcgOptions:
    """Architecture of a CCG parser.

    Attributes:
        size: size of embeddings and of the supertagger's layers.
        layers: number of convolutions; layer i sees 2^i words to either side.
        minimum_count: rarer words have only prefixes, suffixes and shapes.
        left_commas: categories that absorb a comma on their left: as ``observed``; ``all`` that
            absorb a comma on either side; ``both``, these, also on the right; or ``none``.
        heads: whether chart items have heads, with weights.
    """

    size: AtLeastOne = 96
    layers: AtLeastOne = 3
    minimum_count: AtLeastOne = 2
    left_commas: LeftCommas = "observed"
    heads: bool = False


@dataclass(frozen=True, slots=True)
class CcgTrainOptions(kind.NetworkTrainOptions):
    """Training settings of the CCG parser.

    Attributes:
        unknown: share of words replaced by the unknown word.
        l2: coefficient of half the squared norm of the rule weights.
    """

    batch_size: AtLeastOne = 24
    learning_rate: Positive = 3e-3
    dropout: Share = 0.3
    unknown: Share = 0.1
    l2: NotNegative = 1e-3

    evaluations: ClassVar[int] = 4
    epochs: ClassVar[int] = EPOCHS


KIND = kind.Kind(
    name="ccg-parser",
    tasks="semipunct.papers.ccg.task:TASKS",
    model="semipunct.papers.ccg.parser:CcgModel",
    model_options=CcgOptions,
    train_options=CcgTrainOptions,
    criterion=kind.Criterion("category_accuracy", "accuracy of categories", highest=True),
    assess="semipunct.papers.ccg.parser:figures",
    examples="semipunct.papers.ccg.ccgbank:read_derived_sentences",
    predicts="derivations",
)
