"""The truecaser as a model that is trained, saved and loaded as any other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import msgspec
import numpy as np
import numpy.typing as npt

from semipunct.arrays.padding import round_up
from semipunct.corpus.sentences import Sentence, Words
from semipunct.models.base import Array, Model, Parameters, Sums
from semipunct.models.casing.options import TruecaserOptions, TruecaserTrainOptions
from semipunct.models.casing.shapes import (
    LOWER,
    MIXED,
    SHAPES,
    mixed_forms,
    possible,
    shape_of,
)
from semipunct.models.convolutions import convolution_weights, convolved
from semipunct.structures.chain import LinearChain, linear_chain
from semipunct.structures.distribution import Distribution

if TYPE_CHECKING:
    import optax  # pyright: ignore[reportMissingTypeStubs]

CODES = ("word", "suffix", "before", "after")
"""The properties of a word, in the order of its codes: itself and its end, in lower case; the
marks of the slots beside it, at the edges of the sentence told from others."""

_EDGE = "^"  # stands in a slot at an edge of the sentence
_SUFFIX = 3


class TruecaserVocabulary(msgspec.Struct, frozen=True):
    """The values that are known: value i of a property has code i + 1, others have 0.

    ``mixed`` has the words that are neither lower nor upper case nor begin with a capital alone,
    by their lower case.
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
            sentences: with capitals.
            minimum: the count that a value must reach.
        """
        counts = {name: Counter[str]() for name in CODES}
        for s in sentences:
            for name, values in _values(s.forms, s.slots).items():
                counts[name].update(values)
        word, suffix, before, after = (
            tuple(sorted(v for v, n in counts[name].items() if n >= minimum)) for name in CODES
        )
        mixed = mixed_forms(form for s in sentences for form in s.forms)
        return cls(word, suffix, before, after, mixed)

    @property
    def sizes(self) -> dict[str, int]:
        """Codes of each of ``CODES``, the unknown one included."""
        return {name: len(getattr(self, name)) + 1 for name in CODES}


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
        possible: ``[batch, length, SHAPES]`` which shapes a word can have; all in the padding.
        lengths: ``[batch]`` words.
    """

    codes: npt.NDArray[np.int32]
    shapes: npt.NDArray[np.int32]
    possible: npt.NDArray[np.bool_]
    lengths: npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Encoded:
    """Sentences encoded for the truecaser.

    Attributes:
        codes: ``[CODES, words]`` of each.
        shapes: ``[words]``.
        possible: ``[words, SHAPES]``.
    """

    codes: Sequence[npt.NDArray[np.int32]]
    shapes: Sequence[npt.NDArray[np.int32]]
    possible: Sequence[npt.NDArray[np.bool_]]

    @property
    def lengths(self) -> list[int]:
        """Words of each sentence."""
        return [len(shapes) for shapes in self.shapes]


@dataclass(frozen=True, eq=False, repr=False)
class Truecaser(Model[Encoded, WordsBatch, Sentence | Words]):
    """A chain over words, scored by gated convolutions.

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
            seed: of the draws.
            scale: standard deviation of the transitions, which start at zero without it.
        """
        generator = np.random.default_rng(seed)
        sizes = self.vocabulary.sizes
        o = self.options
        found = convolution_weights(sizes, o.size, o.layers, SHAPES, generator)
        transition = generator.normal(0.0, scale, (SHAPES, SHAPES)).astype(np.float32)
        return {**found, "transition": transition}

    def encode(self, sentences: Sequence[Sentence | Words]) -> Encoded:
        v = self.vocabulary
        code = {name: {x: i for i, x in enumerate(getattr(v, name), 1)} for name in CODES}
        codes, shapes, allowed = [], [], []
        for s in sentences:
            values = _values(s.forms, s.slots)
            codes.append(
                np.array([[code[n].get(x, 0) for x in values[n]] for n in CODES], np.int32)
            )
            allowed.append(np.array([possible(form.lower(), v.mixed) for form in s.forms]))
            shapes.append(np.array([self._shape(form) for form in s.forms], np.int32))
        return Encoded(codes, shapes, allowed)

    def _shape(self, form: str) -> int:
        """Return the shape that a word is learnt to have."""
        low, shape = form.lower(), shape_of(form)
        if shape == MIXED and low not in self.vocabulary.mixed:
            shape = LOWER  # nobody could know
        return shape if possible(low, self.vocabulary.mixed)[shape] else LOWER

    def fit_shape(
        self, encoded: Encoded, drafts: Sequence[Sequence[int]], sentences: int, *, scoring: bool
    ) -> int:
        """Return the number of sentences: lengths are padded batch by batch, to few sizes.

        Args:
            encoded: all sentences.
            drafts: typical batches.
            sentences: the most sentences of a batch.
            scoring: makes no difference.
        """
        return sentences

    def lay_out(
        self, encoded: Encoded, draft: Sequence[int], shape: int | None = None
    ) -> WordsBatch:
        size = shape or len(draft)
        lengths = np.zeros(size, np.int32)
        lengths[: len(draft)] = [len(encoded.shapes[i]) for i in draft]
        length = round_up(int(lengths.max()), 32, 1)
        codes = np.zeros((len(CODES), size, length), np.int32)
        shapes = np.zeros((size, length), np.int32)
        allowed = np.ones((size, length, SHAPES), bool)
        for row, i in enumerate(draft):
            codes[:, row, : lengths[row]] = encoded.codes[i]
            shapes[row, : lengths[row]] = encoded.shapes[i]
            allowed[row, : lengths[row]] = encoded.possible[i]
        return WordsBatch(codes, shapes, allowed, lengths)

    def chain(
        self,
        parameters: Parameters,
        batch: WordsBatch,
        dropout: tuple[jax.Array, TruecaserTrainOptions] | None = None,
    ) -> LinearChain:
        """Return the chains over shapes.

        Args:
            parameters: weights by name.
            batch: from ``lay_out``.
            dropout: only while training: the source of chance, and shares.
        """
        codes, lengths = jnp.asarray(batch.codes), jnp.asarray(batch.lengths)
        drop = None
        if dropout is not None:
            key, options = dropout
            drop = jax.random.fold_in(key, 0), options.dropout
            hidden = jax.random.bernoulli(
                jax.random.fold_in(key, 1), options.unknown, codes.shape[1:]
            )
            word = CODES.index("word")
            codes = codes.at[word].set(jnp.where(hidden, 0, codes[word]))
        inside = jnp.arange(codes.shape[2]) < lengths[:, None]
        score = convolved(parameters, CODES, codes, inside, drop)
        score = jnp.where(jnp.asarray(batch.possible), score, -jnp.inf)
        return linear_chain(score, parameters["transition"], lengths)

    def log_likelihoods(
        self,
        parameters: Parameters,
        batch: WordsBatch,
        dropout: tuple[jax.Array, TruecaserTrainOptions] | None = None,
    ) -> jax.Array:
        """Return ``[sentences]`` log p(shapes | words in lower case, marks).

        Args:
            parameters: weights by name.
            batch: from ``lay_out``.
            dropout: only while training.
        """
        chain = self.chain(parameters, batch, dropout)
        emission, transition = chain.log_weights
        shapes = jnp.asarray(batch.shapes)
        inside = jnp.arange(shapes.shape[1]) < chain.lengths[:, None]
        chosen = jnp.take_along_axis(emission, shapes[..., None], 2)[..., 0]
        steps = transition[0, 0][shapes[:, :-1], shapes[:, 1:]]
        gold = jnp.sum(jnp.where(inside, chosen, 0.0), 1)
        gold += jnp.sum(jnp.where(inside[:, 1:], steps, 0.0), 1)
        return gold - Distribution(chain).log_partition()

    def loss(
        self,
        parameters: Parameters,
        constants: Parameters,
        batch: WordsBatch,
        key: jax.Array,
        options: TruecaserTrainOptions,
    ) -> tuple[jax.Array, Sums]:
        """Return the negative log-likelihood per word, and sums; no sentence is impossible.

        Args:
            parameters: weights by name.
            constants: none are needed.
            batch: from ``lay_out``.
            key: the source of chance, for dropout.
            options: dropout.
        """
        total = jnp.sum(self.log_likelihoods(parameters, batch, (key, options)))
        words = jnp.maximum(1, jnp.sum(jnp.asarray(batch.lengths)))
        return -total / words, Sums(total, words, jnp.zeros((), jnp.int32))

    def optimiser(
        self, options: TruecaserTrainOptions, steps: int, slots: float
    ) -> optax.GradientTransformation:
        """Return AdamW with clipped gradients.

        Args:
            options: rate, schedule and decay.
            steps: updates in all.
            slots: ignored: no penalty is per sentence.
        """
        from semipunct.models.optimisation import clipped_adamw

        return clipped_adamw(options, steps)

    def to_data(self) -> dict[str, Any]:
        return msgspec.to_builtins(self.vocabulary)

    @classmethod
    def from_data(cls, data: Any, options: TruecaserOptions) -> Truecaser:
        found = msgspec.convert(data, TruecaserVocabulary)
        if any(form.lower() != low for low, form in found.mixed.items()):
            raise ValueError("words of mixed case under other words")
        return cls(options, found)

    @property
    def description(self) -> str:
        return (
            "Gated convolutions over words and the marks beside them with a linear chain over the "
            "shapes of words: lower case, a capital first, all capitals, or as a table has it."
        )
