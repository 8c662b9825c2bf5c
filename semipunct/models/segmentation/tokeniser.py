"""The tokeniser: training, saving and loading (docs/decisions/running-text.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
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
from semipunct.corpus.located import is_mark
from semipunct.corpus.passages import Passage
from semipunct.models.base import Array, Parameters
from semipunct.models.convolutions import convolution_weights, convolve
from semipunct.models.network import AveragedNetwork, MaximumLikelihood
from semipunct.models.segmentation.characters import CODES, LEARNT, CharacterVocabulary
from semipunct.models.segmentation.expansion import Expansions
from semipunct.models.segmentation.guises import IN_GUISE
from semipunct.models.segmentation.options import TokeniserOptions, TokeniserTrainOptions
from semipunct.models.segmentation.tags import (
    LAST,
    OUTSIDE,
    STOP,
    TAGS,
    end_log_odds,
    forbidden,
    is_blank,
    last_places,
    tags_of,
    transitions,
)
from semipunct.structures.chain import LinearChain, linear_chain
from semipunct.structures.distribution import Distribution

TEMPERATURE = "temperature"
"""The divisor of the log-odds of sentence ends; only ``calibrate`` fits this weight."""

_LENGTH = 256  # the minimum padded length


class _Data(msgspec.Struct):
    characters: CharacterVocabulary
    expansions: Expansions
    marks: tuple[str, ...]


class CharacterBatch(NamedTuple):
    """Padded texts; the guises of a passage are consecutive rows."""

    codes: npt.NDArray[np.int32]  # [CODES, rows, length]
    tags: npt.NDArray[np.int8]  # [rows, length]
    blank: npt.NDArray[np.bool_]  # [rows, length], true for blanks and in the padding
    lengths: npt.NDArray[np.int32]  # [rows]
    last: npt.NDArray[np.int32]  # [rows], position of the last non-blank character


@dataclass(frozen=True, slots=True)
class Encoded:
    """Passages in all their guises, by passage and guise."""

    codes: Sequence[Sequence[npt.NDArray[np.int32]]]  # [CODES, characters]
    tags: Sequence[Sequence[npt.NDArray[np.int8]]]  # [characters]
    blank: Sequence[Sequence[npt.NDArray[np.bool_]]]  # [characters]

    @property
    def lengths(self) -> list[int]:
        """The number of characters of the longest guise of each passage."""
        return [max(map(len, blank)) for blank in self.blank]


@dataclass(frozen=True, eq=False, repr=False)
class Tokeniser(
    MaximumLikelihood[Encoded, CharacterBatch, Passage],
    AveragedNetwork[Encoded, CharacterBatch, Passage],
):
    """A linear chain over the tags of characters, scored by gated convolutions."""

    kind: ClassVar[str] = "tokeniser"
    scoring_limits: ClassVar[tuple[int, int]] = (16, 2**14)
    warming: ClassVar[int] = 100
    usage: ClassVar[tuple[str, ...]] = ()

    options: TokeniserOptions
    characters: CharacterVocabulary
    expansions: Expansions
    marks: tuple[str, ...]  # tokens that ``is_mark`` misclassifies by their characters

    @classmethod
    def fit(cls, sentences: Sequence[Passage], options: TokeniserOptions) -> Tokeniser:
        texts = (IN_GUISE[name](p).text for p in sentences for name in options.guises)
        characters = CharacterVocabulary.of(texts, options.minimum_count, options.minimum_run_count)
        return cls(options, characters, Expansions.of(sentences), _exceptions(sentences))

    def initial_parameters(self, seed: int, scale: float) -> dict[str, Array]:
        generator = np.random.default_rng(seed)
        weights = convolution_weights(
            self.characters.sizes(CODES), self.options.size, self.options.layers, TAGS, generator
        )
        transition = generator.normal(0.0, scale, (TAGS, TAGS)).astype(np.float32)
        return {**weights, "transition": transition, TEMPERATURE: np.ones((), np.float32)}

    def encode(self, sentences: Sequence[Passage]) -> Encoded:
        guises_of_all = [[IN_GUISE[name](p) for name in self.options.guises] for p in sentences]
        return Encoded(
            [[self.characters.encode(g.text) for g in guises] for guises in guises_of_all],
            [[tags_of(g) for g in guises] for guises in guises_of_all],
            [[is_blank(g.text) for g in guises] for guises in guises_of_all],
        )

    def fit_shape(
        self, encoded: Encoded, batches: Sequence[Sequence[int]], sentences: int, *, scoring: bool
    ) -> tuple[int, int]:
        longest = [max(encoded.lengths[i] for i in members) for members in batches]
        return sentences, _LENGTH if scoring else round_up(max(longest), _LENGTH)

    def batch(
        self, encoded: Encoded, members: Sequence[int], shape: tuple[int, int] | None = None
    ) -> CharacterBatch:
        size, least = shape or (len(members), _LENGTH)
        guises = len(self.options.guises)
        blanks = [blank for i in members for blank in encoded.blank[i]]
        longest = max(map(len, blanks))
        length = least if longest <= least else round_up(longest, _LENGTH, 2)
        lengths = row_lengths([len(blank) for blank in blanks], size * guises)
        room = len(lengths), length
        last = np.full(len(lengths), -1, np.int32)
        last[: len(blanks)] = last_places(blanks)
        return CharacterBatch(
            pad_rows([codes for i in members for codes in encoded.codes[i]], room, axis=1),
            pad_rows([tags for i in members for tags in encoded.tags[i]], room, fill=OUTSIDE),
            pad_rows(blanks, room, fill=True),
            lengths,
            last,
        )

    def log_likelihoods(
        self,
        parameters: Parameters,
        batch: CharacterBatch,
        dropout: tuple[jax.Array, TokeniserTrainOptions] | None = None,
    ) -> jax.Array:
        """Return log p(tags | characters), ``[passages]``, summed over guises."""
        codes = jnp.asarray(batch.codes)
        drop = None
        if dropout is not None:
            key, options = dropout
            drop = jax.random.fold_in(key, 0), options.dropout
            shares = jnp.array([options.unknown, options.unknown_words])[:, None, None]
            chance = jax.random.bernoulli(jax.random.fold_in(key, 1), shares, (2, *codes.shape[1:]))
            for name, hidden in LEARNT.items():
                i = CODES.index(name)
                codes = codes.at[i].set(jnp.where(chance[hidden], 0, codes[i]))
        chain = self.chain_of(parameters, batch._replace(codes=codes), drop)
        tags = jnp.asarray(batch.tags, jnp.int32)
        log_p = Distribution(chain).log_prob(tags)
        return jnp.sum(log_p.reshape(-1, len(self.options.guises)), 1)

    def calibrate(
        self, parameters: Mapping[str, Any], batches: Iterable[tuple[list[int], CharacterBatch]]
    ) -> Mapping[str, Any]:
        weights = self.place_weights(parameters)
        odds: list[npt.NDArray[np.float32]] = [np.zeros(0, np.float32)]
        ends: list[npt.NDArray[np.bool_]] = [np.zeros(0, bool)]
        for _, batch in batches:
            # The last token of a passage is known to end a sentence.
            open_ = (batch.tags >= LAST) & (np.arange(batch.tags.shape[1]) != batch.last[:, None])
            odds.append(np.asarray(_end_log_odds(self, weights, batch))[open_])
            ends.append(batch.tags[open_] == STOP)
        fitted = temperature(np.concatenate(odds), np.concatenate(ends))
        return {**parameters, TEMPERATURE: np.array(fitted, np.float32)}

    def chain(
        self,
        parameters: Parameters,
        score: jax.Array,
        blank: jax.Array,
        last: jax.Array,
        lengths: jax.Array,
    ) -> LinearChain:
        """Return the linear chains over tags.

        Args:
            score: ``[rows, length, tags]``, output of the network.
            last: ``[rows]``, position of the last non-blank character.
        """
        return linear_chain(
            score + forbidden(blank, last), transitions(parameters["transition"]), lengths
        )

    def chain_of(
        self,
        parameters: Parameters,
        batch: CharacterBatch,
        dropout: tuple[jax.Array, float] | None = None,
    ) -> LinearChain:
        lengths = jnp.asarray(batch.lengths)
        inside = jnp.arange(batch.blank.shape[1]) < lengths[:, None]
        score = convolve(parameters, CODES, jnp.asarray(batch.codes), inside, dropout)
        return self.chain(
            parameters, score, jnp.asarray(batch.blank), jnp.asarray(batch.last), lengths
        )

    def noisy_log_likelihoods(
        self,
        parameters: Parameters,
        batch: CharacterBatch,
        key: jax.Array,
        options: TokeniserTrainOptions,
    ) -> jax.Array:
        return self.log_likelihoods(parameters, batch, (key, options))

    def units(self, batch: CharacterBatch) -> jax.Array:
        return jnp.sum(jnp.asarray(batch.lengths))

    def to_data(self) -> dict[str, Any]:
        return msgspec.to_builtins(_Data(self.characters, self.expansions, self.marks))

    @classmethod
    def from_data(cls, data: Any, options: TokeniserOptions) -> Tokeniser:
        decoded = msgspec.convert(data, _Data)
        return cls(options, decoded.characters, decoded.expansions, decoded.marks)

    @property
    def description(self) -> str:
        guises = " and ".join(self.options.guises)
        return (
            "Gated convolutions over characters with a linear chain, which cut running text into "
            f"tokens and sentences; learnt of text {guises}. A table says which tokens are several "
            "words."
        )

    def signature(self) -> dict[str, str]:
        return {"guises": "+".join(self.options.guises)}


@partial(jit, static=1)
def _end_log_odds(model: Tokeniser, parameters: Parameters, batch: CharacterBatch) -> jax.Array:
    chain = model.chain_of(parameters, batch)
    return end_log_odds(Distribution(chain).marginals().emission)


def _exceptions(passages: Sequence[Passage]) -> tuple[str, ...]:
    """List the tokens that ``corpus.located.is_mark`` misclassifies."""
    counts: Counter[str] = Counter()
    for passage in passages:
        for form, mark in zip(passage.forms(), passage.marks, strict=True):
            if mark != is_mark(form):
                counts[form] += 1
            elif not form.isalnum():
                counts[form] -= 1
    # Words mistakenly tagged as punctuation contain letters and are excluded.
    return tuple(sorted(f for f, n in counts.items() if n > 0 and not any(map(str.isalnum, f))))


HIGHEST = 8.0
"""The maximum temperature. The minimum is 1: lower ones would need many held-out sentences."""


def temperature(log_odds: npt.NDArray[np.floating], ends: npt.NDArray[np.bool_]) -> float:
    """Return the temperature that maximises the likelihood of the given sentence ends.

    A tokeniser is overconfident on text other than its training text. Temperature scaling (Guo et
    al. 2017, section 4.2) divides the log-odds of sentence ends by a constant.
    """
    # Only training calibrates, and this import is slower than all others here.
    from scipy.optimize import minimize_scalar  # pyright: ignore[reportMissingTypeStubs]

    right = np.where(ends, log_odds, -log_odds).astype(np.float64)
    right = right[np.isfinite(right)]  # NaN: training has diverged, which the next step reports
    if not len(right):
        return 1.0

    def loss(inverse: float) -> float:
        return float(np.logaddexp(0.0, -inverse * right).mean())

    minimum: Any = minimize_scalar(loss, bounds=(1 / HIGHEST, 1.0), method="bounded")
    return 1 / float(minimum.x)
