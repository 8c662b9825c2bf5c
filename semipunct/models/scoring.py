"""Log-likelihoods of many sentences under any model, in batches without gradients.

Padded sizes are chosen for all batches together (docs/decisions/recursions.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, pairwise
from typing import Any, Generic, TypeVar

import jax
import numpy as np
import numpy.typing as npt

from semipunct.arrays.compilation import Shapes
from semipunct.arrays.padding import bucketed_batches, by_length
from semipunct.arrays.programs import jit
from semipunct.corpus.examples import Example
from semipunct.evaluation.perplexity import PerplexityStatistics
from semipunct.models.base import Encoded, Model, Parameters, Weights

E = TypeVar("E", bound=Encoded)
B = TypeVar("B")
M = TypeVar("M", bound=Model)


class Batches(Generic[E, B]):
    """Batches of sentences of similar length in few distinct shapes, without gradients."""

    def __init__(self, model: Model[E, B, Any], encoded: E) -> None:
        self._model, self._encoded = model, encoded
        sentences, words = model.scoring_limits
        if model.batching == "length":
            self._members = list(bucketed_batches(encoded.lengths, sentences))
        else:
            self._members = list(by_length(encoded.lengths, sentences, words))
        self._shape: Any = None
        if self._members:
            self._shape = model.fit_shape(encoded, self._members, sentences, scoring=True)

    def __len__(self) -> int:
        """Return the number of sentences."""
        return len(self._encoded.lengths)

    def __iter__(self) -> Iterator[tuple[list[int], B]]:
        """Yield sentence numbers and batch."""
        for members in self._members:
            yield members, self._model.batch(self._encoded, members, self._shape)


def answers(
    model: M,
    parameters: Weights,
    batches: Iterable[tuple[list[int], B]],
    name: str,
    ask: Callable[[M, Weights, B], Any],
    shapes: Shapes | None = None,
) -> Iterator[tuple[list[int], B, Any]]:
    """Apply a compiled function to every batch; yield sentence numbers, batch and result."""
    shapes = shapes or Shapes()
    weights = model.place_weights(parameters)
    for members, batch in batches:
        with shapes.first_call(name, batch):
            answer = jax.tree.map(np.asarray, ask(model, weights, batch))
        yield members, batch, answer


def log_likelihoods(
    model: Model[E, B, Any],
    parameters: Weights,
    batches: Batches[E, B],
    shapes: Shapes | None = None,
    advance: Callable[[int], None] = lambda scored: None,
) -> npt.NDArray[np.float64]:
    """Return log p(x | T), ``[sentences]``; ``advance`` takes the sentences of each batch."""
    shapes = shapes or Shapes()
    log_p = np.zeros(len(batches))
    weights = model.place_weights(parameters)
    # In pairs, so that each batch is laid out while the device still processes the previous one.
    scored: Iterable[Any] = chain(_scored(model, weights, batches, shapes), [None])
    for (members, read, batch, scores), _ in pairwise(scored):
        batch_log_p = np.asarray(scores, np.float64)
        if np.isnan(batch_log_p).any():
            with shapes.first_call("score exactly", batch):
                exact = np.asarray(_score_exactly(model, read, batch), np.float64)
            batch_log_p = np.where(np.isnan(batch_log_p), exact, batch_log_p)
        log_p[members] = batch_log_p[: len(members)]
        advance(len(members))
    return log_p


def perplexities(
    model: Model[E, B, Any],
    parameters: Weights,
    examples: Sequence[Example],
    batches: Batches[E, B],
    shapes: Shapes | None = None,
) -> dict[str, Any]:
    """Return the perplexity of the examples and the number of those with probability zero."""
    log_p = log_likelihoods(model, parameters, batches, shapes)
    # NaN: training has just diverged; the next training step will report it.
    scores = np.where(np.isnan(log_p), -np.inf, log_p)
    slots = np.array([example.choices for example in examples], np.int64)
    figures = PerplexityStatistics(scores, slots).figures().as_dict()
    return {name: figures[name] for name in ("perplexity", "perplexity_of_scorable", "unscorable")}


def _scored(
    model: Model[Any, B, Any], weights: Weights, batches: Batches[Any, B], shapes: Shapes
) -> Iterator[tuple[list[int], Weights, B, jax.Array]]:
    """Yield numbers, weights and batch, and scores that may still be pending on the device."""
    for members, batch in batches:
        read = model.read(weights, batch)
        with shapes.first_call("score", batch):
            scores = _score(model, read, batch)
        yield members, read, batch, scores


@partial(jit, static=1)
def _score(model: Model[Any, B, Any], parameters: Parameters, batch: B) -> jax.Array:
    return model.log_likelihoods(parameters, batch)


@partial(jit, static=1)
def _score_exactly(model: Model[Any, B, Any], parameters: Parameters, batch: B) -> jax.Array:
    return model.exact_log_likelihoods(parameters, batch)
