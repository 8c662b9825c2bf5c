"""The interface of all models: the methods that training, the store and evaluation call.

A kind of model is a folder with a class derived from ``Model`` and one line in
``semipunct.models.registry``. Its weights are a flat dictionary of arrays by name, everything else
is an immutable object.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Protocol, Self

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from typing_extensions import TypeVar

from semipunct.arrays.compilation import Shapes, jit
from semipunct.arrays.padding import by_length
from semipunct.corpus.sentences import Sentence

if TYPE_CHECKING:
    import optax  # pyright: ignore[reportMissingTypeStubs]

Array = npt.NDArray[Any]
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


E = TypeVar("E", bound=Encoded)
B = TypeVar("B")


class Model(ABC, Generic[E, B]):
    """Everything of a model of punctuation but its weights.

    A subclass is a frozen dataclass compared by identity (``eq=False``): models are static
    arguments of compiled functions. ``E`` is its type of encoded sentences, ``B`` a pytree: its
    batches.
    """

    kind: ClassVar[str]
    """The name in the registry."""

    scoring_limits: ClassVar[tuple[int, int]] = (64, 512)
    """The most sentences and words of a batch when no gradient is wanted.

    Without a reverse pass a batch takes little memory, and more sentences would only be padded to
    the shape of the longest ones.
    """

    usage: ClassVar[tuple[str, ...]] = ("semipunct evaluate MODEL TEST.conllu",)
    """Commands that take such a model, for the model card."""

    options: Any
    """An instance of the kind's ``model_options``; its ``repr`` is part of the digest."""

    @classmethod
    @abstractmethod
    def fit(cls, sentences: Sequence[Sentence], options: Any) -> Self:
        """Collect the vocabulary of training sentences.

        Args:
            sentences: words, trees and surface punctuation.
            options: of the kind's ``model_options``.
        """

    @classmethod
    def fit_and_encode(cls, sentences: Sequence[Sentence], options: Any) -> tuple[Self, E]:
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
    def encode(self, sentences: Sequence[Sentence]) -> E:
        """Do everything that does not depend on how sentences are batched, once for all batches."""

    def draft(self, encoded: E, members: Sequence[int]) -> Any:
        """Do what choosing a shape for a batch has in common with laying it out.

        A kind overrides this if that is work; by default it is the members themselves.

        Args:
            encoded: all sentences.
            members: numbers of those that form the batch.
        """
        return members

    @abstractmethod
    def fit_shape(self, encoded: E, drafts: Sequence[Any], sentences: int) -> Any:
        """Choose padded sizes for ``lay_out`` that suit some typical batches.

        Args:
            encoded: all sentences.
            drafts: from ``draft``, at least one.
            sentences: the most sentences of a batch.
        """

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

    @abstractmethod
    def log_likelihoods(self, parameters: Parameters, batch: B) -> jax.Array:
        """Return log p(x | T) of each sentence, ``[sentences]``; zero for padding.

        Minus infinity for a sentence of probability zero; NaN for one whose probability this way
        of computing cannot tell, for which ``exact_log_likelihoods`` is asked.

        Args:
            parameters: weights by name.
            batch: from ``lay_out``.
        """

    def exact_log_likelihoods(self, parameters: Parameters, batch: B) -> jax.Array:
        """Return what ``log_likelihoods`` does, by a way that is slower and always right.

        Args:
            parameters: weights by name.
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
            parameters: weights by name.
            constants: from ``constants``.
            batch: from ``lay_out``.
            key: the source of chance, for dropout.
            options: of the kind's ``train_options``; penalties are the model's business.
        """

    @abstractmethod
    def optimiser(self, options: Any, steps: int) -> optax.GradientTransformation:
        """Return the optimiser: which weights learn how fast is the model's business.

        Args:
            options: of the kind's ``train_options``.
            steps: updates in all, for schedules.
        """

    @abstractmethod
    def to_data(self) -> dict[str, Any]:
        """Return everything but options and weights as plain JSON values."""

    @classmethod
    @abstractmethod
    def from_data(cls, data: Any, options: Any) -> Self:
        """Invert ``to_data``.

        Args:
            data: plain JSON values.
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

    def signature(self) -> dict[str, str]:
        """Return what figures of this model depend on, for the signature of an evaluation.

        ``tokens`` is the vocabulary that is predicted: figures that differ in it do not compare.
        """
        return {}

    def unseen(self, sentences: Sequence[Sentence]) -> Mapping[str, Counter[str]]:
        """Count relations and tags that training never saw, by attribute and value."""
        return {}


class Batches(Generic[E, B]):
    """All sentences in batches of similar length and few shapes, when no gradient is wanted.

    Iterating lays out one batch after another, and may be repeated: what the batches are and
    their shapes stay the same.
    """

    def __init__(self, model: Model[E, B], encoded: E) -> None:
        """Choose the batches and their padded sizes.

        Args:
            model: gives the limits of a batch and lays it out.
            encoded: all sentences.
        """
        self._model, self._encoded = model, encoded
        sentences, words = model.scoring_limits
        self._members = list(by_length(encoded.lengths, sentences, words))
        self._drafts = [model.draft(encoded, members) for members in self._members]
        self._shape: Any = None
        if self._drafts:
            self._shape = model.fit_shape(encoded, self._drafts, sentences)

    def __len__(self) -> int:
        """Return the number of sentences."""
        return len(self._encoded.lengths)

    def __iter__(self) -> Iterator[tuple[list[int], B]]:
        """Yield the numbers of the sentences of each batch, and the batch."""
        for members, draft in zip(self._members, self._drafts, strict=True):
            yield members, self._model.lay_out(self._encoded, draft, self._shape)


def log_likelihoods(
    model: Model[E, B],
    parameters: Weights,
    batches: Batches[E, B],
    shapes: Shapes | None = None,
) -> npt.NDArray[np.float64]:
    """Return log p(x | T) of each sentence, ``[sentences]``, in the order they were encoded in.

    Args:
        model: the model.
        parameters: its weights.
        batches: the sentences.
        shapes: keeps account of what is compiled.
    """
    shapes = shapes or Shapes()
    result = np.zeros(len(batches))
    # On the device once, not once a batch.
    weights = {name: jnp.asarray(value) for name, value in parameters.items()}
    for members, batch in batches:
        with shapes.first_call("score", batch):
            scores = np.asarray(_score(model, weights, batch), np.float64)
        if np.isnan(scores).any():
            with shapes.first_call("score exactly", batch):
                exact = np.asarray(_score_exactly(model, weights, batch), np.float64)
            scores = np.where(np.isnan(scores), exact, scores)
        result[members] = scores[: len(members)]
    return result


@partial(jit, static_argnums=0)
def _score(model: Model[Any, B], parameters: Parameters, batch: B) -> jax.Array:
    return model.log_likelihoods(parameters, batch)


@partial(jit, static_argnums=0)
def _score_exactly(model: Model[Any, B], parameters: Parameters, batch: B) -> jax.Array:
    return model.exact_log_likelihoods(parameters, batch)


def digest(model: Model[Any, Any], parameters: Weights) -> str:
    """Return a sha256 of all that decides a model's answers: options, vocabulary and weights.

    Args:
        model: options and vocabulary.
        parameters: its weights.
    """
    found = hashlib.sha256(repr(model.options).encode())
    found.update(compact(model.to_data()).encode())
    for name in sorted(parameters):
        array = np.asarray(parameters[name])
        found.update(f"{name} {array.dtype} {array.shape}".encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def compact(data: object) -> str:
    """Return JSON without spaces, in the order of insertion; refuse numbers that JSON lacks."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
