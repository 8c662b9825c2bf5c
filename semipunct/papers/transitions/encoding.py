"""Vocabulary, encoded sentences and batches of the beam parser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import jax
import numpy as np
import numpy.typing as npt

from semipunct.arrays.padding import round_up
from semipunct.models.vocabulary import frequent
from semipunct.papers.transitions.features import BEYOND
from semipunct.papers.transitions.search import Derivation, oracle
from semipunct.papers.transitions.tokens import Tokens

Ints = npt.NDArray[np.int32]

NONE, END, UNKNOWN = range(3)
"""Numbers for no word, for the end of the sentence, and for unknown words and tags."""

KNOWN = 3


@dataclass(frozen=True)
class Vocabulary:
    """Numbers of words, tags and labels.

    Attributes:
        words: the words, except rare ones.
        tags: all tags.
        labels: the labels of arcs; a single one if arcs have no labels.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    labels: tuple[str, ...]

    @classmethod
    def of(
        cls, sentences: Sequence[Tokens], minimum_word_count: int, *, labelled: bool
    ) -> Vocabulary:
        """Collect the vocabulary of training sentences.

        Args:
            sentences: the treebank.
            minimum_word_count: rarer words are left out.
            labelled: whether arcs have labels.
        """
        labels = {
            label
            for s in sentences
            if labelled and s.tree
            for label, head in zip(s.tree.relations, s.tree.heads, strict=True)
            if head
        }
        return cls(
            frequent((form for s in sentences for form in s.forms), minimum_word_count),
            frequent((tag for s in sentences for tag in s.tags), 1),
            tuple(sorted(labels)) or ("_",),
        )

    @cached_property
    def word_numbers(self) -> dict[str, int]:
        """The number of each word."""
        return {word: i for i, word in enumerate(self.words, start=KNOWN)}

    @cached_property
    def tag_numbers(self) -> dict[str, int]:
        """The number of each tag."""
        return {tag: i for i, tag in enumerate(self.tags, start=KNOWN)}

    @cached_property
    def label_numbers(self) -> dict[str, int]:
        """The number of each label, from 0."""
        return {label: i for i, label in enumerate(self.labels)}


class EncodedSentence(NamedTuple):
    """A sentence of n words.

    Attributes:
        codes: ``[3, n]`` numbers of words, numbers of tags, and properties.
        gold: the derivation of its tree.
        labels: ``[2n - 1]`` label numbers of arcs, 0 for shifts and for unknown labels.
    """

    codes: Ints
    gold: Derivation
    labels: Ints


@dataclass(frozen=True)
class Encoded:
    """Encoded sentences.

    Attributes:
        sentences: the arrays of each sentence.
        tokens: the tokens that the sentences were encoded from.
    """

    sentences: Sequence[EncodedSentence]
    tokens: Sequence[Tokens]

    @property
    def lengths(self) -> list[int]:
        """The number of words in each sentence."""
        return self._lengths

    @cached_property
    def _lengths(self) -> list[int]:
        return [len(s.forms) for s in self.tokens]


class Batch(NamedTuple):
    """A padded batch.

    Attributes:
        lengths: ``[batch]`` number of words in each sentence, 0 for padding.
        codes: ``[3, batch, words + 1 + BEYOND]`` by position, see ``features.Codes``.
        actions: ``[batch, 2 words - 1]`` actions of the gold derivations.
        labels: ``[batch, 2 words - 1]`` labels of their arcs.
    """

    lengths: jax.Array | Ints
    codes: jax.Array | Ints
    actions: jax.Array | Ints
    labels: jax.Array | Ints


def encode_sentences(sentences: Sequence[Tokens], vocabulary: Vocabulary) -> Encoded:
    """Encode sentences.

    Args:
        sentences: sentences to parse or to train on.
        vocabulary: gives the numbers of words, tags and labels.
    """
    return Encoded([_encoded(s, vocabulary) for s in sentences], sentences)


def _encoded(s: Tokens, vocabulary: Vocabulary) -> EncodedSentence:
    words = [vocabulary.word_numbers.get(form, UNKNOWN) for form in s.forms]
    tags = [vocabulary.tag_numbers.get(tag, UNKNOWN) for tag in s.tags]
    codes = np.array([words, tags, s.properties], np.int32)
    if s.tree is None:
        nothing = np.zeros(0, np.int32)
        return EncodedSentence(codes, Derivation(nothing, nothing), nothing)
    gold = oracle(s.tree.heads)
    numbers = [0, *(vocabulary.label_numbers.get(name, 0) for name in s.tree.relations)]
    return EncodedSentence(codes, gold, np.array(numbers, np.int32)[gold.dependents])


def padded_length(words: int) -> int:
    """Return one of a few lengths that sentences are padded to."""
    return round_up(words, 32, 2)


def lay_out(encoded: Encoded, members: Sequence[int], size: int) -> Batch:
    """Pad sentences.

    Args:
        encoded: all sentences.
        members: the numbers of the sentences in the batch.
        size: size of the batch, including padding.
    """
    words = padded_length(max((encoded.lengths[i] for i in members), default=0))
    lengths = np.zeros(size, np.int32)
    codes = np.zeros((3, size, words + 1 + BEYOND), np.int32)
    codes[:2, :, 1:] = END
    actions, labels = (np.zeros((size, 2 * words - 1), np.int32) for _ in range(2))
    for row, i in enumerate(members):
        s = encoded.sentences[i]
        n = lengths[row] = encoded.lengths[i]
        codes[:, row, 1 : n + 1] = s.codes
        actions[row, : len(s.labels)] = s.gold.actions
        labels[row, : len(s.labels)] = s.labels
    return Batch(lengths, codes, actions, labels)
