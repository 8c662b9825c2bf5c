"""The interface of all models: the methods that training, the model store and evaluation call.

A kind of model is a folder with a class derived from ``Model`` and one line in
``semipunct.models.registry``. Its weights are a flat dictionary of arrays by name; everything else
is an immutable object. What only some kinds can do is in ``semipunct.models.capabilities``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, NamedTuple, Protocol, Self
from weakref import WeakKeyDictionary

import jax
import jax.numpy as jnp
from typing_extensions import TypeVar

from semipunct.arrays.rows import RowNumbers
from semipunct.corpus.sentences import Sentence
from semipunct.models.contents import Array, digest

if TYPE_CHECKING:
    import optax  # pyright: ignore[reportMissingTypeStubs]

Parameters = Mapping[str, jax.Array]
Weights = Mapping[str, Array] | Parameters
"""Weights by name, on the host or on the device."""


class Encoded(Protocol):
    """Sentences encoded by a model: everything that does not depend on how they are batched."""

    @property
    def lengths(self) -> Sequence[int]:
        """The number of words in each sentence."""
        ...


class Sums(NamedTuple):
    """Sums over the sentences of a batch, returned together with the loss.

    Attributes:
        log_likelihood: sum of log p(x | T) over the sentences with positive probability.
        slots: slots of these sentences.
        impossible: number of sentences with probability zero.
    """

    log_likelihood: jax.Array
    slots: jax.Array
    impossible: jax.Array

    @classmethod
    def of(cls, log_likelihood: jax.Array, slots: jax.Array) -> Sums:
        """Return the sums for a kind of model that gives no sentence probability zero.

        Args:
            log_likelihood: sum over the sentences.
            slots: number of slots in these sentences, or of other units that are predicted.
        """
        return cls(log_likelihood, slots, jnp.zeros((), jnp.int32))


class Optimiser(NamedTuple):
    """An optax transformation that may postpone the updates of weights that no batch reads.

    Attributes:
        init: maps weights to the state, as in optax.
        update: maps gradients, state and weights to updates and the next state, as in optax, except
            that the gradients and updates of some weights are ``Rows``.
        current: maps weights, state, and the row numbers of the weights that are read in part, by
            name, to the up-to-date weights: only those rows for the weights named, all rows for the
            others.
        result: maps weights and state to the weights that are evaluated and saved: the current
            ones, or an average over the steps.
    """

    init: Callable[[Any], Any]
    update: Callable[[Any, Any, Any], tuple[Any, Any]]
    current: Callable[[Weights, Any, Mapping[str, RowNumbers]], Weights]
    result: Callable[[Weights, Any], Weights]


E = TypeVar("E", bound=Encoded, default=Any)
B = TypeVar("B", default=Any)
X = TypeVar("X", default=Any, contravariant=True)

Batching = Literal["sentences", "words", "length"]


class Model(ABC, Generic[E, B, X]):
    """A model of punctuation, or of a task that precedes it, without its weights.

    A subclass is a frozen dataclass compared by identity (``eq=False``): models are static
    arguments of compiled functions. ``E`` is its type of encoded sentences, ``B`` the type of its
    batches, a pytree. ``X`` is the type of its training examples, sentences unless stated
    otherwise; they are called sentences below.
    """

    kind: ClassVar[str]
    """The name in the registry."""

    scoring_limits: ClassVar[tuple[int, int]] = (64, 512)
    """The maximum number of sentences and of words in a batch when no gradient is needed.

    Without a reverse pass a batch takes little memory, but with larger batches more sentences would
    be padded to the shape of the longest ones.
    """

    batching: ClassVar[Batching] = "sentences"
    """The quantity that the training batches have in common.

    ``sentences``: the number of sentences. ``words``: the approximate number of words, for models
    that concatenate sentences; this reduces padding. ``length``: the sentences of a batch are
    padded to one of a few lengths, and batches of longer sentences hold fewer of them; for models
    that pad each sentence and are slow on long ones. Their scoring uses such batches, too.
    """

    usage: ClassVar[tuple[str, ...]] = ("semipunct evaluate MODEL TEST.conllu",)
    """Commands that take such a model, listed in the model card."""

    options: Any
    """An instance of the kind's ``model_options``; its ``repr`` is part of the digest."""

    @classmethod
    @abstractmethod
    def fit(cls, sentences: Sequence[X], options: Any) -> Self:
        """Collect the vocabulary of training sentences.

        Args:
            sentences: words, trees and surface punctuation.
            options: an instance of the kind's ``model_options``.
        """

    @classmethod
    def fit_and_encode(cls, sentences: Sequence[X], options: Any) -> tuple[Self, E]:
        """Fit a model, and encode the same sentences.

        A kind overrides this if fitting computes something that encoding needs as well.

        Args:
            sentences: words, trees and surface punctuation.
            options: an instance of the kind's ``model_options``.
        """
        model = cls.fit(sentences, options)
        return model, model.encode(sentences)

    @abstractmethod
    def initial_parameters(self, seed: int, scale: float) -> dict[str, Array]:
        """Return the initial weights for training; the model determines names, shapes and dtypes.

        Args:
            seed: seed of the random initial weights.
            scale: standard deviation of those weights that start at zero if it is 0.
        """

    def empty_parameters(self) -> dict[str, Array]:
        """Return arrays with the names, shapes and dtypes of the weights, with any values.

        A kind with many weights overrides this if drawing them takes long.
        """
        return self.initial_parameters(0, 0.0)

    @abstractmethod
    def encode(self, sentences: Sequence[X]) -> E:
        """Compute, once for all batches, everything that does not depend on the batches."""

    def fit_shape(
        self, encoded: E, batches: Sequence[Sequence[int]], sentences: int, *, scoring: bool
    ) -> Any:
        """Choose padded sizes for ``batch`` that suit some typical batches.

        The default is the number of sentences, for kinds that pad each batch separately to one of a
        few lengths.

        Args:
            encoded: all sentences.
            batches: the numbers of the sentences in each of these batches, of which there is at
                least one.
            sentences: the maximum number of sentences in a batch.
            scoring: whether no gradient is needed; the batches are then all there are, and sizes
                shared with other sentences save compilations.
        """
        return sentences

    @abstractmethod
    def batch(self, encoded: E, members: Sequence[int], shape: Any = None) -> B:
        """Return the padded arrays of some of the sentences.

        Args:
            encoded: all sentences.
            members: the numbers of the sentences in the batch.
            shape: from ``fit_shape``; None for sizes that suit this batch.
        """

    @abstractmethod
    def log_likelihoods(self, parameters: Parameters, batch: B) -> jax.Array:
        """Return log p(x | T) of each sentence, ``[sentences]``; zero for padding.

        The value is minus infinity for a sentence with probability zero. It may be NaN if the model
        ``ScoresExactly``.

        Args:
            parameters: the weights that the batch reads.
            batch: from ``batch``.
        """

    @abstractmethod
    def loss(
        self, parameters: Parameters, constants: Parameters, batch: B, key: jax.Array, options: Any
    ) -> tuple[jax.Array, Sums]:
        """Return the loss per slot, which is differentiable, and sums over the batch.

        Args:
            parameters: weights by name; for those that are updated in part (``ReadsRows``), rows.
            constants: those of a model that ``NeedsConstants``.
            batch: from ``batch``.
            key: PRNG key, for dropout.
            options: an instance of the kind's ``train_options``; the model applies their penalties.
        """

    @abstractmethod
    def optimiser(
        self, options: Any, steps: int, slots: float
    ) -> optax.GradientTransformation | Optimiser:
        """Return the optimiser; the model decides on the learning rate of each weight.

        It is an optax transformation, or one that handles weights that are updated in part
        as ``Rows``.

        Args:
            options: an instance of the kind's ``train_options``.
            steps: total number of updates, for schedules.
            slots: mean number of slots in a training sentence, for penalties that are per sentence.
        """

    @abstractmethod
    def to_data(self) -> dict[str, Any]:
        """Return everything except options and weights as plain JSON values.

        Large values may be numpy arrays, in dictionaries whose keys contain no slash.
        """

    @classmethod
    @abstractmethod
    def from_data(cls, data: Any, options: Any) -> Self:
        """Invert ``to_data``.

        Args:
            data: plain JSON values and arrays.
            options: an instance of the kind's ``model_options``.

        Raises:
            KeyError, TypeError, ValueError: if the data is not what ``to_data`` returns.
        """

    @property
    @abstractmethod
    def description(self) -> str:
        """A paragraph for the model card."""

    def __repr__(self) -> str:
        # Vocabularies have thousands of entries: a dataclass needs ``repr=False`` for this one.
        return f"<{type(self).__name__}: {self.options}>"

    @cached_property
    def fingerprint(self) -> str:
        """A digest of options and vocabulary; everything else is in the weights."""
        return digest(self, {})

    def signature(self) -> dict[str, str]:
        """Return the properties that determine the scores of this model, for evaluation signatures.

        ``tokens`` is the predicted vocabulary: scores with different vocabularies are not
        comparable.
        """
        return {}

    def unseen(self, sentences: Sequence[Sentence]) -> Mapping[str, Counter[str]]:
        """Count relations and tags that did not occur in training, by attribute and value."""
        return {}


M = TypeVar("M", bound=Model)
R = TypeVar("R")


def cache_latest(make: Callable[[M, Weights], R]) -> Callable[[M, Weights], R]:
    """Return a function that caches, for each model, its result for the most recent weights.

    Weights are compared by identity: a dictionary of weights is never modified. Only the last ones
    are held (docs/decisions/compiled-programs.md).

    Args:
        make: a function of a model and its weights whose result does not refer to the model;
            otherwise the model would never be freed.
    """
    last: WeakKeyDictionary[M, tuple[Weights, R]] = WeakKeyDictionary()

    @wraps(make)
    def cached(model: M, parameters: Weights) -> R:
        latest = last.get(model)
        if latest is None or latest[0] is not parameters:
            last[model] = latest = (parameters, make(model, parameters))
        return latest[1]

    return cached
