"""The interface of all models: the methods that training, the store and evaluation call.

A kind of model is a folder with a class derived from ``Model`` and one line in
``semipunct.models.registry``. Its weights are a flat dictionary of arrays by name, everything else
is an immutable object.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, NamedTuple, Protocol, Self

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
    """Sentences encoded by a model: all that does not depend on how they are batched."""

    @property
    def lengths(self) -> Sequence[int]:
        """Words of each sentence."""
        ...


class Sums(NamedTuple):
    """Sums over the sentences of a batch, beside the loss.

    Attributes:
        log_likelihood: sum of log p(x | T) over sentences of positive probability.
        slots: slots of these sentences.
        impossible: sentences of probability zero.
    """

    log_likelihood: jax.Array
    slots: jax.Array
    impossible: jax.Array

    @classmethod
    def of(cls, log_likelihood: jax.Array, slots: jax.Array) -> Sums:
        """Return the sums of a kind of model by which no sentence is impossible.

        Args:
            log_likelihood: sum over the sentences.
            slots: of these, or what else is predicted.
        """
        return cls(log_likelihood, slots, jnp.zeros((), jnp.int32))


class Optimiser(NamedTuple):
    """An optax transformation that may put off the steps of weights that nobody reads.

    Attributes:
        init: from weights to the state; as in optax.
        update: from gradients, state and weights to updates and the next state; as in optax, but
            that gradients and updates of some weights are ``Rows``.
        current: from weights, state, and the rows that are read of weights of which not all are,
            by name, to the weights as they are by now: those rows, or all where none are named.
        result: from weights and state to the weights that are evaluated and saved: those of now,
            or an average over the steps.
    """

    init: Callable[[Any], Any]
    update: Callable[[Any, Any, Any], tuple[Any, Any]]
    current: Callable[[Weights, Any, Mapping[str, RowNumbers]], Weights]
    result: Callable[[Weights, Any], Weights]


E = TypeVar("E", bound=Encoded)
B = TypeVar("B")
X = TypeVar("X", default=Sentence, contravariant=True)

Batching = Literal["sentences", "words", "length"]


class Model(ABC, Generic[E, B, X]):
    """Everything of a model of punctuation, or of what leads to it, but its weights.

    A subclass is a frozen dataclass compared by identity (``eq=False``): models are static
    arguments of compiled functions. ``E`` is its type of encoded sentences, ``B`` a pytree: its
    batches. ``X`` is what it is trained on, sentences unless said otherwise; they are called
    sentences below.
    """

    kind: ClassVar[str]
    """The name in the registry."""

    scoring_limits: ClassVar[tuple[int, int]] = (64, 512)
    """The most sentences and words of a batch when no gradient is wanted.

    Without a reverse pass a batch takes little memory, and more sentences would only be padded to
    the shape of the longest ones.
    """

    batching: ClassVar[Batching] = "sentences"
    """What the batches of training have in common.

    ``sentences``: their number of sentences. ``words``: about their number of words, for models
    that lay sentences end to end: less of a batch is padding. ``length``: the sentences of each are
    padded to one of few lengths, and the longer they are the fewer they are, for models that pad
    each sentence and take much time for long ones; they are scored in such batches, too.
    """

    usage: ClassVar[tuple[str, ...]] = ("semipunct evaluate MODEL TEST.conllu",)
    """Commands that take such a model, for the model card."""

    options: Any
    """An instance of the kind's ``model_options``; its ``repr`` is part of the digest."""

    @classmethod
    @abstractmethod
    def fit(cls, sentences: Sequence[X], options: Any) -> Self:
        """Collect the vocabulary of training sentences.

        Args:
            sentences: words, trees and surface punctuation.
            options: of the kind's ``model_options``.
        """

    @classmethod
    def fit_and_encode(cls, sentences: Sequence[X], options: Any) -> tuple[Self, E]:
        """Fit, and encode the same sentences.

        A kind overrides this if fitting leaves something that encoding would compute again.

        Args:
            sentences: words, trees and surface punctuation.
            options: of the kind's ``model_options``.
        """
        model = cls.fit(sentences, options)
        return model, model.encode(sentences)

    @abstractmethod
    def initial_parameters(self, seed: int, scale: float) -> dict[str, Array]:
        """Return the weights that training starts from; names, shapes and dtypes are the model's.

        Args:
            seed: of what is drawn.
            scale: standard deviation of weights that start at zero if it is 0.
        """

    @abstractmethod
    def encode(self, sentences: Sequence[X]) -> E:
        """Do everything that does not depend on how sentences are batched, once for all batches."""

    def draft(self, encoded: E, members: Sequence[int]) -> Any:
        """Do what choosing a shape for a batch has in common with laying it out.

        A kind overrides this if that is work; by default it is the members themselves.

        Args:
            encoded: all sentences.
            members: numbers of those that form the batch.
        """
        return members

    def fit_shape(self, encoded: E, drafts: Sequence[Any], sentences: int, *, scoring: bool) -> Any:
        """Choose padded sizes for ``lay_out`` that suit some typical batches.

        By default it is the number of sentences, for kinds that pad them batch by batch to few
        lengths.

        Args:
            encoded: all sentences.
            drafts: from ``draft``, at least one.
            sentences: the most sentences of a batch.
            scoring: whether no gradient is wanted: then these are all batches there are, and sizes
                that other sentences share spare them compiling.
        """
        return sentences

    @abstractmethod
    def lay_out(self, encoded: E, draft: Any, shape: Any = None) -> B:
        """Return the padded arrays of a batch.

        Args:
            encoded: all sentences.
            draft: from ``draft``.
            shape: from ``fit_shape``; None for sizes that suit this batch.
        """

    def batch(self, encoded: E, members: Sequence[int], shape: Any = None) -> B:
        """Return the padded arrays of some of the sentences.

        Args:
            encoded: all sentences.
            members: the numbers of those in the batch.
            shape: from ``fit_shape``; None for sizes that suit this batch.
        """
        return self.lay_out(encoded, self.draft(encoded, members), shape)

    def placed(self, parameters: Weights) -> Weights:
        """Return the weights where batches read them from, once for all batches: on the device.

        A kind overrides this if a batch reads few rows of a weight: what is on the host stays.

        Args:
            parameters: weights by name.
        """
        return {name: jnp.asarray(value) for name, value in parameters.items()}

    def read(self, parameters: Weights, batch: B) -> Weights:
        """Return the weights that a batch needs; a kind with large tables reads few of their rows.

        Args:
            parameters: from ``placed``.
            batch: from ``lay_out``.
        """
        return parameters

    def updated(self, batch: B, options: Any) -> Mapping[str, RowNumbers]:
        """Return the rows that a training step updates of weights that it does not update whole.

        Of these ``loss`` gets the rows, in this order, and ``optimiser`` their gradients as
        ``Rows``.

        Args:
            batch: from ``lay_out``.
            options: of the kind's ``train_options``.
        """
        return {}

    @abstractmethod
    def log_likelihoods(self, parameters: Parameters, batch: B) -> jax.Array:
        """Return log p(x | T) of each sentence, ``[sentences]``; zero for padding.

        Minus infinity for a sentence of probability zero; NaN for one whose probability this way
        of computing cannot tell, for which ``exact_log_likelihoods`` is asked.

        Args:
            parameters: from ``read``.
            batch: from ``lay_out``.
        """

    def exact_log_likelihoods(self, parameters: Parameters, batch: B) -> jax.Array:
        """Return what ``log_likelihoods`` does, by a way that is slower and always right.

        Args:
            parameters: from ``read``.
            batch: from ``lay_out``.
        """
        return self.log_likelihoods(parameters, batch)

    def constants(self, options: Any) -> dict[str, jax.Array]:
        """Return arrays that ``loss`` needs beside weights and batch.

        They are handed over as an argument, because what a compiled function closes over is
        compiled into it.

        Args:
            options: of the kind's ``train_options``.
        """
        return {}

    @abstractmethod
    def loss(
        self,
        parameters: Parameters,
        constants: Parameters,
        batch: B,
        key: jax.Array,
        options: Any,
    ) -> tuple[jax.Array, Sums]:
        """Return what training minimises, per slot, and sums over the batch; differentiable.

        Args:
            parameters: weights by name; of those in ``updated`` the rows named there.
            constants: from ``constants``.
            batch: from ``lay_out``.
            key: the source of chance, for dropout.
            options: of the kind's ``train_options``; penalties are the model's business.
        """

    @abstractmethod
    def optimiser(
        self, options: Any, steps: int, slots: float
    ) -> optax.GradientTransformation | Optimiser:
        """Return the optimiser: which weights learn how fast is the model's business.

        A transformation of optax, or one that handles the weights in ``updated`` as ``Rows``.

        Args:
            options: of the kind's ``train_options``.
            steps: updates in all, for schedules.
            slots: mean slots of a training sentence, for penalties that are per sentence.
        """

    def near(self, other: Model[Any, Any, Any], parameters: Weights) -> Self:
        """Return the same model whose training keeps some weights close to those of another one.

        A kind overrides this if there are weights that both have.

        Args:
            other: a model that is trained already.
            parameters: its weights.

        Raises:
            ModelError: if there are none.
        """
        raise ModelError(
            f"a model of the kind {self.kind} has no weights to be kept close to those of the kind "
            f"{other.kind}; leave out --near"
        )

    def pruned(
        self,
        parameters: Mapping[str, Array],
        options: Any,
        perplexity: Callable[[Mapping[str, Array]], float],
    ) -> Mapping[str, Array]:
        """Return weights with zeros for those that the model can do without, once it is trained.

        Args:
            parameters: weights by name.
            options: of the kind's ``train_options``.
            perplexity: of the development sentences, given weights.
        """
        return parameters

    def without_zeros(self, parameters: Mapping[str, Array]) -> tuple[Self, Mapping[str, Array]]:
        """Return an equal model with fewer weights: some of those that are zero are left out.

        Args:
            parameters: weights by name.
        """
        return self, parameters

    @abstractmethod
    def to_data(self) -> dict[str, Any]:
        """Return everything but options and weights as plain JSON values.

        What is large may be numpy arrays, in dictionaries under names without a slash.
        """

    @classmethod
    @abstractmethod
    def from_data(cls, data: Any, options: Any) -> Self:
        """Invert ``to_data``.

        Args:
            data: plain JSON values, and arrays.
            options: of the kind's ``model_options``.

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
        """A digest of options and vocabulary, which is all that methods know beside weights."""
        return digest(self, {})

    def signature(self) -> dict[str, str]:
        """Return what figures of this model depend on, for the signature of an evaluation.

        ``tokens`` is the vocabulary that is predicted: figures that differ in it do not compare.
        """
        return {}

    def unseen(self, sentences: Sequence[Sentence]) -> Mapping[str, Counter[str]]:
        """Count relations and tags that training never saw, by attribute and value."""
        return {}
