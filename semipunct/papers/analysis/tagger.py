"""Recurrent slot taggers.

An open tag, spelt like the open puncteme, gives every string positive probability, so that
perplexities are finite and comparable (docs/decisions/papers.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import msgspec
import numpy as np
import numpy.typing as npt

from semipunct.arrays.padding import pad_rows, round_up, row_lengths
from semipunct.arrays.programs import jit
from semipunct.corpus.sentences import MISSING, Puncteme, Sentence, unfillable
from semipunct.errors import TreebankError
from semipunct.features.strings import SlotStrings
from semipunct.models import layers
from semipunct.models.base import Array, Parameters
from semipunct.models.network import Network
from semipunct.models.vocabulary import Vocabulary, frequent
from semipunct.papers.analysis.options import TaggerOptions, TaggerTrainOptions
from semipunct.pipelines.criteria import assess_perplexity
from semipunct.pipelines.task import Tasks
from semipunct.structures.chain import linear_chain
from semipunct.structures.distribution import Distribution

CODES = ("word", "suffix", "tag", "xpos")
"""Embedded properties of a word, in the order of its codes."""


class TaggerInputs(NamedTuple):
    """A padded batch of sentences; 0 for unknown values and padding.

    Attributes:
        codes: ``[CODES, batch, length]``.
        lengths: ``[batch]``.
        written: ``[batch, length + 1]`` written strings, if used.
    """

    codes: jax.Array | npt.NDArray[np.int32]
    lengths: jax.Array | npt.NDArray[np.int32]
    written: jax.Array | npt.NDArray[np.int32] | None = None


def network_weights(
    options: TaggerOptions,
    codes: tuple[int, ...],
    tags: int,
    generator: np.random.Generator,
    written: int = 0,
) -> dict[str, layers.Floats]:
    """Draw initial weights for numbers of codes, tags and written strings."""
    sizes = [getattr(options, name) for name in CODES]
    hidden, two_directions, word = options.hidden, 2 * options.hidden, sum(sizes)
    read = word + options.written
    gates = 4 if options.network == "crf" else 3

    def normal(rows: int, size: int) -> layers.Floats:
        return generator.standard_normal((rows, size)).astype(np.float32)

    def layer(inputs: int, outputs: int) -> dict[str, layers.Floats]:
        return {
            "weight": layers.uniform(generator, (inputs, outputs), inputs),
            "bias": layers.uniform(generator, (outputs,), inputs),
        }

    parts: dict[str, Mapping[str, layers.Floats]] = {
        "embed": {n: normal(c, s) for n, c, s in zip(CODES, codes, sizes, strict=True)},
        "forward": layers.recurrent_weights(generator, gates, read, hidden),
        "backward": layers.recurrent_weights(generator, gates, read, hidden),
    }
    if options.network == "crf":
        parts["output"] = layer(two_directions, tags)
    else:
        parts |= {
            "decoder": layers.recurrent_weights(generator, 3, two_directions, hidden),
            "query": {"weight": layers.uniform(generator, (hidden, hidden), hidden)},
            "keys": layer(two_directions, hidden),
            "energy": {"weight": layers.uniform(generator, (hidden,), hidden)},
            "fusion": {
                "weight": layers.uniform(generator, (two_directions, hidden), two_directions)
            },
            "gate.fused": {"weight": layers.uniform(generator, (hidden, hidden), hidden)},
            "gate.state": layer(hidden, hidden),
            "output": layer(hidden, tags),
        }
    weights = layers.flat(parts)
    weights["edges"] = normal(2, word)
    if options.network == "crf":
        weights["transition"] = np.zeros((tags, tags), np.float32)
    if options.written:
        weights["embed.written"] = normal(written, options.written)
    return weights


def scores(
    options: TaggerOptions,
    weights: layers.Weights,
    words: TaggerInputs,
    dropout: layers.Dropout | None,
) -> tuple[jax.Array, jax.Array | None]:
    """Score tags, ``[batch, length + 1, tags]``, and transitions; None for independent slots."""
    # One key for each mask: masks drawn with the same key would coincide.
    keys = None if dropout is None else jax.random.split(dropout.key, 4)

    def drop(x: jax.Array, mask: int) -> jax.Array:
        if dropout is None or keys is None or not dropout.rate:
            return x
        return layers.drop_out(x, dropout.rate, keys[mask])

    codes = jnp.asarray(words.codes)
    if dropout is not None and keys is not None:
        unknown = jax.random.bernoulli(keys[3], dropout.words, codes.shape[1:])
        codes = codes.at[0].set(jnp.where(unknown, 0, codes[0]))
    lengths = jnp.asarray(words.lengths)
    embedded = [weights[f"embed.{name}"][codes[i]] for i, name in enumerate(CODES)]
    x = with_edges(drop(jnp.concatenate(embedded, -1), 0), weights["edges"], lengths)
    if options.written:
        # The string of a slot is input with the word before it, or with the first edge.
        strings = weights["embed.written"][jnp.asarray(words.written)]
        x = jnp.concatenate([x, jnp.pad(strings, ((0, 0), (0, 1), (0, 0)))], -1)
    read = layers.lstm if options.network == "crf" else layers.gru
    left = read(weights, "forward", x, lengths + 2, reverse=False)[:, :-1]
    right = read(weights, "backward", x, lengths + 2, reverse=True)[:, 1:]
    h = drop(jnp.concatenate([left, right], -1), 1)
    if options.network == "crf":
        return layers.affine(weights, "output", h), weights["transition"]
    return layers.affine(weights, "output", drop(_attend(weights, h, lengths), 2)), None


def with_edges(x: jax.Array, edges: jax.Array, lengths: jax.Array) -> jax.Array:
    """Surround words ``[batch, length, size]`` with two vectors; the second fills the padding."""
    batch, length, size = x.shape
    inside = jnp.arange(length)[None, :, None] < lengths[:, None, None]
    edge = jnp.broadcast_to(edges[:, None, None], (2, batch, 1, size))
    return jnp.concatenate([edge[0], jnp.where(inside, x, edges[1]), edge[1]], 1)


def _attend(weights: layers.Weights, h: jax.Array, lengths: jax.Array) -> jax.Array:
    """Decode slots with attention and late fusion (Tilk and Alumäe 2016, section 3)."""
    inside = jnp.arange(h.shape[1])[None] <= lengths[:, None]
    keys = layers.affine(weights, "keys", h)

    def step(state: jax.Array, read: jax.Array) -> tuple[jax.Array, jax.Array]:
        query = state @ weights["query.weight"]
        energy = jnp.tanh(query[:, None] + keys) @ weights["energy.weight"]
        share = jax.nn.softmax(jnp.where(inside, energy, -jnp.inf))
        state = layers.gru_step(weights, "decoder", state, read)
        fused = jnp.einsum("bl,bld->bd", share, h) @ weights["fusion.weight"]
        gate = fused @ weights["gate.fused.weight"] + layers.affine(weights, "gate.state", state)
        return state, fused * jax.nn.sigmoid(gate) + state

    start = jnp.zeros((h.shape[0], weights["decoder.state.weight"].shape[0]))
    read = jnp.swapaxes(layers.affine(weights, "decoder.input", h), 0, 1)
    _, states = jax.lax.scan(step, start, read)
    return jnp.swapaxes(states, 0, 1)


_SUFFIX = 3  # letters
_MINIMUM = {"word": 2, "suffix": 2, "tag": 1, "xpos": 1, "written": 2}  # rarer values are unknown


class TaggerVocabulary(Vocabulary, frozen=True, dict=True):
    """The known values of words, and written strings if used."""

    word: tuple[str, ...]
    suffix: tuple[str, ...]
    tag: tuple[str, ...]
    xpos: tuple[str, ...]
    written: tuple[Puncteme, ...] = ()

    @classmethod
    def of(cls, sentences: Sequence[Sentence], *, written: bool = False) -> TaggerVocabulary:
        columns = (
            frequent((v for s in sentences for v in _values(kind, s)), _MINIMUM[kind])
            for kind in CODES
        )
        strings = (slot for s in sentences if written for slot in written_slots(s))
        return cls(*columns, written=frequent(strings, _MINIMUM["written"]))


def written_slots(sentence: Sentence) -> Sequence[Puncteme]:
    """Return the strings written in the slots of a sentence."""
    if sentence.written is None:
        raise TreebankError(
            f"{sentence.where}: has only correct punctuation, but a tagger that corrects also "
            "needs the original punctuation; train it with --corrected"
        )
    return sentence.written.slots


def _values(kind: str, sentence: Sentence) -> Sequence[str]:
    match kind:
        case "word":
            return [form.lower() for form in sentence.forms]
        case "suffix":
            return [form.lower()[-_SUFFIX:] for form in sentence.forms]
        case "tag":
            return sentence.upos
        case _:
            return sentence.xpos


class _Data(msgspec.Struct):
    vocabulary: TaggerVocabulary
    tags: SlotStrings


class TaggerBatch(NamedTuple):
    """Padded sentences.

    Attributes:
        evidence: ``[batch, length + 1, tags]`` from ``SlotStrings.log_evidence``.
        some: ``[batch]`` whether the row is a sentence.
        closed: ``[batch, length + 1]`` whether a slot is within an orthographic word, or None.
    """

    words: TaggerInputs
    evidence: npt.NDArray[np.float32]
    some: npt.NDArray[np.bool_]
    closed: npt.NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True)
class Encoded:
    """Encoded sentences.

    Attributes:
        codes: ``[CODES, words]`` of each sentence.
        strings: ``[words + 1]`` rows of ``evidence``.
        evidence: ``[strings, tags]`` log p(string | tag).
        written: ``[words + 1]``, if used.
        closed: ``[words + 1]``, if any slot is closed.
    """

    codes: Sequence[npt.NDArray[np.int32]]
    strings: Sequence[npt.NDArray[np.int32]]
    evidence: npt.NDArray[np.float32]
    written: Sequence[npt.NDArray[np.int32]] = ()
    closed: Sequence[npt.NDArray[np.bool_]] = ()

    @property
    def lengths(self) -> list[int]:
        return [codes.shape[1] for codes in self.codes]


@dataclass(frozen=True, eq=False, repr=False)
class SlotTagger(Network[Encoded, TaggerBatch]):
    """A recurrent network that tags slots and ignores the tree."""

    kind: ClassVar[str] = "slot-tagger"
    scoring_limits: ClassVar[tuple[int, int]] = (64, 2048)

    options: TaggerOptions
    tags: SlotStrings
    vocabulary: TaggerVocabulary

    @classmethod
    def fit(cls, sentences: Sequence[Sentence], options: TaggerOptions) -> SlotTagger:
        return cls(
            options,
            SlotStrings.of(sentences, options.minimum_token_count, options.minimum_string_count),
            TaggerVocabulary.of(sentences, written=options.written > 0),
        )

    def initial_parameters(self, seed: int, scale: float) -> dict[str, Array]:
        generator = np.random.default_rng(seed)
        vocabulary = self.vocabulary
        weights = network_weights(
            self.options,
            tuple(vocabulary.sizes(CODES).values()),
            len(self.tags),
            generator,
            len(vocabulary.written) + 1,
        )
        if scale > 0 and (zero := weights.get("transition")) is not None:
            weights["transition"] = generator.normal(0.0, scale, zero.shape).astype(np.float32)
        return {**weights}

    def encode(self, sentences: Sequence[Sentence]) -> Encoded:
        number: dict[Puncteme, int] = {}
        strings = [
            np.array([number.setdefault(slot, len(number)) for slot in s.slots], np.int32)
            for s in sentences
        ]
        vocabulary = self.vocabulary
        read = sentences if self.options.written else ()
        closed = [np.isin(np.arange(len(s.slots)), [*unfillable(s)]) for s in sentences]
        return Encoded(
            [vocabulary.rows({kind: _values(kind, s) for kind in CODES}, CODES) for s in sentences],
            strings,
            self.tags.log_evidence(tuple(number)),
            [vocabulary.codes("written", written_slots(s)) for s in read],
            closed if any(of.any() for of in closed) else (),
        )

    def batch(
        self, encoded: Encoded, members: Sequence[int], shape: int | None = None
    ) -> TaggerBatch:
        lengths = row_lengths([encoded.codes[i].shape[1] for i in members], shape or len(members))
        size, length = len(lengths), round_up(int(lengths.max()), 16)
        codes = pad_rows([encoded.codes[i] for i in members], (size, length), axis=1)
        between = size, length + 1
        evidence = pad_rows([encoded.evidence[encoded.strings[i]] for i in members], between)
        written = None
        if self.options.written:
            written = pad_rows([encoded.written[i] for i in members], between)
        closed = None
        if encoded.closed:
            closed = pad_rows([encoded.closed[i] for i in members], between)
        inputs = TaggerInputs(codes, lengths, written)
        return TaggerBatch(inputs, evidence, np.arange(size) < len(members), closed)

    def log_likelihoods(
        self, parameters: Parameters, batch: TaggerBatch, dropout: layers.Dropout | None = None
    ) -> jax.Array:
        """Return ``[sentences]`` log p(strings | words), summed over the tags of each string."""
        score, transition = scores(self.options, parameters, batch.words, dropout)
        score = _where_open(score, batch.closed)
        lengths = jnp.asarray(batch.words.lengths) + 1
        log_joint = _log_partition(score + batch.evidence, transition, lengths)
        return jnp.where(batch.some, log_joint - _log_partition(score, transition, lengths), 0.0)

    def noisy_log_likelihoods(
        self,
        parameters: Parameters,
        batch: TaggerBatch,
        key: jax.Array,
        options: TaggerTrainOptions,
    ) -> jax.Array:
        dropout = layers.Dropout(key, options.dropout, options.word_dropout)
        return self.log_likelihoods(parameters, batch, dropout)

    def units(self, batch: TaggerBatch) -> jax.Array:
        return jnp.sum(jnp.where(batch.some, _slots(batch), 0))

    def to_data(self) -> dict[str, Any]:
        return msgspec.to_builtins(_Data(self.vocabulary, self.tags))

    @classmethod
    def from_data(cls, data: Any, options: TaggerOptions) -> SlotTagger:
        decoded = msgspec.convert(data, _Data)
        decoded.tags.check()
        return cls(options, decoded.tags, decoded.vocabulary)

    @property
    def description(self) -> str:
        network = {
            "crf": "A BiLSTM with a linear chain over slots (Xu et al. 2016)",
            "attention": "A BiGRU with an attentive decoder (Tilk and Alumäe 2016)",
        }[self.options.network]
        return (
            f"{network}, which tags the slots between words with strings of punctuation. It says "
            "how probable the punctuation of a sentence is, given its words and tags"
            f"{' and what was written' if self.options.written else ''}; trees are not looked at."
        )

    def signature(self) -> dict[str, str]:
        return {"network": self.options.network, "tokens": f">={self.options.minimum_token_count}"}

    def unseen(self, sentences: Sequence[Sentence]) -> Mapping[str, Counter[str]]:
        # An empty column is not an unseen tag.
        tags, xpos = {*self.vocabulary.tag, MISSING}, {*self.vocabulary.xpos, MISSING}
        unseen = {"upos": Counter(u for s in sentences for u in s.upos if u not in tags)}
        # Without language-specific tags in training, none are unseen.
        if xpos != {MISSING}:
            unseen["xpos"] = Counter(x for s in sentences for x in s.xpos if x not in xpos)
        return unseen


def _where_open(score: jax.Array, closed: jax.Array | npt.NDArray[np.bool_] | None) -> jax.Array:
    """Forbid all tags but the first, the empty string, in closed slots."""
    if closed is None:
        return score
    forbidden = jnp.asarray(closed)[..., None] & (jnp.arange(score.shape[-1]) > 0)
    return jnp.where(forbidden, -jnp.inf, score)


def _slots(batch: TaggerBatch) -> jax.Array:
    count = jnp.asarray(batch.words.lengths) + 1
    return count if batch.closed is None else count - jnp.sum(jnp.asarray(batch.closed), 1)


def _log_partition(score: jax.Array, transition: jax.Array | None, lengths: jax.Array) -> jax.Array:
    """Sum over tag sequences, or over the tags of independent slots."""
    if transition is not None:
        return Distribution(linear_chain(score, transition, lengths)).log_partition()
    inside = jnp.arange(score.shape[1]) < lengths[:, None]
    return jnp.sum(jnp.where(inside, jax.nn.logsumexp(score, -1), 0.0), -1)


@partial(jit, static=1)
def tag_marginals(model: SlotTagger, parameters: Parameters, batch: TaggerBatch) -> jax.Array:
    """Return the marginal probability of each tag, ``[batch, length + 1, tags]``."""
    score, transition = scores(model.options, parameters, batch.words, None)
    score = _where_open(score, batch.closed)
    lengths = jnp.asarray(batch.words.lengths) + 1
    # Marginals of transitions would need a matrix for each slot.
    return jax.grad(lambda x: jnp.sum(_log_partition(x, transition, lengths)))(score)


TASKS = Tasks(evaluate=assess_perplexity)
