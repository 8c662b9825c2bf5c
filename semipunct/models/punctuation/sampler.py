"""Sampling surface punctuation for words and trees: from p(x | T), or given evidence of x.

Features determine the order of drawing: ``left_to_right`` with features of the marks to the left,
``bottom_up`` with features of the marks within constituents (template ``c`` of appendix A). See
docs/decisions/restoration.md.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache, partial
from itertools import chain, islice
from typing import Any, TypeVar

import jax
import numpy as np

from semipunct.arrays.programs import jit
from semipunct.corpus.sentences import Sentence, without_punctuation
from semipunct.errors import UsageError
from semipunct.models.base import Parameters, Weights, cache_latest
from semipunct.models.punctuation.attach import has_history_features
from semipunct.models.punctuation.batches import Batch
from semipunct.models.punctuation.bottom_up import BottomUpSampler
from semipunct.models.punctuation.draws import Draws, Evidence, Request
from semipunct.models.punctuation.left_to_right import LeftToRightSampler
from semipunct.models.punctuation.model import PunctuationModel, TreeScores
from semipunct.models.scoring import Batches
from semipunct.wording import quantity

A = TypeVar("A", bound=tuple[Any, ...])
R = TypeVar("R")


def generate(
    model: PunctuationModel,
    parameters: Weights,
    sentences: Sequence[Sentence],
    count: int,
    seed: int,
    evidence: Sequence[Evidence | None] | None = None,
    first: int | Sequence[int] = 0,
) -> list[Draws]:
    """Draw surface punctuation for words and trees.

    Existing punctuation is ignored. Given evidence, draws are approximately from the posterior and
    not independent (see ``draws``).

    Args:
        seed: determines the draws of a sentence together with its number.
        evidence: one per sentence, None for none.
        first: number of the first sentence, or of each sentence.

    Raises:
        UsageError: if no order of drawing suits the features of marks, or there is evidence and the
            order is not from left to right.
    """
    if count < 1:
        raise UsageError(f"{quantity(count, 'draw')}; at least 1 is needed")
    order = _order(model, parameters)
    numbers = range(first, first + len(sentences)) if isinstance(first, int) else first
    bare_sentences = [without_punctuation(sentence) for sentence in sentences]
    encoded = model.encode_trees(bare_sentences)

    def drawn(members: Sequence[int], batch: Batch) -> list[Draws]:
        read = model.read(parameters, batch)
        scores = jax.tree.map(np.asarray, tree_scores(model, read, batch))
        requests = [
            Request(
                bare_sentences[i],
                evidence[i] if evidence else None,
                np.random.default_rng((seed, numbers[i])),
            )
            for i in members
        ]
        return order.draw(requests, scores, count)

    draws_of: dict[int, Draws] = {}
    for (members, _), draws in in_order(drawn, Batches(model, encoded)):
        draws_of |= zip(members, draws, strict=True)
    return [draws_of[i] for i in range(len(sentences))]


@cache_latest
def _order(model: PunctuationModel, parameters: Weights) -> LeftToRightSampler | BottomUpSampler:
    sampler = LeftToRightSampler if has_history_features(parameters) else BottomUpSampler
    return sampler.of(model, parameters)


def in_order(function: Callable[..., R], tasks: Iterable[A]) -> Iterator[tuple[A, R]]:
    """Apply a function to arguments in threads; yield arguments with results, in order.

    Tasks are submitted as results are consumed, so that only a few batches are laid out at a time.
    """
    tasks = iter(tasks)
    few = list(islice(tasks, 2))
    if len(few) < 2:
        yield from ((task, function(*task)) for task in few)
        return
    cores = _cores()
    pool = _threads(cores)
    waiting: deque[tuple[A, Future[R]]] = deque()
    try:
        for task in chain(few, tasks):
            waiting.append((task, pool.submit(function, *task)))
            if len(waiting) > 2 * cores:
                first, future = waiting.popleft()
                yield first, future.result()
        while waiting:
            first, future = waiting.popleft()
            yield first, future.result()
    finally:
        for _, future in waiting:
            future.cancel()


# The C library gives each new thread its own memory arena, so new threads for each call would make
# memory grow with their number.
@cache
def _threads(count: int) -> ThreadPoolExecutor:
    """Return threads for drawing, the same ones for all calls."""
    return ThreadPoolExecutor(count, "drawing")


if hasattr(os, "register_at_fork"):  # not available on every system
    os.register_at_fork(after_in_child=_threads.cache_clear)  # a child has no threads


def _cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)  # not available on every system
    return len(affinity(0)) if affinity else os.cpu_count() or 1


@partial(jit, static=1)
def tree_scores(model: PunctuationModel, parameters: Parameters, batch: Batch) -> TreeScores:
    """Return the scores of a batch from words and trees alone."""
    return model.tree_scores(parameters, batch)
