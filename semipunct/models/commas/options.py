"""Settings of the models of commas and of their training, and their entry in the registry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from semipunct.models import kind
from semipunct.models.settings import AtLeastOne, Check, Count, Positive

TEMPLATES = ("words", "tags", "counts", "phrases")
"""Groups of features of a slot; see ``semipunct.models.commas.features``."""


def _unknown(names: tuple[str, ...]) -> str | None:
    wrong = [name for name in names if name not in TEMPLATES]
    return f"there is no group {wrong[0]!r}; choose of: {', '.join(TEMPLATES)}" if wrong else None


@dataclass(frozen=True, slots=True)
class CommaOptions:
    """Everything that decides the shape of a model of commas.

    Attributes:
        ngrams: whether words and commas are a chain of trigrams.
        penalty: whether each word is also weighed by how probable it was that no comma came there
            (Shieber and Tao 2003, section 3).
        ends: what trigrams know of the constituents that end at a slot: ``none``; ``bit``, whether
            they are ``threshold`` or more (section 4); ``counts``, how many they are, independent
            of all words but the last (section 4.1).
        threshold: the k of the paper.
        tags: whether parts of speech are a second chain of trigrams (section 4.2).
        minimum_word_count: rarer words are one and the same to trigrams.
        templates: groups of features of slots, of ``TEMPLATES``, whose weights are learnt.
        minimum_feature_count: features of fewer slots have no weight.
    """

    ngrams: bool = True
    penalty: bool = False
    ends: Literal["none", "bit", "counts"] = "none"
    threshold: AtLeastOne = 3
    tags: bool = False
    minimum_word_count: AtLeastOne = 2
    templates: Annotated[tuple[str, ...], Check(_unknown)] = ()
    minimum_feature_count: AtLeastOne = 2


@dataclass(frozen=True, slots=True)
class CommaTrainOptions(kind.NetworkTrainOptions):
    """Settings of training that other kinds do not share, and defaults that differ.

    Attributes:
        learn: which weights gradients change: ``nothing`` leaves the model as counts make it;
            ``slots``, those of features of slots and of neighbouring slots; ``all``, those of
            trigrams as well, so that commas given words become as probable as can be.
    """

    learn: Literal["nothing", "slots", "all"] = "nothing"
    learning_rate: Positive = 0.02
    patience: Count = 0

    evaluations: ClassVar[int] = 8
    epochs: ClassVar[int] = 8

    def suggested_visits(self, sentences: int) -> int:
        """Return how many visits there are: next to none if nothing is learnt from gradients."""
        return 1 if self.learn == "nothing" else self.epochs * sentences


@dataclass(frozen=True, slots=True)
class DelimiterOptions:
    """Everything that decides the shape of the model of commas at the edges of phrases.

    Attributes:
        minimum_feature_count: features of fewer phrases have no weight.
        field: whether it is a conditional random field, not a generative model.
    """

    minimum_feature_count: AtLeastOne = 2
    field: bool = False


@dataclass(frozen=True, slots=True)
class DelimiterTrainOptions(kind.NetworkTrainOptions):
    """Settings of training of the generative model whose defaults differ from those of others."""

    learning_rate: Positive = 0.02
    patience: Count = 0

    evaluations: ClassVar[int] = 6
    epochs: ClassVar[int] = 6


DELIMITERS = kind.Kind(
    name="phrase-commas",
    model="semipunct.models.commas.delimiters:DelimiterModel",
    model_options=DelimiterOptions,
    train_options=DelimiterTrainOptions,
    criterion=kind.Criterion("perplexity_of_scorable", "perplexity of commas"),
    assess="semipunct.models.commas.restorer:figures",
    examples="semipunct.formats.registry:read_commas",
    predicts="commas",
)

KIND = kind.Kind(
    name="commas",
    model="semipunct.models.commas.model:CommaModel",
    model_options=CommaOptions,
    train_options=CommaTrainOptions,
    presets=("model-1", "model-2", "model-3", "model-4", "model-8", "model-10", "crf"),
    criterion=kind.Criterion("perplexity_of_scorable", "perplexity of commas"),
    assess="semipunct.models.commas.restorer:figures",
    examples="semipunct.formats.registry:read_commas",
    predicts="commas",
)
