"""Fitting and asking the recurrent taggers: both are linear chains over slots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
import optax  # pyright: ignore[reportMissingTypeStubs]

from semipunct.arrays.compilation import jit
from semipunct.arrays.padding import by_length, round_up, shuffled
from semipunct.corpus.sentences import Sentence
from semipunct.models.slot_tagging.networks import (
    AttentionTagger,
    Counts,
    CrfTagger,
    Keys,
    Sizes,
    Words,
)
from semipunct.models.slot_tagging.tags import Tags
from semipunct.structures.chain import linear_chain
from semipunct.structures.distribution import Distribution
from semipunct.tasks.base import Slots
from semirings.real import Real

Kind = Literal["crf", "attention"]
KINDS = {"crf": CrfTagger, "attention": AttentionTagger}

_BATCH = 64
_WORDS = 2048
_SUFFIX = 3  # letters


@dataclass(frozen=True, slots=True)
class FitOptions:
    """How a tagger is trained.

    Attributes:
        epochs: passes over the training sentences.
        batch_size: sentences of an update.
        learning_rate: at the start; a cosine takes it to zero.
        weight_decay: of AdamW.
        seed: of weights, order and dropout.
        sizes: of the network.
        report: called with the epoch and the perplexity per slot on development sentences.
    """

    epochs: int = 20
    batch_size: int = 32
    learning_rate: float = 2e-3
    weight_decay: float = 1e-2
    seed: int = 0
    sizes: Sizes = field(default_factory=Sizes)
    report: Callable[[int, float], None] | None = None


@dataclass(frozen=True, slots=True)
class Codes:
    """Numbers of word forms, their ends and their tags; 0 is for the unknown ones."""

    form: dict[str, int]
    suffix: dict[str, int]
    tag: dict[str, int]
    xpos: dict[str, int]

    @classmethod
    def of(cls, sentences: Sequence[Sentence]) -> Codes:
        """Number what training sentences hold, words from two occurrences on."""

        def numbered(values: Iterator[str], minimum: int) -> dict[str, int]:
            counts = Counter(values)
            return {
                v: i for i, v in enumerate(sorted(v for v in counts if counts[v] >= minimum), 1)
            }

        return cls(
            numbered((f.lower() for s in sentences for f in s.forms), 2),
            numbered((f.lower()[-_SUFFIX:] for s in sentences for f in s.forms), 2),
            numbered((u for s in sentences for u in s.upos), 1),
            numbered((x for s in sentences for x in s.xpos), 1),
        )

    @property
    def sizes(self) -> Counts:
        """Entries of each table."""
        return len(self.form) + 1, len(self.suffix) + 1, len(self.tag) + 1, len(self.xpos) + 1

    def words(self, sentences: Sequence[Sentence], batch: int, length: int) -> Words:
        """The padded codes of sentences."""
        found = np.zeros((4, batch, length), np.int32)
        lengths = np.zeros(batch, np.int32)
        for i, s in enumerate(sentences):
            n = lengths[i] = len(s.forms)
            found[0, i, :n] = [self.form.get(f.lower(), 0) for f in s.forms]
            found[1, i, :n] = [self.suffix.get(f.lower()[-_SUFFIX:], 0) for f in s.forms]
            found[2, i, :n] = [self.tag.get(u, 0) for u in s.upos]
            found[3, i, :n] = [self.xpos.get(x, 0) for x in s.xpos]
        form, suffix, tag, xpos = map(jnp.asarray, found)
        return Words(form, suffix, tag, xpos, jnp.asarray(lengths))


class Batch(NamedTuple):
    """Padded sentences.

    Attributes:
        words: their codes.
        evidence: ``[batch, length + 1, tags]`` from ``Tags.log_evidence``; zero in the padding.
        some: ``[batch]`` whether there is a sentence.
    """

    words: Words
    evidence: jax.Array
    some: jax.Array


@dataclass(frozen=True, slots=True)
class Tagger:
    """A fitted tagger.

    Attributes:
        tags: the strings.
        codes: the words.
        network: its layers.
    """

    tags: Tags
    codes: Codes
    network: CrfTagger | AttentionTagger

    @classmethod
    def fit(
        cls,
        kind: Kind,
        sentences: Sequence[Sentence],
        development: Sequence[Sentence],
        options: FitOptions | None = None,
    ) -> Tagger:
        """Train, and keep the weights that suit the development sentences best."""
        options = options or FitOptions()
        tags, codes = Tags.of(sentences), Codes.of(sentences)
        key = jax.random.key(options.seed)
        network = KINDS[kind](codes.sizes, len(tags), options.sizes, key)
        tagger = cls(tags, codes, network)
        steps = options.epochs * -(-len(sentences) // options.batch_size)
        rate = optax.cosine_decay_schedule(options.learning_rate, steps)
        optimiser = optax.chain(
            optax.clip_by_global_norm(5.0), optax.adamw(rate, weight_decay=options.weight_decay)
        )
        state = optimiser.init(eqx.filter(network, eqx.is_array))
        slots = sum(len(s.slots) for s in development)
        best, least = tagger, np.inf
        for epoch in range(options.epochs):
            generator = np.random.default_rng((options.seed, epoch))
            for members in shuffled(len(sentences), options.batch_size, generator):
                key, drop = jax.random.split(key)
                batch = tagger._batch([sentences[i] for i in members], options.batch_size)
                network, state = _step(network, state, batch, drop, optimiser)
            tagger = cls(tags, codes, network)
            perplexity = float(np.exp(-tagger.log_likelihoods(development).sum() / slots))
            if options.report:
                options.report(epoch + 1, perplexity)
            if perplexity < least:
                best, least = tagger, perplexity
        return best

    def log_likelihoods(self, sentences: Sequence[Sentence]) -> npt.NDArray[np.float64]:
        """``[sentences]``."""
        result = np.zeros(len(sentences))
        for members, batch in self._batches(sentences):
            result[members] = np.asarray(_score(self.network, batch))[: len(members)]
        return result

    def restore(self, sentences: Sequence[Sentence]) -> list[Slots]:
        """The strings of least expected edit distance under each slot's marginals."""
        result: list[Slots] = [()] * len(sentences)
        for members, batch in self._batches(sentences):
            marginals = np.asarray(_marginals(self.network, batch), np.float64)
            for row, i in zip(marginals, members, strict=False):
                result[i] = tuple(self.tags.least_risk(row[: len(sentences[i].slots)]))
        return result

    def _batches(self, sentences: Sequence[Sentence]) -> Iterator[tuple[list[int], Batch]]:
        lengths = [len(s.forms) for s in sentences]
        for members in by_length(lengths, _BATCH, _WORDS):
            yield members, self._batch([sentences[i] for i in members], _BATCH)

    def _batch(self, sentences: Sequence[Sentence], size: int) -> Batch:
        length = round_up(max(len(s.forms) for s in sentences), 16)
        evidence = np.zeros((size, length + 1, len(self.tags)), np.float32)
        for row, s in zip(evidence, sentences, strict=False):
            row[: len(s.slots)] = self.tags.log_evidence(s.slots)
        some = np.arange(size) < len(sentences)
        words = self.codes.words(sentences, size, length)
        return Batch(words, jnp.asarray(evidence), jnp.asarray(some))


def _log_likelihood(
    network: CrfTagger | AttentionTagger, batch: Batch, key: Keys = None
) -> jax.Array:
    """``[batch]`` log p(strings | words), summed over the tags that may be written so."""
    score, transition = network(batch.words, key)
    lengths = batch.words.lengths + 1
    said = _log_partition(score + batch.evidence, transition, lengths)
    return jnp.where(batch.some, said - _log_partition(score, transition, lengths), 0.0)


def _log_partition(score: jax.Array, transition: jax.Array | None, lengths: jax.Array) -> jax.Array:
    """``[batch]`` of chains, or of slots that are independent."""
    if transition is not None:
        return Distribution(linear_chain(score, transition, lengths), Real()).log_partition()
    inside = jnp.arange(score.shape[1]) < lengths[:, None]
    return jnp.sum(jnp.where(inside, jax.nn.logsumexp(score, -1), 0.0), -1)


@partial(jit)
def _score(network: CrfTagger | AttentionTagger, batch: Batch) -> jax.Array:
    return _log_likelihood(network, batch)


@partial(jit)
def _marginals(network: CrfTagger | AttentionTagger, batch: Batch) -> jax.Array:
    score, transition = network(batch.words, None)
    # Those of tags alone: those of transitions would be a matrix for each slot.
    return jax.grad(lambda x: jnp.sum(_log_partition(x, transition, batch.words.lengths + 1)))(
        score
    )


@partial(jit, static_argnums=4, donate_argnums=1)
def _step(
    network: Any, state: Any, batch: Batch, key: jax.Array, optimiser: Any
) -> tuple[Any, Any]:
    def loss(network: Any) -> jax.Array:
        slots = jnp.sum(jnp.where(batch.some, batch.words.lengths + 1, 0))
        return -jnp.sum(_log_likelihood(network, batch, key)) / slots

    gradient = jax.grad(loss)(network)
    updates, state = optimiser.update(gradient, state, network)
    return eqx.apply_updates(network, updates), state
