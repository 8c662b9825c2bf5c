"""Settings of the comma models, of the phrase parser and of their training; their kinds."""

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
    """Settings that determine the architecture of a comma model.

    Attributes:
        ngrams: whether to use trigrams of words and commas.
        penalty: whether the weight of each word includes the probability that no comma came before
            it (Shieber and Tao 2003, section 3).
        ends: information on the constituents that end at a slot, for trigrams: ``none``; ``bit``,
            whether there are ``threshold`` or more (section 4); ``counts``, their number,
            conditionally independent of all words but the last (section 4.1).
        threshold: the parameter k of the paper.
        tags: whether to use a second trigram model of parts of speech (section 4.2).
        minimum_word_count: rarer words are mapped to one unknown word in trigrams.
        templates: groups of features of slots with trained weights, a subset of ``TEMPLATES``.
        minimum_feature_count: features that occur in fewer slots have no weight.
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
    """Training settings specific to this kind, and defaults that differ from the shared ones.

    Attributes:
        learn: the weights trained by gradients: ``nothing``, so that the model consists of counts
            alone; ``slots``, the weights of features of slots and of neighbouring slots; ``all``,
            those of trigrams as well, so as to maximise the probability of commas given words.
    """

    learn: Literal["nothing", "slots", "all"] = "nothing"
    learning_rate: Positive = 0.02
    patience: Count = 0

    evaluations: ClassVar[int] = 8
    epochs: ClassVar[int] = 8

    def suggested_visits(self, sentences: int) -> int:
        """Return the number of visits, which is minimal if no weights are trained by gradients."""
        return 1 if self.learn == "nothing" else self.epochs * sentences


@dataclass(frozen=True, slots=True)
class DelimiterOptions:
    """Settings that determine the architecture of the comma model at the edges of phrases.

    Attributes:
        minimum_feature_count: features that occur in fewer phrases have no weight.
        field: whether to use a conditional random field instead of the generative model.
    """

    minimum_feature_count: AtLeastOne = 2
    field: bool = False


@dataclass(frozen=True, slots=True)
class DelimiterTrainOptions(kind.NetworkTrainOptions):
    """Training settings of the generative model, with defaults that differ from the shared ones."""

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
"""Passes over the training sentences."""


@dataclass(frozen=True, slots=True)
class PhraseParserOptions:
    """Settings that determine the architecture of a constituency parser.

    Attributes:
        commas: whether commas are part of the input; otherwise they are removed first, as they are
            missing from text whose commas are to be restored.
        word: size of the embeddings of word forms.
        ngram: size of the embeddings of character n-grams.
        hidden: size of a word's state in each layer of the encoder, half for each direction.
        layers: number of layers of the encoder.
        tag_layers: number of layers after which parts of speech are predicted; they are input of
            the other layers.
        span: size of the representation of a span for scoring its labels.
        minimum_word_count: rarer forms have no embedding of their own.
        minimum_ngram_forms: n-grams of fewer distinct forms have no embedding.
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
    """Training settings specific to this kind, and defaults that differ from the shared ones.

    Attributes:
        batch_size: number of sentences in a batch if they have 24 words; otherwise, the same total
            number of words.
        word_dropout: fraction of word forms replaced by the unknown form in a training step.
        tags: weight of the part-of-speech term of the loss, relative to that of the tree.
        average: decay of the running mean of the weights, which is the result of training.
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
