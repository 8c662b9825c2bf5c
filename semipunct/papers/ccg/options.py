"""Settings of the CCG parser and of its training, and its entry in the registry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from semipunct.models import kind
from semipunct.models.settings import AtLeastOne, NotNegative, Positive, Share

EPOCHS = 12
"""Passes over the training sentences."""

LeftCommas = Literal["observed", "all", "both", "none"]


@dataclass(frozen=True, slots=True)
class CcgOptions:
    """Settings that determine the architecture of a parser.

    Attributes:
        size: size of the embeddings and of the layers of the supertagger.
        layers: number of convolutions; layer i sees 2^i words to either side.
        minimum_count: rarer words are represented by their prefixes, suffixes and shapes alone.
        left_commas: rules by which a category takes a comma on its left and does not change:
            ``observed``, those in the treebank; ``all``, for each category that takes a comma on
            either side; ``both``, the same, and likewise for commas on its right; or ``none``.
        heads: whether chart items have heads, and rules have weights for these.
    """

    size: AtLeastOne = 96
    layers: AtLeastOne = 3
    minimum_count: AtLeastOne = 2
    left_commas: LeftCommas = "observed"
    heads: bool = False


@dataclass(frozen=True, slots=True)
class CcgTrainOptions(kind.NetworkTrainOptions):
    """Training settings specific to this kind, and defaults that differ from the shared ones.

    Attributes:
        unknown: fraction of words replaced by the unknown word in a training step.
        l2: half of it times the squared norm of the rule weights is added to the loss of a
            sentence.
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
