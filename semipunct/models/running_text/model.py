"""The text model, trained on text alone, without trees (docs/decisions/running-text.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import msgspec
import numpy as np
import numpy.typing as npt

from semipunct.arrays.padding import pad_rows, round_up, row_lengths
from semipunct.arrays.programs import jit
from semipunct.corpus.learners import english_learner_errors
from semipunct.corpus.word_streams import END, TextPassage, WordStream, is_final, marks_of
from semipunct.features.strings import SlotStrings, Spelling, alphabet
from semipunct.features.word_shapes import (
    LOWER,
    SHAPES,
    apply_shape,
    mixed_forms,
    possible,
    shape_of,
)
from semipunct.marks import Puncteme
from semipunct.models.base import Array, Parameters, Sums
from semipunct.models.contents import in_eight_bits
from semipunct.models.layers import Dropout, Undrawn, at_codes, slots_inside, sum_inside
from semipunct.models.network import AveragedNetwork
from semipunct.models.running_text.errors import Rates, error_rates
from semipunct.models.running_text.guises import Guise, drawn_guise, hidden_guise
from semipunct.models.running_text.network import Inputs, Scores, network_weights, scores
from semipunct.models.running_text.options import TextOptions, TextTrainOptions
from semipunct.models.running_text.words import Codes, TextBatch, codes_of, counts_of

_MINIMUM = 3  # minimum count of words with embeddings, and of learned spellings in mixed case

THRESHOLD = "threshold"
"""The minimum probability of an inserted mark; only ``calibrate`` fits this weight."""

_FREQUENT = 100  # the number of words whose capitals show how a text uses them

_EMBEDDINGS = ("word", "ngram")  # the embedding tables, which are nine tenths of the weights


class _Data(msgspec.Struct):
    words: tuple[str, ...]
    mixed: dict[str, str]
    strings: SlotStrings


class _Tables(NamedTuple):
    """Codes of the distinct words of a stream, and columns of ``TextBatch`` by their names."""

    codes: Codes  # [forms, CODES]
    forms: dict[str, npt.NDArray[Any]]  # [forms, ...], columns of words
    strings: dict[str, npt.NDArray[Any]]  # [strings], columns of slots


@dataclass(frozen=True, slots=True)
class Encoded:
    """Encoded passages."""

    passages: Sequence[TextPassage]
    tables: dict[str, _Tables]  # by digest of the stream

    @property
    def lengths(self) -> list[int]:
        return [passage.size for passage in self.passages]


@dataclass(frozen=True, eq=False, repr=False)
class TextModel(AveragedNetwork[Encoded, TextBatch, TextPassage]):
    """A network that reads running text and scores the marks and capitals of every slot."""

    kind: ClassVar[str] = "text"
    warming: ClassVar[int] = 200
    scoring_limits: ClassVar[tuple[int, int]] = (32, 8192)
    usage: ClassVar[tuple[str, ...]] = ("semipunct restore MODEL TEXT.txt",)

    options: TextOptions
    words: tuple[str, ...]  # lower-cased words with embeddings, by descending frequency
    mixed: dict[str, str]  # words in mixed case, by their lower case
    strings: SlotStrings

    @classmethod
    def fit(cls, sentences: Sequence[TextPassage], options: TextOptions) -> TextModel:
        forms, slots = counts_of(sentences)
        lower: Counter[str] = Counter()
        for form, count in forms.items():
            lower[form.lower()] += count
        frequent = [(-n, word) for word, n in lower.items() if n >= _MINIMUM]
        words = tuple(word for _, word in sorted(frequent)[: options.words])
        usual = (form for form, n in forms.items() if n >= _MINIMUM for _ in range(min(n, 1000)))
        word_set = {*words}
        mixed = {low: form for low, form in mixed_forms(usual).items() if low in word_set}
        return cls(options, words, mixed, _slot_strings(slots, options.strings))

    @cached_property
    def vocabulary(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words, 1)}

    @cached_property
    def frequent(self) -> frozenset[str]:
        """The most frequent words, most of which are function words."""
        return frozenset(word for word in self.words[:_FREQUENT] if len(word) > 1)

    @cached_property
    def errors(self) -> Rates:
        """The rate ``[tags, tags]`` of writing a string where another one is right."""
        return error_rates(self.strings.strings, english_learner_errors())

    def initial_parameters(self, seed: int, scale: float) -> dict[str, Array]:
        return self._drawn(np.random.default_rng(seed))

    def empty_parameters(self) -> dict[str, Array]:
        return self._drawn(Undrawn())

    def _drawn(self, generator: np.random.Generator) -> dict[str, Array]:
        weights = network_weights(self.options, len(self.words), len(self.strings), generator)
        return {**weights, THRESHOLD: np.array(UNTRAINED, np.float32)}

    def encode(self, sentences: Sequence[TextPassage]) -> Encoded:
        streams = {passage.stream.digest: passage.stream for passage in sentences}
        return Encoded(sentences, {d: self._tables(stream) for d, stream in streams.items()})

    def _tables(self, stream: WordStream) -> _Tables:
        lower = [form.lower() for form in stream.forms]
        able = np.array([possible(low, self.mixed) for low in lower]).reshape(-1, SHAPES)
        shapes = np.array([shape_of(form) for form in stream.forms], np.int32)
        # Other spellings in mixed case cannot be predicted.
        shapes[~able[np.arange(len(shapes)), shapes]] = LOWER
        evidence = self.strings.log_evidence([marks_of(string) for string in stream.strings])
        # Strings without a tag of their own have the open tag.
        has_tag = np.isfinite(evidence[:, :-1])
        tags = np.where(has_tag.any(1), has_tag.argmax(1), evidence.shape[1] - 1)
        spelling = evidence[np.arange(len(tags)), tags]
        ends = np.array([END in string or is_final(string) for string in stream.strings])
        named = _named(stream, lower, ends)
        return _Tables(
            codes_of(lower, self.vocabulary, self.options.ngrams),
            {"shapes": shapes, "possible": able, "named": named},
            {"tags": tags.astype(np.int32), "spelling": spelling, "ends": ends},
        )

    def recase(self, forms: Sequence[str], shapes: Sequence[int]) -> tuple[str, ...]:
        """Apply shapes to lower-cased words."""
        pairs = zip(forms, shapes, strict=True)
        return tuple(apply_shape(form, shape, self.mixed) for form, shape in pairs)

    def batch(
        self, encoded: Encoded, members: Sequence[int], shape: int | None = None
    ) -> TextBatch:
        passages = [encoded.passages[i] for i in members]
        lengths = row_lengths([passage.size for passage in passages], shape or len(members))
        room = len(lengths), round_up(int(lengths.max()), 64, 1)
        between = room[0], room[1] + 1
        tables = [encoded.tables[passage.stream.digest] for passage in passages]
        forms = [np.asarray(of.stream.words[of.start : of.stop]) for of in passages]
        slots = [np.asarray(of.stream.slots[of.start : of.stop + 1]) for of in passages]
        codes = np.concatenate([of.codes[i] for of, i in zip(tables, forms, strict=True)])
        distinct, number = np.unique(codes, axis=0, return_inverse=True)
        rows = np.split(number.reshape(-1).astype(np.int32), np.cumsum(lengths)[: len(members) - 1])
        table = np.zeros((round_up(len(distinct), 1024, 4), codes.shape[1]), np.int32)
        table[: len(distinct)] = distinct
        of_words = {
            name: pad_rows(
                [of.forms[name][i] for of, i in zip(tables, forms, strict=True)],
                room,
                fill=name == "possible",
            )
            for name in tables[0].forms
        }
        of_slots = {
            name: pad_rows(
                [of.strings[name][i] for of, i in zip(tables, slots, strict=True)], between
            )
            for name in tables[0].strings
        }
        return TextBatch(table, pad_rows(rows, room), lengths=lengths, **of_words, **of_slots)

    def scores(
        self, parameters: Parameters, batch: TextBatch, guise: Guise, dropout: Dropout | None = None
    ) -> Scores:
        inputs = Inputs(
            jnp.asarray(batch.codes),
            jnp.asarray(batch.words),
            guise.shapes,
            guise.marks,
            jnp.arange(batch.words.shape[1]) < jnp.asarray(batch.lengths)[:, None],
        )
        word_scores = scores(self.options, parameters, inputs, dropout)
        able = jnp.where(
            guise.certain[..., None],
            jax.nn.one_hot(batch.shapes, SHAPES, dtype=bool),
            jnp.asarray(batch.possible),
        )
        return word_scores._replace(shapes=jnp.where(able, word_scores.shapes, -jnp.inf))

    def log_likelihoods(self, parameters: Parameters, batch: TextBatch) -> jax.Array:
        """Return log p(strings | words in lower case), ``[passages]``."""
        lengths = jnp.asarray(batch.lengths)
        log_p = log_marginals(self.scores(parameters, batch, hidden_guise(batch)))
        chosen = at_codes(log_p, jnp.asarray(batch.tags))
        inside = slots_inside(lengths, chosen.shape[1])
        return sum_inside(chosen + batch.spelling, inside)

    def prune(
        self,
        parameters: Mapping[str, Array],
        options: TextTrainOptions,
        perplexity: Callable[[Mapping[str, Array]], float],
    ) -> Mapping[str, Array]:
        """Round embeddings to 8 bits, and all other weights to half precision."""
        return {
            name: in_eight_bits(array)
            if name in _EMBEDDINGS
            else np.asarray(array, np.float16).astype(np.float32)
            for name, array in parameters.items()
        }

    def calibrate(
        self, parameters: Mapping[str, Any], batches: Iterable[tuple[list[int], TextBatch]]
    ) -> Mapping[str, Any]:
        weights = self.place_weights(parameters)
        best_strings: list[npt.NDArray[np.float32]] = [np.zeros((2, 0), np.float32)]
        marked_slots = 0
        for _, batch in batches:
            best = np.asarray(_most_probable_marks(self, weights, batch))
            inside = np.arange(best.shape[2]) <= batch.lengths[:, None]
            inside &= batch.lengths[:, None] > 0
            best_strings.append(best[:, inside])
            marked_slots += int((batch.tags[inside] > 0).sum())
        probability, right = np.concatenate(best_strings, 1)
        fitted = best_threshold(probability, right > 0, marked_slots)
        return {**parameters, THRESHOLD: np.array(fitted, np.float32)}

    def loss(
        self,
        parameters: Parameters,
        constants: Parameters,
        batch: TextBatch,
        key: jax.Array,
        options: TextTrainOptions,
    ) -> tuple[jax.Array, Sums]:
        first, second = jax.random.split(key)
        guise = drawn_guise(first, batch, options, jnp.asarray(self.errors))
        dropout = Dropout(second, options.dropout, options.unknown)
        guise_scores = self.scores(parameters, batch, guise, dropout)
        tags, lengths = jnp.asarray(batch.tags), jnp.asarray(batch.lengths)
        some = slots_inside(lengths, tags.shape[1]) & guise.predicted
        joint = log_joint(guise_scores, tags, jnp.asarray(batch.shapes))
        total = jnp.sum(jnp.where(some, joint, 0.0))
        slots = jnp.maximum(1, jnp.sum(some))
        return -total / slots, Sums.of(total, slots)

    def to_data(self) -> dict[str, Any]:
        return msgspec.to_builtins(_Data(self.words, self.mixed, self.strings))

    @classmethod
    def from_data(cls, data: Any, options: TextOptions) -> TextModel:
        decoded = msgspec.convert(data, _Data)
        decoded.strings.check()
        if any(form.lower() != low for low, form in decoded.mixed.items()):
            raise ValueError("a word of mixed case is listed for a different word")
        return cls(options, decoded.words, decoded.mixed, decoded.strings)

    @property
    def description(self) -> str:
        return (
            "A network that reads running text without sentence boundaries and gives every slot "
            "between two words a distribution over strings of marks and over the capitals of the "
            "next word. It was trained on text with its own punctuation; what it reads may be in "
            "lower case and without marks."
        )


def log_marginals(word_scores: Scores) -> jax.Array:
    """Return log-probabilities of the strings of slots, ``[batch, length + 1, strings]``."""
    return jax.nn.log_softmax(_summed(word_scores), -1)


def log_joint(word_scores: Scores, tags: jax.Array, shapes: jax.Array) -> jax.Array:
    """Return log p(string of a slot, shape of the next word), ``[batch, length + 1]``."""
    total = jax.nn.logsumexp(_summed(word_scores), -1)
    string = at_codes(word_scores.strings, tags)
    shape = at_codes(word_scores.shapes, shapes)
    shape = shape + word_scores.pairs[tags[:, :-1], shapes]
    return string + jnp.pad(shape, ((0, 0), (0, 1))) - total


def _summed(word_scores: Scores) -> jax.Array:
    """Return the log potentials of strings, summed over the shapes of the next word."""
    most = jnp.max(word_scores.shapes, -1, keepdims=True)
    weights = jnp.exp(word_scores.shapes - most)
    after = jnp.log(weights @ jnp.exp(word_scores.pairs).T) + most
    # The last slot has no next word, unless there are shapes for it.
    missing = word_scores.strings.shape[1] - after.shape[1]
    return word_scores.strings + jnp.pad(after, ((0, 0), (0, missing), (0, 0)))


@partial(jit, static=1)
def _most_probable_marks(model: TextModel, weights: Parameters, batch: TextBatch) -> jax.Array:
    """Return the probability and correctness of the best mark, ``[2, batch, length + 1]``."""
    marks = jnp.exp(log_marginals(model.scores(weights, batch, hidden_guise(batch))))[..., 1:]
    right = jnp.argmax(marks, -1) + 1 == jnp.asarray(batch.tags)
    return jnp.stack([jnp.max(marks, -1), right])


def _named(
    stream: WordStream, lower: Sequence[str], ends: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """Return ``[forms]``, whether each is more frequent inside sentences than in lower case."""
    counts = np.bincount(stream.words[1:][~ends[stream.slots[1:-1]]], minlength=len(stream.forms))
    number = dict(zip(stream.forms, counts.tolist(), strict=True))
    in_lower = np.array([number.get(low, 0) for low in lower])
    return counts > in_lower


def _slot_strings(counts: Counter[Puncteme], number: int) -> SlotStrings:
    """Return the most frequent strings; all others are spelt."""
    seen = [(-n, len(s), s) for s, n in counts.items() if n >= _MINIMUM and s]
    strings = ((), *(s for *_, s in sorted(seen)[: number - 1]))
    tokens = tuple(sorted({token for string in strings for token in string}))
    spellable = {s: n for s, n in counts.items() if n and all(t in tokens for t in s)}
    return SlotStrings(tokens, strings, Spelling.of(spellable, alphabet(tokens)))


UNTRAINED = 0.5
"""The threshold of insertion without data to fit it."""


def best_threshold(
    probability: npt.NDArray[np.floating], right: npt.NDArray[np.bool_], marked_slots: int
) -> float:
    """Return the minimum probability of an inserted mark that maximises F1.

    For a sum of binary decisions F1 = 2 tp / (inserted + needed), so the best decisions insert
    every mark whose probability exceeds half of the resulting F1 (Lipton, Elkan and Naryanaswamy
    2014, theorem 1). The optimum is found by trying every probability in held-out text.

    Args:
        probability: ``[slots]``, of the most probable mark.
        right: ``[slots]``, whether that mark is correct.
        marked_slots: number of slots with a mark in the text.
    """
    order = np.argsort(-probability, kind="stable")
    ranked = probability[order]
    if not marked_slots or not np.isfinite(ranked).all() or not len(ranked):
        return UNTRAINED
    hits = np.cumsum(right[order])
    f1 = 2 * hits / (np.arange(1, len(hits) + 1) + marked_slots)
    best = int(np.argmax(f1))
    # Halfway between the last inserted mark and the next one.
    below = ranked[best + 1] if best + 1 < len(ranked) else 0.0
    return float(np.clip((ranked[best] + below) / 2, 0.05, 0.95))
