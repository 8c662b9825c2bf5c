"""A conditional random field over dependency trees, with relations and tags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import msgspec
import numpy as np

from semipunct.arrays.padding import pad_rows
from semipunct.corpus.sentences import Sentence, Words
from semipunct.features.strings import SlotStrings
from semipunct.models.base import Array, Batching, Parameters, Sums
from semipunct.models.forms import EncodedForms, FormInputs
from semipunct.models.layers import Dropout, at_codes, slots_inside, sum_inside
from semipunct.models.network import AveragedNetwork
from semipunct.models.parsing.networks import ParserInputs, network_weights, relation_scores, scores
from semipunct.models.parsing.options import ParserOptions, ParserTrainOptions
from semipunct.models.parsing.trees import arc_trees
from semipunct.models.parsing.vocabulary import TAGS, ParserVocabulary
from semipunct.models.vocabulary import Codes


class Analyses(NamedTuple):
    """Padded trees, tags and punctuation."""

    heads: Any  # [batch, length], 0 for the root
    relations: Any  # [batch, length]
    tags: Any  # [TAGS, batch, length]
    slots: Any  # [batch, length + 1], strings


class ParserBatch(NamedTuple):
    """A padded batch, perhaps with analyses."""

    inputs: ParserInputs
    gold: Analyses | None


@dataclass(frozen=True, slots=True)
class Encoded:
    """Sentences encoded for the parser, without padding."""

    forms: EncodedForms
    slots: Sequence[Codes] = ()  # strings between words, if used
    gold: Sequence[Analyses] = ()  # if known

    @property
    def lengths(self) -> list[int]:
        return self.forms.lengths


class _Data(msgspec.Struct):
    vocabulary: ParserVocabulary
    strings: SlotStrings


@dataclass(frozen=True, eq=False, repr=False)
class Parser(AveragedNetwork[Encoded, ParserBatch]):
    """A parser of words without punctuation, or with marks as words if it was trained on these."""

    kind: ClassVar[str] = "parser"
    batching: ClassVar[Batching] = "length"
    scoring_limits: ClassVar[tuple[int, int]] = (128, 0)
    warming: ClassVar[int] = 200
    usage: ClassVar[tuple[str, ...]] = (
        "semipunct parse MODEL WORDS.conllu",
        "semipunct restore PUNCTUATION WORDS.conllu --parser MODEL",
    )

    options: ParserOptions
    vocabulary: ParserVocabulary
    strings: SlotStrings

    @classmethod
    def fit(cls, sentences: Sequence[Sentence], options: ParserOptions) -> Parser:
        vocabulary = ParserVocabulary.of(
            sentences, options.minimum_word_count, options.minimum_ngram_forms
        )
        return cls(options, vocabulary, SlotStrings.of(sentences))

    def initial_parameters(self, seed: int, scale: float) -> dict[str, Array]:
        generator = np.random.default_rng(seed)
        return {**network_weights(self.options, self.vocabulary, len(self.strings), generator)}

    def encode(self, sentences: Sequence[Sentence]) -> Encoded:
        vocabulary, plain = self.vocabulary, self.encode_words(sentences)
        gold = [
            Analyses(
                np.array(s.tree.heads, np.int32),
                vocabulary.codes("relation", s.tree.relations),
                np.stack([vocabulary.codes(kind, getattr(s, kind)) for kind in TAGS]),
                np.array(self.strings.codes(s.slots), np.int32),
            )
            for s in sentences
        ]
        return replace(plain, gold=gold)

    def encode_words(self, sentences: Sequence[Sentence | Words]) -> Encoded:
        """Encode sentences without analyses."""
        read = sentences if self.options.marks else ()
        return Encoded(
            self.vocabulary.encode_forms(s.forms for s in sentences),
            [np.array(self.strings.codes(s.slots), np.int32) for s in read],
        )

    def batch(
        self, encoded: Encoded, members: Sequence[int], shape: int | None = None
    ) -> ParserBatch:
        inputs = _inputs(encoded, members, encoded.forms.lay_out(members, shape))
        size, length = inputs.forms.words.shape
        if not encoded.gold:
            return ParserBatch(inputs, None)
        gold = [encoded.gold[i] for i in members]
        analyses = Analyses(
            pad_rows([analysis.heads for analysis in gold], (size, length)),
            pad_rows([analysis.relations for analysis in gold], (size, length)),
            pad_rows([analysis.tags for analysis in gold], (size, length), axis=1),
            pad_rows([analysis.slots for analysis in gold], (size, length + 1)),
        )
        return ParserBatch(inputs, analyses)

    def lay_out_words(
        self, encoded: Encoded, members: Sequence[int], shape: tuple[int, int]
    ) -> ParserInputs:
        """Return padded inputs of a given shape."""
        return _inputs(encoded, members, encoded.forms.pad(members, shape))

    def log_likelihoods(self, parameters: Parameters, batch: ParserBatch) -> jax.Array:
        trees, tags, _ = self._parts(parameters, batch, None)
        return trees + tags

    def _parts(
        self, parameters: Parameters, batch: ParserBatch, dropout: Dropout | None
    ) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Return log probabilities ``[sentences]`` of labelled trees, tags and punctuation."""
        inputs, gold = batch
        if gold is None:
            raise ValueError("a batch without analyses has no likelihood")
        heads, relations, tags, slots = (jnp.asarray(x) for x in gold)
        score = scores(self.options, parameters, inputs, dropout)
        lengths = jnp.asarray(inputs.lengths)
        inside = jnp.arange(heads.shape[1]) < lengths[:, None]

        def of_codes(logits: jax.Array, codes: jax.Array, inside: jax.Array = inside) -> jax.Array:
            return sum_inside(at_codes(jax.nn.log_softmax(logits), codes), inside)

        arcs = jnp.take_along_axis(score.arcs[:, :, 1:], heads[:, None], 1)[:, 0]
        total = arc_trees(self.options, score.arcs, lengths).log_partition()
        trees = sum_inside(arcs, inside) - jnp.where(lengths > 0, total, 0.0)
        above = jnp.take_along_axis(score.heads, heads[..., None], 1)
        labels = of_codes(relation_scores(parameters, above, score.dependents), relations)
        tagged = [of_codes(x, codes) for x, codes in zip(score.tags, tags, strict=True)]
        marks = jnp.zeros_like(trees)
        if score.slots is not None:
            marks = of_codes(score.slots, slots, slots_inside(lengths, slots.shape[1]))
        return trees + labels, sum(tagged, jnp.zeros_like(trees)), marks

    def loss(
        self,
        parameters: Parameters,
        constants: Parameters,
        batch: ParserBatch,
        key: jax.Array,
        options: ParserTrainOptions,
    ) -> tuple[jax.Array, Sums]:
        dropout = Dropout(key, options.dropout, options.word_dropout)
        trees, tags, marks = self._parts(parameters, batch, dropout)
        words = jnp.sum(jnp.asarray(batch.inputs.lengths))
        weighted = trees + options.tags * tags + options.punctuation * marks
        total = jnp.sum(trees + tags)
        return -jnp.sum(weighted) / jnp.maximum(words, 1), Sums.of(total, words)

    def to_data(self) -> dict[str, Any]:
        return msgspec.to_builtins(_Data(self.vocabulary, self.strings))

    @classmethod
    def from_data(cls, data: Any, options: ParserOptions) -> Parser:
        decoded = msgspec.convert(data, _Data)
        decoded.strings.check()
        return cls(options, decoded.vocabulary, decoded.strings)

    @property
    def description(self) -> str:
        read = "words and the punctuation between them" if self.options.marks else "words alone"
        trees = {
            "projective": "projective dependency trees (Eisner 1996)",
            "nonprojective": "dependency trees whose arcs may cross (Koo et al. 2007)",
        }[self.options.trees]
        return (
            f"A parser that reads {read}: a distribution over {trees} whose arcs and relations "
            "have biaffine scores (Dozat and Manning 2017), and tags, of which the network reads "
            "words and their characters."
        )


def _inputs(encoded: Encoded, members: Sequence[int], forms: FormInputs) -> ParserInputs:
    if not encoded.slots:
        return ParserInputs(forms)
    size, length = forms.words.shape
    return ParserInputs(forms, pad_rows([encoded.slots[i] for i in members], (size, length + 1)))
