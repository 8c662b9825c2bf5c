"""Words as networks read them: codes of frequent forms, of character n-grams, and of shapes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.arrays.padding import padded, padded_length, room, row_lengths
from semipunct.features.characters import ngrams, shape
from semipunct.models.layers import Floats, Weights, affine, affine_weights, embeddings
from semipunct.models.vocabulary import Codes, Vocabulary, frequent

_REMEMBERED = 2**17
"""Forms whose n-grams are looked up once."""


class FormVocabulary(Vocabulary, frozen=True, dict=True):
    """Values of word forms that have codes; a subclass adds what a model predicts.

    Attributes:
        word: frequent forms in lower case.
        ngram: character n-grams that several forms share.
        shape: shapes of words that several forms share.
    """

    most: ClassVar[int] = 20
    """N-grams of a word that count: those that come first."""

    word: tuple[str, ...]
    ngram: tuple[str, ...]
    shape: tuple[str, ...]

    @staticmethod
    def of_forms(
        sentences: Sequence[Sequence[str]], minimum_word_count: int, minimum_ngram_forms: int
    ) -> dict[str, tuple[str, ...]]:
        """Collect the values of the forms of training sentences, by attribute.

        Args:
            sentences: the forms of each.
            minimum_word_count: rarer forms have no code of their own.
            minimum_ngram_forms: n-grams and shapes of fewer different forms have none.
        """
        words = Counter(form.lower() for forms in sentences for form in forms)
        distinct = {form for forms in sentences for form in forms}
        pieces = (piece for form in distinct for piece in ngrams(form))
        return {
            "word": frequent(words, minimum_word_count),
            "ngram": frequent(pieces, minimum_ngram_forms),
            "shape": frequent(map(shape, distinct), minimum_ngram_forms),
        }

    def encode_forms(self, sentences: Iterable[Sequence[str]]) -> EncodedForms:
        """Encode the forms of sentences."""
        found = EncodedForms([], [], [])
        for forms in sentences:
            found.words.append(self.codes("word", (form.lower() for form in forms)))
            found.ngrams.append(self.ngrams(forms))
            found.shapes.append(self.codes("shape", map(shape, forms)))
        return found

    def ngrams(self, forms: Iterable[str]) -> Codes:
        """Return the codes of the n-grams of words, ``[words, most]``, and 0 where there is none.

        Args:
            forms: of words.
        """
        return np.array([self._ngrams(form) for form in forms], np.int32).reshape(-1, self.most)

    @cached_property
    def _ngrams(self) -> Callable[[str], tuple[int, ...]]:
        table, most = self._code["ngram"], self.most

        @lru_cache(_REMEMBERED)
        def codes(form: str) -> tuple[int, ...]:
            known = [code for piece in ngrams(form) if (code := table.get(piece))][:most]
            return (*known, *[0] * (most - len(known)))

        return codes


class FormInputs(NamedTuple):
    """The forms of a padded batch of sentences.

    Attributes:
        words: ``[batch, length]`` codes of forms; 0 is the unknown one.
        ngrams: ``[batch, length, most]`` codes of character n-grams; 0 is padding.
        shapes: ``[batch, length]`` codes of shapes.
        lengths: ``[batch]`` words of each.
    """

    words: Any
    ngrams: Any
    shapes: Any
    lengths: Any


@dataclass(frozen=True, slots=True)
class EncodedForms:
    """The forms of sentences, encoded.

    Attributes:
        words: ``[words]`` codes of the forms of each sentence.
        ngrams: ``[words, most]`` codes of their character n-grams.
        shapes: ``[words]`` codes of their shapes.
    """

    words: list[Codes]
    ngrams: list[Codes]
    shapes: list[Codes]

    @property
    def lengths(self) -> list[int]:
        """Words of each sentence."""
        return [len(words) for words in self.words]

    def lay_out(self, members: Sequence[int], shape: int | None = None) -> FormInputs:
        """Pad some sentences to one of few lengths.

        Args:
            members: their numbers.
            shape: the size of a batch, as of ``arrays.padding.bucketed``; None for no sentence
                that is padding.
        """
        lengths = [len(self.words[i]) for i in members]
        length = padded_length(max(lengths))
        size = len(members) if shape is None else max(room(length, shape), len(members))
        words, ngrams, shapes = (
            padded([rows[i] for i in members], (size, length))
            for rows in (self.words, self.ngrams, self.shapes)
        )
        return FormInputs(words, ngrams, shapes, row_lengths(lengths, size))


def form_weights(
    generator: np.random.Generator,
    vocabulary: FormVocabulary,
    word: int,
    ngram: int,
    hidden: int,
) -> dict[str, Mapping[str, Floats]]:
    """Draw the initial weights of ``embedded``, by layer and name.

    Args:
        generator: the source of chance.
        vocabulary: how many codes there are.
        word: size of the embedding of a form.
        ngram: size of that of a character n-gram.
        hidden: size of the state of a word.
    """
    return {
        "embed": {
            "word": embeddings(generator, vocabulary.size("word"), word),
            "ngram": embeddings(generator, vocabulary.size("ngram"), ngram),
            "shape": embeddings(generator, vocabulary.size("shape"), hidden),
        },
        "input": affine_weights(generator, word + ngram, hidden),
    }


def embedded(
    weights: Weights,
    inputs: FormInputs,
    drop: Callable[[jax.Array], jax.Array],
    unknown: tuple[jax.Array, float] | None,
) -> jax.Array:
    """Return the states of words before the first layer, ``[batch, length, hidden]``.

    Args:
        weights: with those of ``form_weights``.
        inputs: the words.
        drop: applied to the embeddings.
        unknown: only while training, the source of chance and the share of forms that are taken for
            unknown ones.
    """
    words, ngrams = jnp.asarray(inputs.words), jnp.asarray(inputs.ngrams)
    if unknown is not None:
        words = jnp.where(jax.random.bernoulli(*unknown, words.shape), 0, words)
    # A sum over n-grams has the same variance however many there are.
    some = (ngrams > 0)[..., None]
    pieces = jnp.sum(jnp.where(some, weights["embed.ngram"][ngrams], 0.0), 2)
    pieces = pieces * jax.lax.rsqrt(jnp.maximum(jnp.sum(some, 2), 1).astype(pieces.dtype))
    read = jnp.concatenate([weights["embed.word"][words], pieces], -1)
    return affine(weights, "input", drop(read)) + weights["embed.shape"][jnp.asarray(inputs.shapes)]
