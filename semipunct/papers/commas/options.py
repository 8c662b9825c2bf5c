"""Settings of the comma models and of the phrase parser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from semipunct.models import kind
from semipunct.models.settings import AtLeastOne, Check, Count, Decay, NotNegative, Positive, Share

TEMPLATES = ("words", "tags", "counts", "phrases")
"""Groups of features of a slot; see ``semipunct.papers.commas.model``."""


def _unknown(names: tuple[str, ...]) -> str | None:
    wrong = [name for name in names if name not in TEMPLATES]
    return f"there is no group {wrong[0]!r}; choose of: {', '.join(TEMPLATES)}" if wrong else None


@dataclass(frozen=True, slots=True)
class CommaOptions:
    """Architecture of a comma model.

    Attributes:
        ngrams: whether to use trigrams of words and commas.
        penalty: whether words are weighted by the probability that no comma precedes them (Shieber
            and Tao 2003, section 3).
        ends: constituents that end at a slot: ``none``; ``bit``, whether there are ``threshold`` or
            more (section 4); ``counts``, conditionally independent of all words but the last
            (section 4.1).
        threshold: k in the paper.
        tags: whether to use trigrams of parts of speech (section 4.2).
        minimum_word_count: rarer words are one unknown word.
        templates: trained slot features, a subset of ``TEMPLATES``.
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
    """Training settings of comma models.

    Attributes:
        learn: weights to train: ``nothing``, ``slots`` (slot features and transitions), or ``all``,
            with trigrams.
    """

    learn: Literal["nothing", "slots", "all"] = "nothing"
    learning_rate: Positive = 0.02
    patience: Count = 0

    evaluations: ClassVar[int] = 8
    epochs: ClassVar[int] = 8

    def suggested_visits(self, sentences: int) -> int:
        return 1 if self.learn == "nothing" else self.epochs * sentences


@dataclass(frozen=True, slots=True)
class DelimiterOptions:
    """Architecture of the model of commas at the edges of phrases.

    Attributes:
        minimum_feature_count: features of fewer phrases have no weight.
        field: whether the model is a conditional random field.
    """

    minimum_feature_count: AtLeastOne = 2
    field: bool = False


@dataclass(frozen=True, slots=True)
class DelimiterTrainOptions(kind.NetworkTrainOptions):
    """Training settings of the generative model."""

    learning_rate: Positive = 0.02
    patience: Count = 0

    evaluations: ClassVar[int] = 6
    epochs: ClassVar[int] = 6


PHRASE_COMMAS = kind.Kind(
    name="phrase-commas",
    tasks="semipunct.papers.commas.task:COMMAS",
    model="semipunct.papers.commas.delimiters:DelimiterModel",
    model_options=DelimiterOptions,
    train_options=DelimiterTrainOptions,
    criterion=kind.Criterion("perplexity_of_scorable", "perplexity of commas"),
    assess="semipunct.papers.commas.restorer:figures",
    examples="semipunct.papers.commas.ptb:read_commas",
    predicts="commas",
)

COMMAS = kind.Kind(
    name="commas",
    tasks="semipunct.papers.commas.task:COMMAS",
    model="semipunct.papers.commas.model:CommaModel",
    model_options=CommaOptions,
    train_options=CommaTrainOptions,
    presets=("model-1", "model-2", "model-3", "model-4", "model-8", "model-10", "crf"),
    criterion=kind.Criterion("perplexity_of_scorable", "perplexity of commas"),
    assess="semipunct.papers.commas.restorer:figures",
    examples="semipunct.papers.commas.ptb:read_commas",
    predicts="commas",
)


EPOCHS = 20


@dataclass(frozen=True, slots=True)
class PhraseParserOptions:
    """Architecture of a phrase parser.

    Attributes:
        commas: whether the parser reads commas.
        word: size of word embeddings.
        ngram: size of embeddings of character n-grams.
        hidden: size of a word's state, half for each direction.
        layers: encoder layers.
        tag_layers: encoder layers below the tags; the layers above read the tags.
        span: size of the representation of a span.
        minimum_word_count: rarer forms have no embedding.
        minimum_ngram_forms: n-grams of fewer forms have no embedding.
    """

    commas: bool = False
    word: AtLeastOne = 96
    ngram: AtLeastOne = 96
    hidden: AtLeastOne = 192
    layers: AtLeastOne = 3
    tag_layers: AtLeastOne = 1
    span: AtLeastOne = 128
    minimum_word_count: AtLeastOne = 2
    minimum_ngram_forms: AtLeastOne = 2


@dataclass(frozen=True, slots=True)
class PhraseParserTrainOptions(kind.NetworkTrainOptions):
    """Training settings of the phrase parser.

    Attributes:
        batch_size: sentences of 24 words in a batch.
        word_dropout: share of forms replaced by the unknown form.
        tags: weight of the tagging loss.
        average: decay of the running mean of the weights.
    """

    batch_size: AtLeastOne = 16
    learning_rate: Positive = 3e-3
    dropout: Share = 0.3
    word_dropout: Share = 0.2
    tags: NotNegative = 0.5
    average: Decay = 0.998

    evaluations: ClassVar[int] = 5
    epochs: ClassVar[int] = EPOCHS


PHRASE_PARSER = kind.Kind(
    name="phrase-parser",
    tasks="semipunct.papers.commas.task:PHRASE_PARSER",
    model="semipunct.papers.commas.parser:PhraseParser",
    model_options=PhraseParserOptions,
    train_options=PhraseParserTrainOptions,
    criterion=kind.Criterion("f1", "labelled F1 of phrases", highest=True),
    predicts="phrases and tags",
    assess="semipunct.papers.commas.parser:brackets",
    examples="semipunct.papers.commas.ptb:read_whole_phrases",
)
