"""The truecaser as a model that is trained, saved and loaded like any other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import msgspec
import numpy as np
import numpy.typing as npt

from semipunct.arrays.padding import pad_rows, round_up, row_lengths
from semipunct.corpus.sentences import Sentence, Words
from semipunct.features.word_shapes import (
    LOWER,
    MIXED,
    SHAPES,
    mixed_forms,
    possible,
    shape_of,
)
from semipunct.models.base import Array, Parameters
from semipunct.models.casing.options import TruecaserOptions, TruecaserTrainOptions
from semipunct.models.convolutions import convolution_weights, word_scores
from semipunct.models.layers import Dropout
from semipunct.models.network import Network
from semipunct.models.vocabulary import Vocabulary, frequent_by_kind
from semipunct.structures.chain import LinearChain, linear_chain
from semipunct.structures.distribution import Distribution

CODES = ("word", "suffix", "before", "after")
"""The properties of a word, in the order of its codes: its form and suffix, in lower case; the
marks in the slots on its left and right, where the edges of the sentence are distinguished."""

_EDGE = "^"  # marks a slot at an edge of the sentence
_SUFFIX = 3


class TruecaserVocabulary(Vocabulary, frozen=True, dict=True):
    """The known values of the properties of ``CODES``.

    ``mixed`` holds, by their lower case, the words that are neither in lower nor in upper case and
    do not just begin with a capital.
    """

    word: tuple[str, ...]
    suffix: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    mixed: dict[str, str]

    @classmethod
    def of(cls, sentences: Sequence[Sentence | Words], minimum: int) -> TruecaserVocabulary:
        """Collect the values in training sentences.

        Args:
            sentences: training sentences, with capitals.
            minimum: the minimum count of a value.
        """
        values = (_values(s.forms, s.slots) for s in sentences)
        mixed = mixed_forms(form for s in sentences for form in s.forms)
        return cls(**frequent_by_kind(values, CODES, minimum), mixed=mixed)


def _values(forms: Sequence[str], slots: Sequence[Sequence[str]]) -> dict[str, list[str]]:
    joined = [" ".join(slot) for slot in slots]
    joined[0], joined[-1] = f"{_EDGE} {joined[0]}", f"{joined[-1]} {_EDGE}"
    lower = [form.lower() for form in forms]
    return {
        "word": lower,
        "suffix": [form[-_SUFFIX:] for form in lower],
        "before": joined[:-1],
        "after": joined[1:],
    }


class WordsBatch(NamedTuple):
    """Padded sentences.

    Attributes:
        codes: ``[CODES, batch, length]``.
        shapes: ``[batch, length]``.
        possible: ``[batch, length, SHAPES]``, the shapes that each word can have; all in the
            padding.
        lengths: ``[batch]``, numbers of words.
    """

    codes: npt.NDArray[np.int32]
    shapes: npt.NDArray[np.int32]
    possible: npt.NDArray[np.bool_]
    lengths: npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Encoded:
    """Sentences encoded for the truecaser.

    Attributes:
        codes: ``[CODES, words]`` for each sentence.
        shapes: ``[words]``.
        possible: ``[words, SHAPES]``.
    """

    codes: Sequence[npt.NDArray[np.int32]]
    shapes: Sequence[npt.NDArray[np.int32]]
    possible: Sequence[npt.NDArray[np.bool_]]

    @property
    def lengths(self) -> list[int]:
        """The number of words in each sentence."""
        return [len(shapes) for shapes in self.shapes]


@dataclass(frozen=True, eq=False, repr=False)
class Truecaser(Network[Encoded, WordsBatch, Sentence | Words]):
    """A linear chain over the shapes of words, scored by gated convolutions.

    Attributes:
        options: the settings.
        vocabulary: the known values.
    """

    kind: ClassVar[str] = "truecaser"
    scoring_limits: ClassVar[tuple[int, int]] = (64, 8192)
    usage: ClassVar[tuple[str, ...]] = ()

    options: TruecaserOptions
    vocabulary: TruecaserVocabulary

    @classmethod
    def fit(cls, sentences: Sequence[Sentence | Words], options: TruecaserOptions) -> Truecaser:
        return cls(options, TruecaserVocabulary.of(sentences, options.minimum_count))

    def initial_parameters(self, seed: int, scale: float) -> dict[str, Array]:
        """Draw the weights.

        Args:
            seed: seed of the random number generator.
            scale: standard deviation of the transitions, which start at zero if it is 0.
        """
        generator = np.random.default_rng(seed)
        sizes = self.vocabulary.sizes(CODES)
        o = self.options
        weights = convolution_weights(sizes, o.size, o.layers, SHAPES, generator)
        transition = generator.normal(0.0, scale, (SHAPES, SHAPES)).astype(np.float32)
        return {**weights, "transition": transition}

    def encode(self, sentences: Sequence[Sentence | Words]) -> Encoded:
        v = self.vocabulary
        return Encoded(
            [v.rows(_values(s.forms, s.slots), CODES) for s in sentences],
            [np.array([self._shape(form) for form in s.forms], np.int32) for s in sentences],
            [np.array([possible(form.lower(), v.mixed) for form in s.forms]) for s in sentences],
        )

    def _shape(self, form: str) -> int:
        """Return the shape that is the training target of a word."""
        low, shape = form.lower(), shape_of(form)
        if shape == MIXED and low not in self.vocabulary.mixed:
            shape = LOWER  # cannot be predicted
        return shape if possible(low, self.vocabulary.mixed)[shape] else LOWER

    def batch(
        self, encoded: Encoded, members: Sequence[int], shape: int | None = None
    ) -> WordsBatch:
        lengths = row_lengths([len(encoded.shapes[i]) for i in members], shape or len(members))
        room = len(lengths), round_up(int(lengths.max()), 32, 1)
        return WordsBatch(
            pad_rows([encoded.codes[i] for i in members], room, axis=1),
            pad_rows([encoded.shapes[i] for i in members], room),
            pad_rows([encoded.possible[i] for i in members], room, fill=True),
            lengths,
        )

    def chain(
        self, parameters: Parameters, batch: WordsBatch, dropout: Dropout | None = None
    ) -> LinearChain:
        """Return the linear chains over shapes.

        Args:
            parameters: weights by name.
            batch: from ``batch``.
            dropout: given only during training.
        """
        lengths = jnp.asarray(batch.lengths)
        score = word_scores(parameters, CODES, jnp.asarray(batch.codes), lengths, dropout)
        score = jnp.where(jnp.asarray(batch.possible), score, -jnp.inf)
        return linear_chain(score, parameters["transition"], lengths)

    def log_likelihoods(
        self, parameters: Parameters, batch: WordsBatch, dropout: Dropout | None = None
    ) -> jax.Array:
        """Return ``[sentences]`` log p(shapes | words in lower case, marks).

        Args:
            parameters: weights by name.
            batch: from ``batch``.
            dropout: given only during training.
        """
        chain = self.chain(parameters, batch, dropout)
        return chain.path_log_weight(batch.shapes) - Distribution(chain).log_partition()

    def noisy_log_likelihoods(
        self,
        parameters: Parameters,
        batch: WordsBatch,
        key: jax.Array,
        options: TruecaserTrainOptions,
    ) -> jax.Array:
        dropout = Dropout(key, options.dropout, options.unknown)
        return self.log_likelihoods(parameters, batch, dropout)

    def units(self, batch: WordsBatch) -> jax.Array:
        return jnp.sum(jnp.asarray(batch.lengths))

    def to_data(self) -> dict[str, Any]:
        return msgspec.to_builtins(self.vocabulary)

    @classmethod
    def from_data(cls, data: Any, options: TruecaserOptions) -> Truecaser:
        vocabulary = msgspec.convert(data, TruecaserVocabulary)
        if any(form.lower() != low for low, form in vocabulary.mixed.items()):
            raise ValueError("a word of mixed case is listed for a different word")
        return cls(options, vocabulary)

    @property
    def description(self) -> str:
        return (
            "Gated convolutions over words and the marks beside them with a linear chain over the "
            "shapes of words: lower case, a capital first, all capitals, or as a table has it."
        )
