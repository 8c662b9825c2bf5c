"""Slots as independent draws from one distribution over strings: a model in a hundred lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import msgspec
import numpy as np
import optax

from semipunct import Sentence
from semipunct.extend import (
    UNK,
    AtLeastOne,
    Kind,
    Model,
    SharedTrainOptions,
    Spelling,
    Sums,
    alphabet,
    frequent_tokens,
    pad_rows,
    round_up,
    schedule,
    token_counts,
    with_unknown,
)


@dataclass(frozen=True, slots=True)
class UnigramOptions:
    """The section ``[model]``."""

    minimum_count: AtLeastOne = 2


class Vocabulary(msgspec.Struct, frozen=True):
    """Frequent strings, and the spelling of all others."""

    tokens: tuple[str, ...]
    strings: tuple[tuple[str, ...], ...]
    spelling: Spelling


class Encoded(NamedTuple):
    """For each slot the number of its string, and log p(string | number)."""

    numbers: list[np.ndarray]
    spelt: list[np.ndarray]

    @property
    def lengths(self) -> list[int]:
        return [len(x) - 1 for x in self.numbers]


class Batch(NamedTuple):
    """``[sentences, slots]``; number -1 in the padding."""

    number: np.ndarray
    spelt: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class Unigram(Model[Encoded, Batch]):
    """One weight for each frequent string, and one for all others together."""

    kind = "unigram"

    options: UnigramOptions
    vocabulary: Vocabulary

    @classmethod
    def fit(cls, sentences: Sequence[Sentence], options: UnigramOptions) -> Unigram:
        slots = [slot for s in sentences for slot in s.slots]
        tokens = frequent_tokens(token_counts(slots), options.minimum_count)
        masked = [with_unknown(slot, {UNK, *tokens}) for slot in slots]
        strings = [x for x, n in Counter(masked).items() if n >= options.minimum_count]
        spelling = Spelling.of(set(masked), alphabet(tokens))
        return cls(options, Vocabulary(tokens, tuple(sorted({(), *strings})), spelling))

    def initial_parameters(self, seed: int, scale: float) -> dict[str, np.ndarray]:
        drawn = np.random.default_rng(seed).normal(0.0, scale, len(self.vocabulary.strings) + 1)
        return {"weight": drawn.astype(np.float32)}

    def encode(self, sentences: Sequence[Sentence]) -> Encoded:
        v = self.vocabulary
        number = {string: i for i, string in enumerate(v.strings)}
        code = {symbol: i for i, symbol in enumerate(alphabet(v.tokens))}
        numbers, spelt = [], []
        for s in sentences:
            masked = [with_unknown(slot, {UNK, *v.tokens}) for slot in s.slots]
            numbers.append(np.array([number.get(x, len(number)) for x in masked], np.int32))
            spelt.append(
                [
                    0.0 if x in number else v.spelling.log_probability([code[t] for t in x])
                    for x in masked
                ]
            )
        return Encoded(numbers, [np.array(x, np.float32) for x in spelt])

    def fit_shape(
        self, encoded: Encoded, batches: Sequence[Any], sentences: int, *, scoring: bool
    ) -> Any:
        return sentences, max(encoded.lengths) + 1

    def batch(self, encoded: Encoded, members: Sequence[int], shape: Any = None) -> Batch:
        longest = round_up(max(encoded.lengths[i] for i in members) + 1)
        size, slots = shape or (len(members), longest)
        room = size, max(slots, longest)
        return Batch(
            pad_rows([encoded.numbers[i] for i in members], room, fill=-1),
            pad_rows([encoded.spelt[i] for i in members], room),
        )

    def log_likelihoods(self, parameters: Any, batch: Batch) -> jax.Array:
        log_p = jax.nn.log_softmax(parameters["weight"])[batch.number] + batch.spelt
        return jnp.sum(jnp.where(batch.number >= 0, log_p, 0.0), 1)

    def loss(self, parameters, constants, batch, key, options):
        total, slots = jnp.sum(self.log_likelihoods(parameters, batch)), jnp.sum(batch.number >= 0)
        return -total / slots, Sums.of(total, slots)

    def optimiser(
        self, options: SharedTrainOptions, steps: int, slots: float
    ) -> optax.GradientTransformation:
        return optax.adam(schedule(options.schedule, options.learning_rate, steps))

    def to_data(self) -> dict[str, Any]:
        return msgspec.to_builtins(self.vocabulary)

    @classmethod
    def from_data(cls, data: Any, options: UnigramOptions) -> Unigram:
        return cls(options, msgspec.convert(data, Vocabulary))

    @property
    def description(self) -> str:
        return "Slots are independent draws from one distribution over strings."

    def signature(self) -> dict[str, str]:
        return {"tokens": f">={self.options.minimum_count}"}


KIND = Kind("unigram", "unigram_model:Unigram", UnigramOptions, SharedTrainOptions)
