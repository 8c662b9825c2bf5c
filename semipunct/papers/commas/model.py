"""The comma model: a chain of three states over the words of a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import msgspec
import numpy as np
import numpy.typing as npt

from semipunct.arrays.padding import pad_rows, round_up, row_lengths
from semipunct.corpus.sentences import Sentence
from semipunct.models.base import Array, Optimiser, Parameters
from semipunct.models.network import MaximumLikelihood
from semipunct.papers.commas.features import SlotFeatures, without_some
from semipunct.papers.commas.katz import Katz
from semipunct.papers.commas.ngrams import (
    AFTER_COMMA,
    AFTER_COMMA_WORD,
    COMMA_AGAIN,
    COMMA_NEXT,
    COMMA_TWICE,
    WORD,
    Symbols,
    Trigrams,
    components,
    has_comma,
)
from semipunct.papers.commas.options import CommaOptions, CommaTrainOptions
from semipunct.papers.commas.trees import PhraseTree
from semipunct.structures.chain import LinearChain, linear_chain
from semipunct.structures.distribution import Distribution

if TYPE_CHECKING:
    import optax  # pyright: ignore[reportMissingTypeStubs]

PLAIN, BEFORE_COMMA, AFTER = range(3)
"""The states of a word: no comma next to it; a comma after it; a comma before it and none after
it."""

STATES = 3

_STEPS = np.array([[1, 1, 0], [0, 1, 1], [1, 1, 0]], bool)
"""The transitions allowed between states: the state after a comma must record the comma."""


class CommaBatch(NamedTuple):
    """Padded sentences. Position 0 is before the first word, position n + 1 after the last.

    Attributes:
        terms: ``[batch, positions, QUERIES, terms]`` from ``Trigrams.terms``.
        features: ``[batch, positions, most]`` features of the slot after each position.
        commas: ``[batch, positions]`` whether there is a comma in that slot.
        lengths: ``[batch]`` numbers of positions; 0 in the padding.
    """

    terms: npt.NDArray[np.int32]
    features: npt.NDArray[np.int32] | jax.Array
    commas: npt.NDArray[np.bool_]
    lengths: npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Encoded:
    """Sentences encoded for the comma model.

    Attributes:
        terms: for each sentence ``[n + 2, QUERIES, terms]``.
        features: for each sentence ``[n + 1, most]``.
        commas: for each sentence ``[n + 1]``.
    """

    terms: Sequence[npt.NDArray[np.int32]]
    features: Sequence[npt.NDArray[np.int32]]
    commas: Sequence[npt.NDArray[np.bool_]]

    @property
    def lengths(self) -> list[int]:
        """The number of words in each sentence."""
        return [len(commas) - 1 for commas in self.commas]


@dataclass(frozen=True, eq=False, repr=False)
class CommaModel(MaximumLikelihood[Encoded, CommaBatch, Sentence[PhraseTree]]):
    """A comma model with trigrams (Shieber and Tao 2003), features of slots, or both.

    Attributes:
        options: the settings.
        trigrams: counts of n-grams of words and commas.
        features: the features of slots that have weights.
    """

    kind: ClassVar[str] = "commas"
    scoring_limits: ClassVar[tuple[int, int]] = (64, 2048)
    usage: ClassVar[tuple[str, ...]] = ("semipunct restore MODEL TREES.mrg --marks ,",)

    options: CommaOptions
    trigrams: Trigrams
    features: SlotFeatures

    @classmethod
    def fit(cls, sentences: Sequence[Sentence[PhraseTree]], options: CommaOptions) -> CommaModel:
        features = SlotFeatures(())
        if options.templates:
            features = SlotFeatures.of(sentences, options.templates, options.minimum_feature_count)
        return cls(options, Trigrams.of(sentences, options), features)

    def initial_parameters(self, seed: int, scale: float) -> dict[str, Array]:
        """Return initial weights: those of trigrams are computed from counts, transitions are zero.

        Args:
            seed: seed of the random number generator.
            scale: standard deviation of the weights of features.
        """
        drawn = np.random.default_rng(seed).normal(0.0, scale, len(self.features.names))
        return {
            "trigrams": self.trigrams.table(),
            "slots": drawn.astype(np.float32),
            "steps": np.zeros((STATES, STATES), np.float32),
        }

    def encode(self, sentences: Sequence[Sentence[PhraseTree]]) -> Encoded:
        features = (
            self.features.encode(sentences, self.options.templates)
            if self.options.templates
            else [np.zeros((s.size + 1, 0), np.int32) for s in sentences]
        )
        return Encoded(self.trigrams.terms(sentences), features, [has_comma(s) for s in sentences])

    def batch(
        self, encoded: Encoded, members: Sequence[int], shape: int | None = None
    ) -> CommaBatch:
        lengths = row_lengths([len(encoded.terms[i]) for i in members], shape or len(members))
        room = len(lengths), round_up(int(lengths.max()), 16, 1)
        return CommaBatch(
            pad_rows([encoded.terms[i] for i in members], room),
            pad_rows([encoded.features[i] for i in members], room),
            pad_rows([encoded.commas[i] for i in members], room),
            lengths,
        )

    def chain(self, parameters: Parameters, batch: CommaBatch) -> LinearChain:
        """Return the linear chains over states (Shieber and Tao 2003, figure 1).

        Args:
            parameters: weights by name.
            batch: from ``batch``.
        """
        lengths = jnp.asarray(batch.lengths)
        table = parameters["trigrams"]
        table = jnp.concatenate([jnp.zeros(1, table.dtype), table, -table])
        log_p = jnp.sum(table[batch.terms], -1)
        weights = jnp.concatenate([jnp.zeros(1, table.dtype), parameters["slots"]])
        slots = jnp.sum(weights[batch.features], -1)
        position = jnp.arange(log_p.shape[1])
        is_last = position == lengths[:, None] - 1
        # A comma is scored in the transition to its state; no transition precedes slot 0.
        first = (position == 0)[None] & (lengths > 0)[:, None]
        with_comma = slots + jnp.where(first, log_p[..., COMMA_NEXT], 0.0)
        nothing = jnp.zeros_like(slots)
        emission = jnp.stack(
            [
                nothing,
                jnp.where(is_last, -jnp.inf, with_comma),
                jnp.where(first, -jnp.inf, nothing),
            ],
            -1,
        )
        at_word, before = log_p[:, 1:], log_p[:, :-1]
        words = [at_word[..., query] for query in (WORD, AFTER_COMMA, AFTER_COMMA_WORD)]
        if self.options.penalty:
            refused = (COMMA_NEXT, COMMA_TWICE, COMMA_AGAIN)
            words = [w + _log_without(before[..., q]) for w, q in zip(words, refused, strict=True)]
        no = jnp.full_like(words[0], -jnp.inf)
        plain, after, after_word = words
        step = jnp.stack(
            [
                jnp.stack([plain, plain + at_word[..., COMMA_NEXT], no], -1),
                jnp.stack([no, after + at_word[..., COMMA_AGAIN], after], -1),
                jnp.stack([after_word, after_word + at_word[..., COMMA_NEXT], no], -1),
            ],
            -2,
        )
        step = step + jnp.where(jnp.asarray(_STEPS), parameters["steps"], 0.0)
        return linear_chain(emission, step, lengths)

    def log_likelihoods(self, parameters: Parameters, batch: CommaBatch) -> jax.Array:
        """Return ``[sentences]`` log p(commas | words, phrases).

        Args:
            parameters: weights by name.
            batch: from ``batch``.
        """
        chain = self.chain(parameters, batch)
        states = states_of(jnp.asarray(batch.commas))
        return chain.path_log_weight(states) - Distribution(chain).log_partition()

    def noisy_log_likelihoods(
        self, parameters: Parameters, batch: CommaBatch, key: jax.Array, options: CommaTrainOptions
    ) -> jax.Array:
        if options.dropout and batch.features.shape[-1]:
            features = without_some(batch.features, options.dropout, key)
            batch = batch._replace(features=features)
        return self.log_likelihoods(parameters, batch)

    def units(self, batch: CommaBatch) -> jax.Array:
        return jnp.sum(jnp.maximum(0, jnp.asarray(batch.lengths) - 1))

    def optimiser(
        self, options: CommaTrainOptions, steps: int, slots: float
    ) -> optax.GradientTransformation | Optimiser:
        """Return AdamW for the weights that are trained; all others are fixed.

        Args:
            options: the weights to train, rate, schedule and decay.
            steps: total number of updates.
            slots: ignored, because no penalty is per sentence.
        """
        import optax  # pyright: ignore[reportMissingTypeStubs]

        from semipunct.models.optimisation import clipped_adamw

        learnt = {"nothing": (), "slots": ("slots", "steps")}.get(
            options.learn, ("slots", "steps", "trigrams")
        )
        labels = {
            name: "learnt" if name in learnt else "fixed" for name in ("trigrams", "slots", "steps")
        }
        return optax.multi_transform(
            {"learnt": clipped_adamw(options, steps), "fixed": optax.set_to_zero()}, labels
        )

    def to_data(self) -> dict[str, Any]:
        counts = {name: model.to_data() for name, model in self.trigrams.counts.items()}
        return {
            "symbols": msgspec.to_builtins(self.trigrams.symbols),
            "counts": counts,
            "features": list(self.features.names),
        }

    @classmethod
    def from_data(cls, data: Any, options: CommaOptions) -> CommaModel:
        symbols = msgspec.convert(data["symbols"], Symbols)
        counts = {c.name: Katz.from_data(data["counts"][c.name]) for c in components(options)}
        features = msgspec.convert(data["features"], tuple[str, ...])
        if list(features) != sorted(set(features)):
            raise ValueError("the features are not in strictly ascending order")
        return cls(options, Trigrams(options, symbols, counts), SlotFeatures(features))

    @property
    def description(self) -> str:
        parts: list[str] = []
        if self.options.ngrams:
            tags = " and of parts of speech" if self.options.tags else ""
            parts.append(f"trigrams of words{tags} with Katz smoothing (Shieber and Tao 2003)")
        if self.options.templates:
            parts.append(f"features of slots ({', '.join(self.options.templates)})")
        evidence = " and ".join(parts) or "nothing"
        return f"A linear chain that says where commas stand between words, by {evidence}."

    def signature(self) -> dict[str, str]:
        return {"tokens": "comma"}


def states_of(commas: jax.Array) -> jax.Array:
    """Return the states of positions, ``[batch, positions]``.

    Args:
        commas: ``[batch, positions]`` whether there is one after each.
    """
    before = jnp.pad(commas[:, :-1], ((0, 0), (1, 0)))
    return jnp.where(commas, BEFORE_COMMA, jnp.where(before, AFTER, PLAIN))


def _log_without(log_probability: jax.Array) -> jax.Array:
    """Return log(1 - p) given log p, which is bounded away from zero."""
    return jnp.log1p(-jnp.exp(jnp.minimum(log_probability, -_LEAST)))


_LEAST = 1e-6
