"""The complete model: p(x | T) from ATTACH and the channel, as potentials of the tree structure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.arrays.groups import log_sums
from semipunct.arrays.rows import RowNumbers, take_rows
from semipunct.corpus.sentences import Sentence
from semipunct.features.index import FeatureIndex, FeatureRows
from semipunct.features.support import Support
from semipunct.features.templates import TEMPLATES, Table
from semipunct.features.vocabulary import Vocabulary
from semipunct.marks import PAIRS, is_unmatched
from semipunct.models.base import Batching, Model, Parameters, Sums, Weights
from semipunct.models.punctuation.attach import (
    FEATURES,
    TREE_TABLES,
    AttachTables,
    attach_parameters,
    attach_tables,
    log_attach,
    tree_scores,
    weights_of,
)
from semipunct.models.punctuation.batches import (
    Batch,
    BatchShape,
    EncodedSentences,
    draft,
    encode,
    fit_shape,
    lay_out,
)
from semipunct.models.punctuation.channel import channel_parameters, log_edits
from semipunct.models.punctuation.data import from_data, to_data
from semipunct.models.punctuation.inventory import Inventory, build_inventory, supports
from semipunct.models.punctuation.loss import loss
from semipunct.models.punctuation.options import ModelOptions, TrainOptions
from semipunct.models.punctuation.pruning import prune_weights, without_zeros
from semipunct.models.punctuation.slot_automata import automata, label_tries
from semipunct.structures.given_tree import GivenTrees, Pairs, Trie, inside, log_totals
from semirings.log import Log

if TYPE_CHECKING:
    from semipunct.models.base import Optimiser


class TreeScores(NamedTuple):
    """Unnormalised scores from words and tree, the input of samplers."""

    pair: jax.Array  # [words, pairs]
    left: jax.Array  # [words, labels], log-sums over the pairs with each left label


@dataclass(frozen=True, eq=False, repr=False)
class PunctuationModel(Model[EncodedSentences, Batch]):
    """A punctuation model without its weights."""

    kind: ClassVar[str] = "punctuation"
    batching: ClassVar[Batching] = "words"
    usage: ClassVar[tuple[str, ...]] = (
        "semipunct evaluate MODEL TEST.conllu",
        "semipunct decode MODEL IN.conllu",
    )

    options: ModelOptions
    inventory: Inventory
    features: FeatureIndex
    supports: Mapping[Table, Support]  # outcomes for which features have weights

    @classmethod
    def fit(cls, sentences: Sequence[Sentence], options: ModelOptions) -> Self:
        return cls._fit(sentences, options)[0]

    @classmethod
    def fit_and_encode(
        cls, sentences: Sequence[Sentence], options: ModelOptions
    ) -> tuple[Self, EncodedSentences]:
        model, rows = cls._fit(sentences, options)
        return model, model._encode(sentences, rows)

    @classmethod
    def _fit(
        cls, sentences: Sequence[Sentence], options: ModelOptions
    ) -> tuple[Self, Mapping[Table, FeatureRows]]:
        inventory = build_inventory(sentences, options)
        vocabulary = Vocabulary.of(sentences, inventory.symbols)
        templates = [t for t in TEMPLATES if t.name in options.templates]
        features, rows = FeatureIndex.fit(
            sentences, vocabulary, templates, options.minimum_context_count
        )
        weights = supports(sentences, inventory, features, rows, options.minimum_outcome_count)
        return cls(options, inventory, features, weights), rows

    @property
    def directions(self) -> tuple[bool, ...]:
        """For each pass, whether its window moves from right to left."""
        first = self.options.channel == "r2l"
        passes = 1 if self.options.channel == "none" else self.options.passes
        return tuple(first == (i % 2 == 0) for i in range(passes))

    @cached_property
    def attach_tables(self) -> AttachTables:
        return attach_tables(self.inventory)

    @cached_property
    def tries(self) -> tuple[Trie, Trie]:
        """Tries of the punctemes in reading order."""
        return label_tries(self.inventory, mirrored=self.directions[0])

    @cached_property
    def pairs(self) -> Pairs:
        """The pairs grouped by either side, in reading order."""
        sides = self.inventory.pairs[:, ::-1] if self.directions[0] else self.inventory.pairs
        return Pairs.of(sides[:, 0], sides[:, 1], len(self.inventory.labels))

    @cached_property
    def unmatched(self) -> npt.NDArray[np.float32]:
        """``[pairs]``, one for pairs with unmatched tokens (appendix B)."""
        tokens = set(self.inventory.symbols)
        known_pairs = {(a, b) for a, b in PAIRS if a in tokens and b in tokens}
        names = (self.inventory.pair_name(p) for p in range(len(self.inventory.pairs)))
        return np.array([is_unmatched(a, b, known_pairs) for a, b in names], np.float32)

    def initial_parameters(self, seed: int, scale: float) -> dict[str, np.ndarray]:
        generator = np.random.default_rng(seed) if scale > 0 else None
        return {
            **attach_parameters(self.inventory, self.supports, generator, scale),
            **channel_parameters(self.inventory.symbols, self.options, generator, scale),
        }

    def encode(self, sentences: Sequence[Sentence]) -> EncodedSentences:
        return self._encode(sentences, None)

    def encode_trees(self, sentences: Sequence[Sentence]) -> EncodedSentences:
        """Encode words and trees without features of marks."""
        return self._encode(sentences, self.features.extract(sentences, TREE_TABLES))

    def _encode(
        self, sentences: Sequence[Sentence], rows: Mapping[Table, FeatureRows] | None
    ) -> EncodedSentences:
        return encode(
            sentences,
            self.inventory,
            self.features.extract(sentences) if rows is None else rows,
            self.supports,
            self.directions,
            final_mark=self.options.final_mark,
        )

    def fit_shape(
        self,
        encoded: EncodedSentences,
        batches: Sequence[Sequence[int]],
        sentences: int,
        *,
        scoring: bool,
    ) -> BatchShape:
        drafts = [draft(encoded, members) for members in batches]
        return fit_shape(encoded, drafts, sentences, scoring=scoring)

    def batch(
        self, encoded: EncodedSentences, members: Sequence[int], shape: BatchShape | None = None
    ) -> Batch:
        drafted = draft(encoded, members)
        shape = shape or fit_shape(encoded, [drafted], len(members), scoring=True)
        return lay_out(encoded, drafted, self.inventory, self.directions, shape)

    def place_weights(self, parameters: Weights) -> dict[str, Any]:
        return {n: p if n in FEATURES else jnp.asarray(p) for n, p in parameters.items()}

    def read(self, parameters: Weights, batch: Batch) -> dict[str, Any]:
        rows = _rows_read(batch)
        return {
            n: take_rows(p, rows[n]) if n in rows else p
            for n, p in parameters.items()
            if n in rows or n not in FEATURES
        }

    def updated_rows(self, batch: Batch, options: TrainOptions) -> Mapping[str, RowNumbers]:
        return _rows_read(batch) if options.lazy else {}

    def log_likelihoods(self, parameters: Parameters, batch: Batch) -> jax.Array:
        # NaN where products of weights exceed the range of floats.
        return log_totals(self.potentials(parameters, batch))

    def exact_log_likelihoods(self, parameters: Parameters, batch: Batch) -> jax.Array:
        total = inside(self.potentials(parameters, batch), Log())
        return Log().log_weight(total.value) + total.log_scale

    def constants(self, options: TrainOptions) -> dict[str, jax.Array]:
        """Return the centre of L2: zero except for the log-counts."""
        if options.centre == "zero":
            return {}
        start = self.initial_parameters(0, 0.0)
        return {n: jnp.asarray(v) if v.any() else jnp.zeros((), v.dtype) for n, v in start.items()}

    def loss(
        self,
        parameters: Parameters,
        constants: Parameters,
        batch: Batch,
        key: jax.Array,
        options: TrainOptions,
    ) -> tuple[jax.Array, Sums]:
        unmatched = jnp.asarray(self.unmatched) if options.xi else None
        read = parameters if options.lazy else self.read(parameters, batch)
        potentials = self.potentials(read, batch, unmatched)
        return loss(potentials, jnp.asarray(batch.slots), parameters, constants, options)

    def optimiser(self, options: TrainOptions, steps: int, slots: float) -> Optimiser:
        # Decoding and restoring do not need optax, whose import is slow.
        import optax  # pyright: ignore[reportMissingTypeStubs]

        from semipunct.models.optimisation import lazy_adam, prompt, schedule, together

        def label(parameters: Mapping[str, Any]) -> dict[str, str]:
            return {n: "channel" if n.startswith("channel") else "attach" for n in parameters}

        attach, channel = (
            schedule(options.schedule, rate, steps)
            for rate in (options.learning_rate, options.channel_learning_rate)
        )
        rates: dict[Hashable, optax.GradientTransformation] = {
            "attach": optax.adam(attach),
            "channel": optax.adam(channel),
        }
        dense = prompt(optax.multi_transform(rates, label))
        if not options.lazy:
            return dense
        # ``decay`` is the penalty per slot; ``loss`` has no penalty for these weights.
        return together(lazy_adam(attach, decay=2 * options.l2 / slots), FEATURES, dense)

    def prune(
        self,
        parameters: Mapping[str, np.ndarray],
        options: TrainOptions,
        perplexity: Callable[[Mapping[str, np.ndarray]], float],
    ) -> Mapping[str, np.ndarray]:
        return prune_weights(parameters, options.prune, perplexity) if options.prune else parameters

    def without_zeros(
        self, parameters: Mapping[str, np.ndarray]
    ) -> tuple[Self, Mapping[str, np.ndarray]]:
        features, supports, weights = without_zeros(self.features, self.supports, parameters)
        return replace(self, features=features, supports=supports), weights

    def to_data(self) -> dict[str, Any]:
        return to_data(self.inventory, self.features, self.supports)

    @classmethod
    def from_data(cls, data: Any, options: ModelOptions) -> Self:
        return cls(options, *from_data(data))

    @property
    def description(self) -> str:
        return (
            "A log-linear model of underlying punctuation with a noisy channel (Li, Wang and "
            "Eisner 2019). It says how probable the punctuation of a sentence is, given its words "
            "and tree, and finds the underlying punctuation behind it."
        )

    def signature(self) -> dict[str, str]:
        return {
            "channel": self.options.channel,
            "sets": "hard" if self.options.hard_sets else "open",
            "tokens": f">={self.options.minimum_token_count}",
            "final": "yes" if self.options.final_mark else "no",
        }

    def unseen(self, sentences: Sequence[Sentence]) -> Mapping[str, Counter[str]]:
        return self.features.vocabulary.unseen(sentences)

    def log_choice(self, parameters: Parameters, batch: Batch) -> jax.Array:
        """Return the log-probability of every pair, ``[words, pairs]``."""
        if batch.choice is not None:
            return batch.choice
        return log_attach(
            parameters, self.attach_tables, batch.features, batch.relation, batch.closed
        )

    def tree_scores(self, parameters: Parameters, batch: Batch) -> TreeScores:
        tables = self.attach_tables
        pair = tree_scores(parameters, tables, batch.features, batch.relation, batch.closed)
        return TreeScores(pair, log_sums(pair, tables.left))

    def potentials(
        self, parameters: Parameters, batch: Batch, feature: jax.Array | None = None
    ) -> GivenTrees:
        """Return the log weights of all choices and slot automata of a batch.

        Args:
            feature: ``[pairs]`` or ``[words, pairs]``, an additive quantity of choices.
        """
        choice = self.log_choice(parameters, batch)
        symbols = self.inventory.symbols
        passes = [
            log_edits(parameters, i, symbols, self.options) for i in range(len(self.directions))
        ]
        return GivenTrees(
            choice,
            None if feature is None else jnp.broadcast_to(feature, choice.shape),
            self.pairs,
            automata(batch.accept, passes, self.inventory, self.tries, self.directions),
            batch.schedule,
            batch.log_scale,
        )


def _rows_read(batch: Batch) -> dict[str, RowNumbers]:
    return {weights_of(table): rows.weight for table, rows in batch.features.items()}
