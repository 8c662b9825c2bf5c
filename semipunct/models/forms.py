"""Words as network input: codes of frequent forms, character n-grams and word shapes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.arrays.padding import pad_rows, padded_length, room, row_lengths
from semipunct.models.layers import Floats, Weights, affine, affine_weights, embeddings
from semipunct.models.vocabulary import Codes, Vocabulary, frequent

_REMEMBERED = 2**17  # maximum number of distinct forms whose n-grams are cached


class FormVocabulary(Vocabulary, frozen=True, dict=True):
    """Vocabulary of word forms; subclasses add the values that a model predicts."""

    most: ClassVar[int] = 20
    """Maximum number of n-grams of a word; later ones are ignored."""

    word: tuple[str, ...]  # frequent lower-cased forms
    ngram: tuple[str, ...]
    shape: tuple[str, ...]

    @staticmethod
    def of_forms(
        sentences: Sequence[Sequence[str]], minimum_word_count: int, minimum_ngram_forms: int
    ) -> dict[str, tuple[str, ...]]:
        """Collect the values of the forms of training sentences, by attribute."""
        words = Counter(form.lower() for forms in sentences for form in forms)
        distinct = {form for forms in sentences for form in forms}
        pieces = (piece for form in distinct for piece in ngrams(form))
        return {
            "word": frequent(words, minimum_word_count),
            "ngram": frequent(pieces, minimum_ngram_forms),
            "shape": frequent(map(shape, distinct), minimum_ngram_forms),
        }

    def encode_forms(self, sentences: Iterable[Sequence[str]]) -> EncodedForms:
        encoded = EncodedForms([], [], [])
        for forms in sentences:
            encoded.words.append(self.codes("word", (form.lower() for form in forms)))
            encoded.ngrams.append(self.ngrams(forms))
            encoded.shapes.append(self.codes("shape", map(shape, forms)))
        return encoded

    def ngrams(self, forms: Iterable[str]) -> Codes:
        """Return the codes of the n-grams of words, ``[words, most]``, padded with 0."""
        return np.array([self._ngrams(form) for form in forms], np.int32).reshape(-1, self.most)

    @cached_property
    def _ngrams(self) -> Callable[[str], tuple[int, ...]]:
        table, most = self._code["ngram"], self.most

        @lru_cache(_REMEMBERED)
        def codes(form: str) -> tuple[int, ...]:
            codes_of_pieces = [code for piece in ngrams(form) if (code := table.get(piece))][:most]
            return (*codes_of_pieces, *[0] * (most - len(codes_of_pieces)))

        return codes


class FormInputs(NamedTuple):
    """The forms of a padded batch of sentences; code 0 is unknown or padding."""

    words: Any  # [batch, length]
    ngrams: Any  # [batch, length, most]
    shapes: Any  # [batch, length]
    lengths: Any  # [batch]


@dataclass(frozen=True, slots=True)
class EncodedForms:
    """The encoded forms of sentences, one array per sentence."""

    words: list[Codes]  # [words]
    ngrams: list[Codes]  # [words, most]
    shapes: list[Codes]  # [words]

    @property
    def lengths(self) -> list[int]:
        return [len(words) for words in self.words]

    def lay_out(self, members: Sequence[int], shape: int | None = None) -> FormInputs:
        """Pad sentences to one of a few lengths.

        Args:
            shape: batch size, as in ``arrays.padding.bucketed_batches``; None for no padding
                sentences.
        """
        lengths = [len(self.words[i]) for i in members]
        length = padded_length(max(lengths))
        size = len(members) if shape is None else max(room(length, shape), len(members))
        return self.pad(members, (size, length))

    def pad(self, members: Sequence[int], shape: tuple[int, int]) -> FormInputs:
        """Pad sentences to ``shape``, batch size and length."""
        words, ngrams, shapes = (
            pad_rows([rows[i] for i in members], shape)
            for rows in (self.words, self.ngrams, self.shapes)
        )
        lengths = [len(self.words[i]) for i in members]
        return FormInputs(words, ngrams, shapes, row_lengths(lengths, shape[0]))


def form_weights(
    generator: np.random.Generator, vocabulary: FormVocabulary, word: int, ngram: int, hidden: int
) -> dict[str, Mapping[str, Floats]]:
    """Draw the initial weights of ``embed_forms``."""
    return {
        "embed": {
            "word": embeddings(generator, vocabulary.size("word"), word),
            "ngram": embeddings(generator, vocabulary.size("ngram"), ngram),
            "shape": embeddings(generator, vocabulary.size("shape"), hidden),
        },
        "input": affine_weights(generator, word + ngram, hidden),
    }


def embed_forms(
    weights: Weights,
    inputs: FormInputs,
    drop: Callable[[jax.Array], jax.Array],
    unknown: tuple[jax.Array, float] | None,
) -> jax.Array:
    """Embed words, ``[batch, length, hidden]``.

    Args:
        drop: dropout of the embeddings.
        unknown: PRNG key and the fraction of unknown forms in training.
    """
    words, ngrams = jnp.asarray(inputs.words), jnp.asarray(inputs.ngrams)
    if unknown is not None:
        words = jnp.where(jax.random.bernoulli(*unknown, words.shape), 0, words)
    # The variance of the sum over n-grams does not depend on their number.
    some = (ngrams > 0)[..., None]
    pieces = jnp.sum(jnp.where(some, weights["embed.ngram"][ngrams], 0.0), 2)
    pieces = pieces * jax.lax.rsqrt(jnp.maximum(jnp.sum(some, 2), 1).astype(pieces.dtype))
    read = jnp.concatenate([weights["embed.word"][words], pieces], -1)
    return affine(weights, "input", drop(read)) + weights["embed.shape"][jnp.asarray(inputs.shapes)]


_AFFIXES = (1, 2, 3, 4)
_PIECES = (3, 2, 1)
_SHAPE = 8  # the maximum length of a shape

_RUN = {"0": 4}  # maximum length of a run of one character class in a shape; 2 for other classes

_LONGEST = 64  # number of leading characters from which inner n-grams and shapes are taken


def ngrams(form: str) -> list[str]:
    """Return the distinct n-grams of a lower-cased word, affixes first, prefixed by kind."""
    return list(dict.fromkeys(_ngrams(form.lower())))


def _ngrams(form: str) -> Iterator[str]:
    # An affix longer than the word includes an edge marker.
    for size in _AFFIXES:
        yield "p" + f"{form[:size]}>"[:size]
        yield "f" + f"<{form[-size:]}"[-size:]
    marked = f"<{form[:_LONGEST]}>"
    for size in _PIECES:
        for start in range(len(marked) - size + 1):
            yield str(size) + marked[start : start + size]


def shape(form: str) -> str:
    """Return the character classes of a word, with runs shortened, truncated to 8."""
    shape_of_form = ""
    for char in form[:_LONGEST]:
        kind = _kind(char)
        if not shape_of_form.endswith(kind * _RUN.get(kind, 2)):
            shape_of_form += kind
    return shape_of_form[:_SHAPE]


def _kind(char: str) -> str:
    if char.isupper():
        return "A"
    if char.islower():
        return "a"
    return "0" if char.isdigit() else "x" if char.isalpha() else "-"
