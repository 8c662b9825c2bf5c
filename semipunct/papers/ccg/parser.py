"""The CCG parser as a trainable model (Clark and Curran 2007, sections 4 and 5).

A derivation is weighted by the supertagger's probabilities of its lexical categories and by its
rules, log-linear in the tags around their spans.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import msgspec
import numpy as np
import numpy.typing as npt

from semipunct.arrays.compilation import Shapes
from semipunct.arrays.padding import pad_rows, padded_length, room, round_up, row_lengths
from semipunct.arrays.programs import jit
from semipunct.corpus.sentences import Sentence
from semipunct.models.base import Array, Batching, Parameters, Sums, Weights
from semipunct.models.convolutions import convolution_weights, word_scores
from semipunct.models.layers import Dropout
from semipunct.models.network import Network
from semipunct.models.scoring import Batches, answers
from semipunct.models.vocabulary import Codes, Vocabulary, frequent_by_kind
from semipunct.papers.ccg import chart
from semipunct.papers.ccg.derivations import Derivation
from semipunct.papers.ccg.grammar import Grammar
from semipunct.papers.ccg.options import CcgOptions, CcgTrainOptions
from semipunct.structures.chain import ChainParts, LinearChain, linear_chain
from semipunct.structures.distribution import Distribution
from semipunct.structures.hypergraph import HyperedgeParts, Hypergraphs

CODES = ("word", "prefix", "suffix", "end", "shape", "tag")
"""Properties of a word, in the order of its codes."""

_DIGITS = re.compile(r"\d")
_SHAPE = ((re.compile(r"[A-Z]"), "X"), (re.compile(r"[a-z]"), "x"), (re.compile(r"\d"), "0"))
_RUN = re.compile(r"(.)\1+")


class WordVocabulary(Vocabulary, frozen=True, dict=True):
    """The known values of the properties in ``CODES``."""

    word: tuple[str, ...]
    prefix: tuple[str, ...]
    suffix: tuple[str, ...]
    end: tuple[str, ...]
    shape: tuple[str, ...]
    tag: tuple[str, ...]

    @classmethod
    def of(cls, sentences: Sequence[Sentence[Any]], minimum: int) -> WordVocabulary:
        return cls(**frequent_by_kind(map(properties, sentences), CODES, minimum))

    def encode(self, sentences: Sequence[Sentence[Any]]) -> list[Codes]:
        return [self.rows(properties(s), CODES) for s in sentences]


def properties(sentence: Sentence[Any]) -> dict[str, list[str]]:
    """Return the properties of the words of a tagged sentence, by name."""
    plain = [_DIGITS.sub("0", form) for form in sentence.forms]
    lower = [form.lower() for form in plain]
    return {
        "word": lower,
        "prefix": [form[:3] for form in lower],
        "suffix": [form[-3:] for form in lower],
        "end": [form[-2:] for form in lower],
        "shape": [_shape(form) for form in sentence.forms],
        "tag": list(sentence.xpos),
    }


def _shape(form: str) -> str:
    for pattern, letter in _SHAPE:
        form = pattern.sub(letter, form)
    return _RUN.sub(r"\1\1", form[:20])


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Counts of categories by tag, by tag with its neighbours, and by word and tag.

    In training charts, coarser counts smooth finer ones, and a word's own occurrence is not
    counted, as if it were unseen.
    """

    counts: tuple[dict[Any, Counter[int]], ...]

    @classmethod
    def of(cls, sentences: Sequence[Sentence[Any]], categories: Sequence[Sequence[int]]) -> Lexicon:
        lexicon = cls(({}, {}, {}))
        for s, gold_categories in zip(sentences, categories, strict=True):
            for keys, category in zip(_keys(s), gold_categories, strict=True):
                for table, key in zip(lexicon.counts, keys, strict=True):
                    table.setdefault(key, Counter())[category] += 1
        return lexicon

    def candidates(
        self, s: Sentence[Any], gold_categories: Sequence[int], ratio: float, most: int
    ) -> list[list[int]]:
        """Return the categories of each word in a training chart, including the gold one.

        The others have at least ``ratio`` times the best probability, and number ``most`` or fewer.
        """
        candidates_of_words: list[list[int]] = []
        for keys, category in zip(_keys(s), gold_categories, strict=True):
            scores: dict[int, float] = {}
            for table, key, base in zip(self.counts, keys, _SMOOTHING, strict=True):
                counts = table[key]
                total = counts.total() - 1 + base
                scores = {candidate: p * base / total for candidate, p in scores.items() if total}
                for candidate, n in counts.items():
                    left = n - (candidate == category)
                    if left:
                        scores[candidate] = scores.get(candidate, 0.0) + left / total
            ordered = sorted(scores, key=lambda c: (-scores[c], c))[:most]
            best = scores[ordered[0]] if ordered else 0.0
            candidates_of_words.append(
                sorted({*(c for c in ordered if scores[c] >= ratio * best), category})
            )
        return candidates_of_words


def _keys(s: Sentence[Any]) -> list[tuple[Any, ...]]:
    tags = ("", *s.xpos, "")
    lower = properties(s)["word"]
    return [(tags[i + 1], tags[i : i + 3], (word, tags[i + 1])) for i, word in enumerate(lower)]


_SMOOTHING = (0.0, 5.0, 3.0)
"""Pseudo-counts of the coarser distribution, for the tag, the context and the word."""


_RATIOS, _MOST_CATEGORIES, _MOST_EDGES = (0.1, 0.4, 1.0), 5, 1024
"""Limits of training charts: multitagging ratios to try, categories of a word, hyperedges."""


_LEAST_ROOM = (128, 16, 32, 8)
"""Sizes to pad forests to: hyperedges, levels, nodes per level, hyperedges per node."""


class DerivedBatch(NamedTuple):
    """Padded sentences.

    Attributes:
        codes: ``[CODES, batch, length]``.
        lengths: ``[batch]``.
        categories: ``[batch, length]`` indices among the lexical categories.
        forests: None for unknown derivations.
    """

    codes: npt.NDArray[np.int32]
    lengths: npt.NDArray[np.int32]
    categories: npt.NDArray[np.int32]
    forests: chart.Forests | None


@dataclass(frozen=True, slots=True)
class Encoded:
    """Encoded sentences.

    Attributes:
        codes: ``[CODES, n]`` for each sentence.
        categories: ``[n]`` indices among the lexical categories, or -1.
        forests: None for a sentence without one.
    """

    codes: Sequence[npt.NDArray[np.int32]]
    categories: Sequence[npt.NDArray[np.int32]]
    forests: Sequence[chart.GoldForest | None] = ()

    @property
    def lengths(self) -> list[int]:
        return [row.shape[1] for row in self.codes]


class _Data(msgspec.Struct):
    vocabulary: WordVocabulary
    grammar: Grammar


@dataclass(frozen=True, eq=False, repr=False)
class CcgModel(Network[Encoded, DerivedBatch, "Sentence[Any]"]):
    """A supertagger with a log-linear model of the rules of derivations."""

    kind: ClassVar[str] = "ccg-parser"
    batching: ClassVar[Batching] = "length"
    scoring_limits: ClassVar[tuple[int, int]] = (64, 0)
    usage: ClassVar[tuple[str, ...]] = ("semipunct parse MODEL WORDS.auto",)

    options: CcgOptions
    vocabulary: WordVocabulary
    grammar: Grammar

    @classmethod
    def fit(cls, sentences: Sequence[Sentence[Derivation]], options: CcgOptions) -> CcgModel:
        vocabulary = WordVocabulary.of(sentences, options.minimum_count)
        grammar = Grammar.of((s.tree for s in sentences), options.left_commas)
        return cls(options, vocabulary, grammar)

    @classmethod
    def fit_and_encode(
        cls, sentences: Sequence[Sentence[Derivation]], options: CcgOptions
    ) -> tuple[CcgModel, Encoded]:
        model = cls.fit(sentences, options)
        plain = model.encode(sentences)
        lexical = model.grammar.lexical
        gold_categories = [[lexical[i] for i in row] for row in plain.categories]
        lexicon = Lexicon.of(sentences, gold_categories)
        forests = [
            _training_forest(model, lexicon, s, right)
            for s, right in zip(sentences, gold_categories, strict=True)
        ]
        return model, replace(plain, forests=forests)

    def initial_parameters(self, seed: int, scale: float) -> dict[str, Array]:
        generator = np.random.default_rng(seed)
        o, outputs = self.options, len(self.grammar.lexical)
        weights = convolution_weights(
            self.vocabulary.sizes(CODES), o.size, o.layers, outputs, generator
        )

        def start(*shape: int) -> npt.NDArray[np.float32]:
            return generator.normal(0.0, scale, shape).astype(np.float32)

        # Round up, so that grammars of similar sizes share compiled functions.
        rules = round_up(len(self.grammar.rules) + 1, 64, 2)
        tags = self.vocabulary.size("tag") + 1
        heads = {
            "rule.head": start(rules, tags),
            "rule.other": start(rules, tags),
            "rule.distance": start(rules, 2 * len(chart.DISTANCES) + 3),
            "rule.words": start(chart.BUCKETS),
        }
        return {
            **weights,
            "transition": start(outputs, outputs),
            "rule": start(rules),
            **{f"rule.{place}": start(rules, tags) for place in chart.PLACES},
            **(heads if o.heads else {}),
            "leaf": np.ones((), np.float32),
        }

    def encode(self, sentences: Sequence[Sentence[Derivation]]) -> Encoded:
        place = {self.grammar.categories[c]: i for i, c in enumerate(self.grammar.lexical)}
        return Encoded(
            self.vocabulary.encode(sentences),
            [np.array([place.get(x, -1) for x in s.tree.tags], np.int32) for s in sentences],
        )

    def encode_words(self, sentences: Sequence[Sentence[Any]]) -> Encoded:
        return Encoded(
            self.vocabulary.encode(sentences), [np.zeros(s.size, np.int32) for s in sentences]
        )

    def fit_shape(
        self, encoded: Encoded, batches: Sequence[Sequence[int]], sentences: int, *, scoring: bool
    ) -> tuple[int, Mapping[int, tuple[int, ...]]]:
        """Return the size of a batch, and the largest forest of each padded length."""
        sizes: dict[int, tuple[int, ...]] = {}
        for n, gold_forest in zip(encoded.lengths, encoded.forests, strict=False):
            length = padded_length(n)
            largest = sizes.get(length, (1, 1, 1, 1))
            size_of_forest = largest if gold_forest is None else gold_forest.size
            sizes[length] = tuple(map(max, largest, size_of_forest))
        rounded = {
            length: tuple(
                round_up(size, least, 2) for size, least in zip(largest, _LEAST_ROOM, strict=True)
            )
            for length, largest in sizes.items()
        }
        return sentences, rounded

    def batch(
        self,
        encoded: Encoded,
        members: Sequence[int],
        shape: tuple[int, Mapping[int, tuple[int, ...]]] | None = None,
    ) -> DerivedBatch:
        lengths = [encoded.codes[i].shape[1] for i in members]
        length = padded_length(max(lengths))
        size = len(members) if shape is None else room(length, shape[0])
        codes = pad_rows([encoded.codes[i] for i in members], (size, length), axis=1)
        categories = pad_rows([encoded.categories[i] for i in members], (size, length))
        forests = None
        if encoded.forests:
            gold_forests = [encoded.forests[i] for i in members]
            room_of = None if shape is None else shape[1].get(length)
            forests = chart.stack_forests(gold_forests, self.grammar.lexical, size, room_of)
        return DerivedBatch(codes, row_lengths(lengths, size), categories, forests)

    def chain(
        self, parameters: Parameters, batch: DerivedBatch, dropout: Dropout | None = None
    ) -> LinearChain:
        lengths = jnp.asarray(batch.lengths)
        score = word_scores(parameters, CODES, jnp.asarray(batch.codes), lengths, dropout)
        return linear_chain(score, parameters["transition"], lengths)

    def forest(
        self, parameters: Parameters, batch: DerivedBatch, forests: chart.Forests, leaves: jax.Array
    ) -> Hypergraphs:
        outside = chart.outside_tag(parameters)
        tags = jnp.asarray(batch.codes[CODES.index("tag")])
        tags = chart.padded_codes(tags, jnp.asarray(batch.lengths), outside)
        weight = chart.edge_weights(
            parameters,
            tags,
            jnp.asarray(forests.rules),
            jnp.asarray(forests.categories),
            jnp.asarray(forests.spans),
            leaves,
        )
        if self.options.heads:
            forms = jnp.asarray(batch.codes[CODES.index("word")])
            forms = chart.padded_codes(forms, jnp.asarray(batch.lengths), self.outside_word)
            rules, words = jnp.asarray(forests.rules), jnp.asarray(forests.words)
            weight += chart.head_weights(parameters, tags, forms, rules, words)
        return forests.graph.with_log_weights(HyperedgeParts(weight))

    @property
    def outside_word(self) -> int:
        return self.vocabulary.size("word")

    def log_likelihoods(
        self, parameters: Parameters, batch: DerivedBatch, dropout: Dropout | None = None
    ) -> jax.Array:
        """Return ``[sentences]`` log p(categories | words)."""
        return self._supertags(batch, self.chain(parameters, batch, dropout))

    def _supertags(self, batch: DerivedBatch, chain: LinearChain) -> jax.Array:
        categories = jnp.maximum(jnp.asarray(batch.categories), 0)
        return Distribution(chain).log_prob(categories)

    def units(self, batch: DerivedBatch) -> jax.Array:
        return jnp.sum(jnp.asarray(batch.lengths))

    def loss(
        self,
        parameters: Parameters,
        constants: Parameters,
        batch: DerivedBatch,
        key: jax.Array,
        options: CcgTrainOptions,
    ) -> tuple[jax.Array, Sums]:
        chain = self.chain(parameters, batch, Dropout(key, options.dropout, options.unknown))
        total = jnp.sum(self._supertags(batch, chain))
        words = jnp.maximum(1, self.units(batch))
        loss = -total / words
        if batch.forests is not None:
            leaves = jax.lax.stop_gradient(log_marginals(chain))
            forests = batch.forests
            graph = self.forest(parameters, batch, forests, leaves)
            gold = jnp.sum(jnp.where(jnp.asarray(forests.gold), graph.weights.edge, 0.0), 1)
            has_forest = jnp.asarray(forests.graph.lengths) > 0
            each = jnp.where(has_forest, gold - Distribution(graph).log_partition(), 0.0)
            loss -= jnp.sum(each) / words
            squares = [jnp.sum(w**2) for name, w in parameters.items() if name.startswith("rule")]
            sentences = jnp.sum(has_forest)
            loss += 0.5 * options.l2 * sum(squares[1:], squares[0]) * sentences / words
        return loss, Sums.of(total, words)

    def to_data(self) -> dict[str, Any]:
        return msgspec.to_builtins(_Data(self.vocabulary, self.grammar))

    @classmethod
    def from_data(cls, data: Any, options: CcgOptions) -> CcgModel:
        decoded = msgspec.convert(data, _Data)
        decoded.grammar.check()
        return cls(options, decoded.vocabulary, decoded.grammar)

    @property
    def description(self) -> str:
        return (
            "A parser of Combinatory Categorial Grammar: gated convolutions over words and tags "
            "with a linear chain over their categories, and packed charts of the rules of the "
            "treebank with a log-linear model of these (Clark and Curran 2007)."
        )


def _training_forest(
    model: CcgModel, lexicon: Lexicon, s: Sentence[Derivation], right: Sequence[int]
) -> chart.GoldForest | None:
    grammar, headed = model.grammar, model.options.heads
    for ratio in _RATIOS:
        candidates = lexicon.candidates(s, right, ratio, _MOST_CATEGORIES)
        forest = chart.build(grammar, candidates, 6 * _MOST_EDGES, headed=headed).forest
        if forest is not None and len(forest.heads) <= _MOST_EDGES:
            gold = chart.gold_edges(grammar, forest, s.tree)
            return None if gold is None else chart.GoldForest.of(forest, gold)
    return None


def log_marginals(chain: LinearChain) -> jax.Array:
    """Return the log probability of each state at each position, ``[batch, length, states]``."""
    marginals = position_marginals(chain)
    return jnp.log(jnp.maximum(marginals, _LEAST))


def position_marginals(chain: LinearChain) -> jax.Array:
    """Return the probability of each state at each position, ``[batch, length, states]``."""
    emission, transition = chain.log_weights

    def total(emission: jax.Array) -> jax.Array:
        weighed = chain.with_log_weights(ChainParts(emission, transition))
        return jnp.sum(Distribution(weighed).log_partition())

    return jax.grad(total)(emission)


_LEAST = 1e-8


Probabilities = npt.NDArray[np.float32]


@partial(jit, static=1)
def _marginals(model: CcgModel, parameters: Parameters, batch: DerivedBatch) -> jax.Array:

    return position_marginals(model.chain(parameters, batch))


def probabilities(
    model: CcgModel,
    parameters: Weights,
    batches: Batches[Encoded, DerivedBatch],
    account: Shapes | None = None,
) -> list[Probabilities]:
    """Return the probabilities of lexical categories, ``[n, lexical]`` for each sentence."""
    probabilities_of_all: list[Probabilities] = [np.zeros((0, 0), np.float32)] * len(batches)
    batch_answers = answers(model, parameters, batches, "supertags", _marginals, account)
    for members, batch, rows in batch_answers:
        for row, i in enumerate(members):
            probabilities_of_all[i] = rows[row, : batch.lengths[row]]
    return probabilities_of_all


def multitags(model: CcgModel, probability: Probabilities, ratio: float) -> list[list[int]]:
    """Return the categories of each word with ``ratio`` times the best probability or more."""
    lexical = np.asarray(model.grammar.lexical)
    likely = probability >= ratio * probability.max(1, keepdims=True)
    return [lexical[row].tolist() for row in likely]


def figures(
    model: CcgModel,
    parameters: Weights,
    examples: Sequence[Sentence[Derivation]],
    batches: Batches[Encoded, DerivedBatch],
    shapes: Shapes | None = None,
) -> dict[str, Any]:
    """Return the supertagging accuracy."""
    right = words = 0
    for s, rows in zip(examples, probabilities(model, parameters, batches, shapes), strict=True):
        names = [model.grammar.categories[model.grammar.lexical[i]] for i in rows.argmax(1)]
        right += sum(a == b for a, b in zip(names, s.tree.tags, strict=True))
        words += len(names)
    return {"category_accuracy": right / words, "unscorable": 0}
