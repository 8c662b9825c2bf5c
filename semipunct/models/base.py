"""The interface of all models, as training, the model store and evaluation call it.

A kind of model is a subclass of ``Model`` with an entry in ``semipunct.models.registry``. Weights
are a flat dictionary of arrays.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, NamedTuple, Protocol, Self
from weakref import WeakKeyDictionary

import jax
import jax.numpy as jnp
from typing_extensions import TypeVar

from semipunct.arrays.rows import RowNumbers
from semipunct.corpus.sentences import Sentence
from semipunct.errors import ModelError
from semipunct.models.contents import Array, digest

if TYPE_CHECKING:
    import optax  # pyright: ignore[reportMissingTypeStubs]

Parameters = Mapping[str, jax.Array]
Weights = Mapping[str, Array] | Parameters
"""Weights by name, on the host or on the device."""


class Encoded(Protocol):
    """Sentences as encoded by a model, independent of their batches."""

    @property
    def lengths(self) -> Sequence[int]:
        """Numbers of words."""
        ...


class Sums(NamedTuple):
    """Sums over the sentences of a batch, returned with the loss."""

    log_likelihood: jax.Array  # of sentences with positive probability
    slots: jax.Array  # of these sentences
    impossible: jax.Array  # number of sentences with probability zero

    @classmethod
    def of(cls, log_likelihood: jax.Array, slots: jax.Array) -> Sums:
        """Return the sums of a batch without impossible sentences."""
        return cls(log_likelihood, slots, jnp.zeros((), jnp.int32))


class Optimiser(NamedTuple):
    """An optax transformation that may defer updates of weights that no batch reads."""

    init: Callable[[Any], Any]  # as in optax
    # as in optax, but gradients and updates of some weights are ``Rows``
    update: Callable[[Any, Any, Any], tuple[Any, Any]]
    # Maps weights, state and row numbers by weight name to up-to-date weights: only the given rows
    # of the named weights, all rows of the others.
    current: Callable[[Weights, Any, Mapping[str, RowNumbers]], Weights]
    result: Callable[[Weights, Any], Weights]  # maps weights and state to the weights to save


E = TypeVar("E", bound=Encoded, default=Any)
B = TypeVar("B", default=Any)
X = TypeVar("X", default=Any, contravariant=True)

Batching = Literal["sentences", "words", "length"]


class Model(ABC, Generic[E, B, X]):
    """A model of punctuation, or of a preceding task, without its weights.

    Subclasses are frozen dataclasses compared by identity (``eq=False``), because models are static
    arguments of compiled functions. Type parameters are encoded sentences, batches (pytrees), and
    training examples, called sentences below.
    """

    kind: ClassVar[str]
    """The name in the registry."""

    # Memory would allow larger batches, but they would pad more sentences to the longest one.
    scoring_limits: ClassVar[tuple[int, int]] = (64, 512)
    """Maximum number of sentences and of words in a batch that needs no gradient."""

    # ``sentences``: the number of sentences. ``words``: roughly the number of words, for models
    # that concatenate sentences. ``length``: each sentence is padded to one of a few lengths, and
    # batches of longer sentences are smaller; scoring uses such batches too.
    batching: ClassVar[Batching] = "sentences"
    """The quantity that training batches share."""

    usage: ClassVar[tuple[str, ...]] = ("semipunct evaluate MODEL TEST.conllu",)
    """Example commands for the model card."""

    options: Any
    """An instance of the kind's ``model_options``; its ``repr`` is part of the digest."""

    @classmethod
    @abstractmethod
    def fit(cls, sentences: Sequence[X], options: Any) -> Self:
        """Collect the vocabulary of the training sentences."""

    @classmethod
    def fit_and_encode(cls, sentences: Sequence[X], options: Any) -> tuple[Self, E]:
        """Fit a model and encode its training sentences; a kind overrides this to share work."""
        model = cls.fit(sentences, options)
        return model, model.encode(sentences)

    @abstractmethod
    def initial_parameters(self, seed: int, scale: float) -> dict[str, Array]:
        """Return the weights at the start of training.

        Args:
            scale: standard deviation of the weights that are zero if it is 0.
        """

    def empty_parameters(self) -> dict[str, Array]:
        """Return arrays in the form of the weights, with arbitrary values."""
        return self.initial_parameters(0, 0.0)

    @abstractmethod
    def encode(self, sentences: Sequence[X]) -> E:
        """Encode sentences once, for all batches."""

    def fit_shape(
        self, encoded: E, batches: Sequence[Sequence[int]], sentences: int, *, scoring: bool
    ) -> Any:
        """Choose padded sizes for ``batch`` from typical batches.

        Args:
            batches: sentence numbers of each batch.
            sentences: maximum number of sentences in a batch.
            scoring: whether no gradient is needed; ``batches`` are then all batches.
        """
        return sentences

    @abstractmethod
    def batch(self, encoded: E, members: Sequence[int], shape: Any = None) -> B:
        """Return the padded arrays of a batch.

        Args:
            members: sentence numbers.
            shape: from ``fit_shape``.
        """

    def place_weights(self, parameters: Weights) -> Weights:
        """Place the weights where batches read them; a kind may keep tables on the host."""
        return jax.device_put(dict(parameters))  # one transfer, without a program for each shape

    def read(self, parameters: Weights, batch: B) -> Weights:
        """Return the weights that a batch needs, for tables perhaps only some rows."""
        return parameters

    def updated_rows(self, batch: B, options: Any) -> Mapping[str, RowNumbers]:
        """Return the rows that a training step updates, by name of the weights updated in part.

        ``loss`` receives these rows in this order, ``optimiser`` their gradients as ``Rows``.
        """
        return {}

    @abstractmethod
    def log_likelihoods(self, parameters: Parameters, batch: B) -> jax.Array:
        """Return log p(x | T), ``[sentences]``; 0 for padding, minus infinity for probability zero.

        The value may be NaN if ``exact_log_likelihoods`` is a slower exact computation.
        """

    def exact_log_likelihoods(self, parameters: Parameters, batch: B) -> jax.Array:
        """Compute ``log_likelihoods`` where the faster computation returned NaN."""
        return self.log_likelihoods(parameters, batch)

    def constants(self, options: Any) -> dict[str, jax.Array]:
        """Return further arrays for ``loss``; in a closure they would be compiled as constants."""
        return {}

    @abstractmethod
    def loss(
        self, parameters: Parameters, constants: Parameters, batch: B, key: jax.Array, options: Any
    ) -> tuple[jax.Array, Sums]:
        """Return the differentiable loss per slot and the sums over the batch.

        Args:
            parameters: weights by name; of tables updated in part, ``updated_rows``.
            constants: from ``constants``.
        """

    @abstractmethod
    def optimiser(
        self, options: Any, steps: int, slots: float
    ) -> optax.GradientTransformation | Optimiser:
        """Return the optimiser of this model's weights.

        Args:
            steps: total number of updates, for schedules.
            slots: mean number of slots per sentence, for penalties per sentence.
        """

    def near(self, base_model: Model, parameters: Weights) -> Self:
        """Return this model, regularised towards the weights of another model.

        Raises:
            ModelError: if the models have no weights in common.
        """
        raise ModelError(
            f"a model of the kind {self.kind} has no weights in common with one of the kind "
            f"{base_model.kind}; leave out --near"
        )

    def calibrate(
        self, parameters: Mapping[str, Any], batches: Iterable[tuple[list[int], B]]
    ) -> Mapping[str, Any]:
        """Fit weights to the development examples, before each evaluation on them."""
        return parameters

    def prune(
        self,
        parameters: Mapping[str, Array],
        options: Any,
        perplexity: Callable[[Mapping[str, Array]], float],
    ) -> Mapping[str, Array]:
        """Return weights in which superfluous ones are zero or rounded, at the end of training.

        Args:
            perplexity: maps weights to development perplexity.
        """
        return parameters

    def without_zeros(self, parameters: Mapping[str, Array]) -> tuple[Self, Mapping[str, Array]]:
        """Return an equivalent model and weights without superfluous zeros."""
        return self, parameters

    @abstractmethod
    def to_data(self) -> dict[str, Any]:
        """Return everything except options and weights as plain JSON values.

        Arrays are allowed in dictionaries whose keys contain no slash.
        """

    @classmethod
    @abstractmethod
    def from_data(cls, data: Any, options: Any) -> Self:
        """Invert ``to_data``.

        Raises:
            KeyError, TypeError, ValueError: if the data has another form.
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
        """A digest of options and vocabulary, without weights."""
        return digest(self, {})

    def signature(self) -> dict[str, str]:
        """Return the properties that determine scores, for evaluation signatures."""
        return {}

    def unseen(self, sentences: Sequence[Sentence]) -> Mapping[str, Counter[str]]:
        """Count relations and tags absent from training, by attribute and value."""
        return {}


M = TypeVar("M", bound=Model)
R = TypeVar("R")


def cache_latest(make: Callable[[M, Weights], R]) -> Callable[[M, Weights], R]:
    """Cache the result of a function for each model's most recent weights.

    Weights are compared by identity. The result must not refer to the model, which would never be
    freed (docs/decisions/compiled-programs.md).
    """
    last: WeakKeyDictionary[M, tuple[Weights, R]] = WeakKeyDictionary()

    @wraps(make)
    def cached(model: M, parameters: Weights) -> R:
        latest = last.get(model)
        if latest is None or latest[0] is not parameters:
            last[model] = latest = (parameters, make(model, parameters))
        return latest[1]

    return cached
