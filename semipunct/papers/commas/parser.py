"""A conditional random field over bracketings with labelled spans."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import msgspec
import numpy as np
import numpy.typing as npt

from semipunct.arrays.compilation import Shapes
from semipunct.arrays.padding import pad_rows
from semipunct.arrays.programs import jit
from semipunct.corpus.sentences import Sentence, dotted_forms
from semipunct.errors import TreebankError
from semipunct.models import layers
from semipunct.models.base import Array, Batching, Parameters, Sums, Weights
from semipunct.models.forms import (
    EncodedForms,
    FormInputs,
    FormVocabulary,
    embed_forms,
    form_weights,
)
from semipunct.models.network import AveragedNetwork
from semipunct.models.scoring import Batches, answers
from semipunct.models.vocabulary import Codes, frequent
from semipunct.papers.commas.figures import bracket_statistics
from semipunct.papers.commas.options import PhraseParserOptions, PhraseParserTrainOptions
from semipunct.papers.commas.trees import (
    PhraseTree,
    Span,
    from_spans,
    prune_words,
    spans,
    without_functions,
    without_wrapper,
    words_with_tags,
)
from semipunct.structures.distribution import Distribution
from semipunct.structures.spans import SpanTrees, span_trees

COMMA = ","

_JOIN = " "
"""Separates the labels of a unary chain; no label contains a blank."""


class PhraseVocabulary(FormVocabulary, frozen=True, dict=True):
    """Vocabularies of forms, tags and labels, one for each unary chain; label 0 is no phrase."""

    most: ClassVar[int] = 16

    tag: tuple[str, ...]
    label: tuple[str, ...]

    @classmethod
    def of(
        cls,
        forms: Sequence[Sequence[str]],
        trees: Sequence[PhraseTree],
        minimum_word_count: int,
        minimum_ngram_forms: int,
    ) -> PhraseVocabulary:
        labels = (_JOIN.join(span.labels) for tree in trees for span in spans(tree))
        return cls(
            **cls.of_forms(forms, minimum_word_count, minimum_ngram_forms),
            tag=frequent((tag for tree in trees for tag in tree.tags), 1),
            label=frequent(labels, 1),
        )

    def spans(self, tree: PhraseTree) -> Codes:
        """Return the spans of a tree, ``[spans, 3]``: first word, last word, label."""
        phrases = spans(tree)
        ends = np.array([(s.left, s.right - 1) for s in phrases], np.int32).reshape(-1, 2)
        labels = self.codes("label", (_JOIN.join(s.labels) for s in phrases))
        return np.column_stack([ends, labels])

    def to_spans(self, rows: Iterable[Sequence[int]]) -> list[Span]:
        return [
            Span(left, last + 1, tuple(self.label[code - 1].split(_JOIN)))
            for left, last, code in rows
        ]


def read_tree(sentence: Sentence[PhraseTree], *, commas: bool) -> tuple[list[str], PhraseTree]:
    """Return the words and the tree for training, without function tags and outer bracket."""
    forms, tree = list(dotted_forms(sentence)), without_functions(sentence.tree)
    gone = () if commas else words_with_tags(tree, {COMMA})
    # A sentence that consists of commas is kept: there is nothing else to parse.
    if gone and len(gone) < tree.words:
        out = {word - 1 for word in gone}
        tree = prune_words(tree, gone)
        forms = [form for place, form in enumerate(forms) if place not in out]
    return forms, without_wrapper(tree)


def network_weights(
    options: PhraseParserOptions, vocabulary: PhraseVocabulary, generator: np.random.Generator
) -> dict[str, layers.Floats]:
    """Draw initial weights."""
    layer, normal = partial(layers.affine_weights, generator), partial(layers.embeddings, generator)
    hidden, tags = options.hidden, vocabulary.size("tag")
    parts = {
        **form_weights(generator, vocabulary, options.word, options.ngram, hidden),
        "edges": {"weight": normal(2, hidden)},
        "output": layers.normalising_weights(hidden),
        "tags.input": layers.normalising_weights(hidden),
        "tags": layer(hidden, hidden),
        "tag": layer(hidden, tags),
        "tagged": {"weight": normal(tags, hidden)},
        "end": layer(hidden, options.span),
        "span": layer(options.span, vocabulary.size("label") - 1),
    }
    for i in range(options.layers):
        parts[f"layer{i}"] = layers.gated_recurrence_weights(generator, hidden)
    return layers.flat(parts)


def scores(
    options: PhraseParserOptions,
    weights: Weights,
    inputs: FormInputs,
    dropout: layers.Dropout | None,
) -> tuple[jax.Array, jax.Array]:
    """Score spans and tags.

    Returns:
        ``[batch, length, length, labels]`` by first and last word, zero for label 0; ``[batch,
        length, tags]``.
    """
    # One key for each mask: masks drawn with the same key would coincide.
    keys = None if dropout is None else jax.random.split(dropout.key, options.layers + 4)

    def drop(x: jax.Array, mask: int) -> jax.Array:
        if dropout is None or keys is None:
            return x
        return layers.drop_out(x, dropout.rate, keys[mask], shared=1)

    unknown = None
    if dropout is not None and keys is not None:
        unknown = keys[3], dropout.words
    x = embed_forms(weights, inputs, lambda read: drop(read, 0), unknown)
    batch, length, hidden = x.shape
    lengths = jnp.asarray(inputs.lengths)
    # The edges of a sentence count as words, so that each slot has a state on either side.
    place = jnp.arange(length + 2)
    edge = jnp.broadcast_to(weights["edges.weight"][:, None, None], (2, batch, 1, hidden))
    x = jnp.concatenate([edge[0], x, edge[1]], 1)
    x = jnp.where((place == lengths[:, None] + 1)[..., None], weights["edges.weight"][1], x)
    inside = (place <= lengths[:, None] + 1)[..., None]
    tags = jnp.zeros((batch, length, 0))
    for i in range(options.layers + 1):
        if i == min(options.tag_layers, options.layers):
            tagged = jax.nn.gelu(
                layers.affine(weights, "tags", layers.normalise_layer(weights, "tags.input", x))
            )
            tags = layers.affine(weights, "tag", drop(tagged, 1)[:, 1:-1])
            # The layers above read the probabilities of tags (Zhang and Weiss 2016).
            x = x.at[:, 1:-1].add(jax.nn.softmax(tags) @ weights["tagged.weight"])
        if i < options.layers:
            x = x + drop(layers.gated_recurrence(weights, f"layer{i}", x, inside), 4 + i)
    x = drop(layers.normalise_layer(weights, "output", x), 2)
    # Represent a slot by the forward state before it and the backward state after it.
    half = hidden // 2
    slots = jnp.concatenate([x[:, :-1, :half], x[:, 1:, half:]], -1)
    ends = slots @ weights["end.weight"]
    span = jax.nn.gelu(ends[:, None, 1:] - ends[:, :-1, None] + weights["end.bias"])
    labels = layers.affine(weights, "span", span)
    nothing = jnp.zeros((*labels.shape[:-1], 1), labels.dtype)
    return jnp.concatenate([nothing, labels], -1), tags


CROSSING = -1
"""Label of a span that crosses a phrase, and so is in no bracketing of the tree."""


class Phrases(NamedTuple):
    """Padded trees and tags.

    Attributes:
        labels: ``[batch, length, length]`` by first and last word: 0 for no phrase, ``CROSSING`` if
            the span crosses a phrase.
        tags: ``[batch, length]``.
    """

    labels: Any
    tags: Any


class PhraseBatch(NamedTuple):
    """A padded batch; ``gold`` is None for unknown trees."""

    inputs: FormInputs
    gold: Phrases | None


@dataclass(frozen=True, slots=True)
class Encoded:
    """Encoded sentences; ``spans`` and ``tags`` are empty if unknown."""

    forms: EncodedForms
    spans: Sequence[Codes] = ()
    tags: Sequence[Codes] = ()

    @property
    def lengths(self) -> list[int]:
        return self.forms.lengths


@dataclass(frozen=True, eq=False, repr=False)
class PhraseParser(AveragedNetwork[Encoded, PhraseBatch, Sentence[PhraseTree]]):
    """A constituency parser of words.

    The probability of a tree is the sum over its binary bracketings.
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
        return {**network_weights(self.options, self.vocabulary, np.random.default_rng(seed))}

    def encode(self, sentences: Sequence[Sentence[PhraseTree]]) -> Encoded:
        read = [read_tree(s, commas=self.options.commas) for s in sentences]
        return replace(
            self.encode_words([forms for forms, _ in read]),
            spans=[self.vocabulary.spans(tree) for _, tree in read],
            tags=[self.vocabulary.codes("tag", tree.tags) for _, tree in read],
        )

    def encode_words(self, sentences: Sequence[Sequence[str]]) -> Encoded:
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
        self, parameters: Parameters, batch: PhraseBatch, dropout: layers.Dropout | None
    ) -> tuple[jax.Array, jax.Array]:
        inputs, gold = batch
        if gold is None:
            raise ValueError("a batch without trees has no likelihood")
        span, tag = scores(self.options, parameters, inputs, dropout)
        lengths, labels = jnp.asarray(inputs.lengths), jnp.asarray(gold.labels)
        chosen = layers.at_codes(span, jnp.maximum(labels, 0))
        chosen = jnp.where(labels == CROSSING, -jnp.inf, chosen)
        # All trees, and the trees with the gold phrases, in a single recursion.
        potentials = jnp.concatenate([jax.nn.logsumexp(span, -1), chosen])[..., None]
        total, of_tree = jnp.split(
            Distribution(
                span_trees(potentials, jnp.concatenate([lengths, lengths]))
            ).log_partition(),
            2,
        )
        inside = jnp.arange(labels.shape[1]) < lengths[:, None]
        tags = layers.at_codes(jax.nn.log_softmax(tag), jnp.asarray(gold.tags))
        return of_tree - total, layers.sum_inside(tags, inside)

    def loss(
        self,
        parameters: Parameters,
        constants: Parameters,
        batch: PhraseBatch,
        key: jax.Array,
        options: PhraseParserTrainOptions,
    ) -> tuple[jax.Array, Sums]:
        dropout = layers.Dropout(key, options.dropout, options.word_dropout)
        trees, tags = self._parts(parameters, batch, dropout)
        words = jnp.maximum(1, jnp.sum(jnp.asarray(batch.inputs.lengths)))
        loss = -jnp.sum(trees + options.tags * tags) / words
        return loss, Sums.of(jnp.sum(trees + tags), words)

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
    """Return the distribution over bracketings with scores ``[batch, length, length, labels]``."""
    return Distribution(span_trees(span, lengths))


def _labelled(spans: Codes, length: int) -> npt.NDArray[np.int32]:
    labels = np.zeros((length, length), np.int32)
    first, last = np.arange(length)[:, None], np.arange(length)[None]
    for left, right, _ in spans.tolist():
        crosses = (first < left) & (left <= last) & (last < right)
        crosses |= (left < first) & (first <= right) & (right < last)
        labels[crosses] = CROSSING
    labels[spans[:, 0], spans[:, 1]] = spans[:, 2]
    return labels


_DOUBT = 0.4
"""The probability from which a phrase is predicted.

The threshold that maximises the expected F1 is half of that F1 (Lipton, Elkan and Naryanaswamy
2014).
"""


class Bracketed(NamedTuple):
    """Predicted trees: ``labels`` ``[batch, length, length]`` and ``tags`` ``[batch, length]``."""

    labels: jax.Array
    tags: jax.Array


@dataclass(frozen=True)
class PhraseFinder:
    """Parses sentences into phrases."""

    model: PhraseParser
    parameters: Weights

    def trees(self, sentences: Sequence[Sequence[str]]) -> list[PhraseTree]:
        if not sentences:
            return []
        return self.of_batches(Batches(self.model, self.model.encode_words(sentences)))

    def of_batches(
        self, batches: Iterable[tuple[list[int], PhraseBatch]], shapes: Shapes | None = None
    ) -> list[PhraseTree]:
        trees: dict[int, PhraseTree] = {}
        inputs = ((members, batch.inputs) for members, batch in batches)
        batch_answers = answers(
            self.model, self.parameters, inputs, "phrases", decode_brackets, shapes
        )
        for members, words, (labels, tags) in batch_answers:
            for row, i in enumerate(members):
                trees[i] = self._tree(labels[row], tags[row], int(words.lengths[row]))
        return [trees[i] for i in range(len(trees))]

    def _tree(self, labels: Any, tags: Any, words: int) -> PhraseTree:
        vocabulary = self.model.vocabulary
        rows = [(i, j, labels[i, j]) for i, j in np.argwhere(labels[:words, :words]).tolist()]
        return from_spans(
            [vocabulary.tag[max(code, 1) - 1] for code in tags[:words].tolist()],
            vocabulary.to_spans(rows),
        )


@partial(jit, static=1)
def decode_brackets(model: PhraseParser, parameters: Parameters, inputs: FormInputs) -> Bracketed:
    """Find the trees with the highest expected number of correct phrases, each less ``_DOUBT``."""
    span, tag = scores(model.options, parameters, inputs, None)
    lengths = jnp.asarray(inputs.lengths)
    _, marginals = distribution(span, lengths).log_partition_and_marginals()
    gain = marginals.span - _DOUBT
    gain = gain.at[..., 0].set(0.0)
    # The span of the whole sentence must have a label.
    whole = jnp.arange(len(lengths)), jnp.zeros_like(lengths), jnp.maximum(lengths - 1, 0), 0
    gain = gain.at[whole].set(-jnp.inf)
    label = jnp.argmax(gain, -1)
    inside: Any = distribution(jnp.max(gain, -1, keepdims=True), lengths).argmax_parts()
    codes = jnp.where(inside.span[..., 0] > 0.5, label, 0)
    return Bracketed(codes, jnp.argmax(tag.at[..., 0].set(-jnp.inf), -1))


def brackets(
    model: PhraseParser,
    parameters: Weights,
    examples: Sequence[Sentence[PhraseTree]],
    batches: Batches[Encoded, PhraseBatch],
    shapes: Shapes | None = None,
) -> dict[str, Any]:
    """Return precision, recall and F1 of labelled brackets, and the tagging accuracy."""
    predicted = PhraseFinder(model, parameters).of_batches(batches, shapes)
    gold = [read_tree(s, commas=model.options.commas)[1] for s in examples]
    figures = bracket_statistics(gold, predicted).figures()
    if math.isnan(figures.labelled.f1):
        raise TreebankError(
            "the development sentences have no phrases with words, which are needed to select "
            "the best weights; give others"
        )
    return {
        "f1": figures.labelled.f1,
        "precision": figures.labelled.precision,
        "recall": figures.labelled.recall,
        "tags": figures.tags,
    }
