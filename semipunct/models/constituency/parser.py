"""A conditional random field over bracketings with labelled spans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import msgspec
import numpy as np
import numpy.typing as npt

from semipunct.arrays.padding import pad_rows
from semipunct.corpus.sentences import Sentence
from semipunct.models.base import Array, Batching, Parameters, Sums
from semipunct.models.constituency.labels import PhraseVocabulary, read_tree
from semipunct.models.constituency.network import network_weights, scores
from semipunct.models.constituency.options import PhraseParserOptions, PhraseParserTrainOptions
from semipunct.models.forms import EncodedForms, FormInputs
from semipunct.models.layers import Dropout, at_codes, sum_inside
from semipunct.models.network import AveragedNetwork
from semipunct.models.vocabulary import Codes
from semipunct.structures.distribution import Distribution
from semipunct.structures.spans import SpanTrees, span_trees
from semipunct.trees.phrases import PhraseTree

CROSSING = -1
"""Replaces the label of a span that crosses a phrase, so that it is in no bracketing of the
tree."""


class Phrases(NamedTuple):
    """The trees and tags of sentences, padded.

    Attributes:
        labels: ``[batch, length, length]`` codes of the spans from one word to another; 0 for those
            that are not phrases, ``CROSSING`` for those that cross one.
        tags: ``[batch, length]`` codes.
    """

    labels: Any
    tags: Any


class PhraseBatch(NamedTuple):
    """A padded batch.

    Attributes:
        inputs: the words.
        gold: their trees; None if they are not known.
    """

    inputs: FormInputs
    gold: Phrases | None


@dataclass(frozen=True, slots=True)
class Encoded:
    """Sentences encoded for the parser.

    Attributes:
        forms: the forms of each sentence.
        spans: for each sentence ``[spans, 3]`` as in ``PhraseVocabulary.spans``; empty if not
            known.
        tags: for each sentence ``[words]`` codes; likewise.
    """

    forms: EncodedForms
    spans: Sequence[Codes] = ()
    tags: Sequence[Codes] = ()

    @property
    def lengths(self) -> list[int]:
        """The number of words in each sentence, as the parser sees it."""
        return self.forms.lengths


@dataclass(frozen=True, eq=False, repr=False)
class PhraseParser(AveragedNetwork[Encoded, PhraseBatch, Sentence[PhraseTree]]):
    """A constituency parser, whose input is words.

    Where a phrase has more than two children, several binary bracketings correspond to the same
    tree; its probability is the sum of theirs.

    Attributes:
        options: the settings.
        vocabulary: words, tags and labels.
    """

    kind: ClassVar[str] = "phrase-parser"
    batching: ClassVar[Batching] = "length"
    scoring_limits: ClassVar[tuple[int, int]] = (64, 0)
    warming: ClassVar[int] = 100
    usage: ClassVar[tuple[str, ...]] = (
        "semipunct parse MODEL WORDS.txt",
        "semipunct restore COMMAS WORDS.txt --parser MODEL",
    )

    options: PhraseParserOptions
    vocabulary: PhraseVocabulary

    @classmethod
    def fit(
        cls, sentences: Sequence[Sentence[PhraseTree]], options: PhraseParserOptions
    ) -> PhraseParser:
        read = [read_tree(s, commas=options.commas) for s in sentences]
        vocabulary = PhraseVocabulary.of(
            [forms for forms, _ in read],
            [tree for _, tree in read],
            options.minimum_word_count,
            options.minimum_ngram_forms,
        )
        return cls(options, vocabulary)

    def initial_parameters(self, seed: int, scale: float) -> dict[str, Array]:
        """Draw the weights.

        Args:
            seed: seed of the random number generator.
            scale: unused: no weight matrix starts at zero.
        """
        return {**network_weights(self.options, self.vocabulary, np.random.default_rng(seed))}

    def encode(self, sentences: Sequence[Sentence[PhraseTree]]) -> Encoded:
        read = [read_tree(s, commas=self.options.commas) for s in sentences]
        return replace(
            self.encode_words([forms for forms, _ in read]),
            spans=[self.vocabulary.spans(tree) for _, tree in read],
            tags=[self.vocabulary.codes("tag", tree.tags) for _, tree in read],
        )

    def encode_words(self, sentences: Sequence[Sequence[str]]) -> Encoded:
        """Encode sentences of which only the words are known."""
        return Encoded(self.vocabulary.encode_forms(sentences))

    def batch(
        self, encoded: Encoded, members: Sequence[int], shape: int | None = None
    ) -> PhraseBatch:
        inputs = encoded.forms.lay_out(members, shape)
        if not encoded.spans:
            return PhraseBatch(inputs, None)
        size, length = inputs.words.shape
        labels = [_labelled(encoded.spans[i], length) for i in members]
        tags = pad_rows([encoded.tags[i] for i in members], (size, length))
        return PhraseBatch(inputs, Phrases(pad_rows(labels, (size, length)), tags))

    def log_likelihoods(self, parameters: Parameters, batch: PhraseBatch) -> jax.Array:
        """Return ``[sentences]`` log p(tree, tags | words)."""
        trees, tags = self._parts(parameters, batch, None)
        return trees + tags

    def _parts(
        self, parameters: Parameters, batch: PhraseBatch, dropout: Dropout | None
    ) -> tuple[jax.Array, jax.Array]:
        """Return the log probabilities of trees and of tags, ``[sentences]`` each."""
        inputs, gold = batch
        if gold is None:
            raise ValueError("a batch without trees has no likelihood")
        span, tag = scores(self.options, parameters, inputs, dropout)
        lengths, labels = jnp.asarray(inputs.lengths), jnp.asarray(gold.labels)
        chosen = at_codes(span, jnp.maximum(labels, 0))
        chosen = jnp.where(labels == CROSSING, -jnp.inf, chosen)
        # All trees, and those with the gold phrases, in a single recursion.
        potentials = jnp.concatenate([jax.nn.logsumexp(span, -1), chosen])[..., None]
        total, of_tree = jnp.split(
            Distribution(
                span_trees(potentials, jnp.concatenate([lengths, lengths]))
            ).log_partition(),
            2,
        )
        inside = jnp.arange(labels.shape[1]) < lengths[:, None]
        tags = at_codes(jax.nn.log_softmax(tag), jnp.asarray(gold.tags))
        return of_tree - total, sum_inside(tags, inside)

    def loss(
        self,
        parameters: Parameters,
        constants: Parameters,
        batch: PhraseBatch,
        key: jax.Array,
        options: PhraseParserTrainOptions,
    ) -> tuple[jax.Array, Sums]:
        """Return the negative log probability of trees and tags per word, and sums.

        Args:
            parameters: weights by name.
            constants: unused.
            batch: from ``batch``.
            key: PRNG key, for dropout.
            options: dropout rates, and the weight of the tags.
        """
        dropout = Dropout(key, options.dropout, options.word_dropout)
        trees, tags = self._parts(parameters, batch, dropout)
        words = jnp.maximum(1, jnp.sum(jnp.asarray(batch.inputs.lengths)))
        objective = -jnp.sum(trees + options.tags * tags) / words
        return objective, Sums.of(jnp.sum(trees + tags), words)

    def to_data(self) -> dict[str, Any]:
        return msgspec.to_builtins(self.vocabulary)

    @classmethod
    def from_data(cls, data: Any, options: PhraseParserOptions) -> PhraseParser:
        return cls(options, msgspec.convert(data, PhraseVocabulary))

    @property
    def description(self) -> str:
        commas = "commas included" if self.options.commas else "without commas"
        return (
            f"A parser of phrases that reads words, {commas}: a distribution over bracketings "
            "whose spans are scored by their ends (Stern, Andreas and Klein 2017), and parts of "
            "speech."
        )


def distribution(span: jax.Array, lengths: jax.Array) -> Distribution[SpanTrees]:
    """Return the distribution over bracketings.

    Args:
        span: scores ``[batch, length, length, labels]``.
        lengths: ``[batch]``.
    """
    return Distribution(span_trees(span, lengths))


def _labelled(spans: Codes, length: int) -> npt.NDArray[np.int32]:
    """Return the labels of all spans of a sentence, ``[length, length]``; see ``Phrases``."""
    labels = np.zeros((length, length), np.int32)
    first, last = np.arange(length)[:, None], np.arange(length)[None]
    for left, right, _ in spans.tolist():
        crosses = (first < left) & (left <= last) & (last < right)
        crosses |= (left < first) & (first <= right) & (right < last)
        labels[crosses] = CROSSING
    labels[spans[:, 0], spans[:, 1]] = spans[:, 2]
    return labels
