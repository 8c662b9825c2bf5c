"""Sampling surface punctuation for words and trees: from p(x | T), or given evidence of x.

All draws of a sentence are made together: draws with the same features at a step share its
distribution. The features determine the order in which punctemes are drawn: ``left_to_right`` if
there are features of the marks to the left, ``bottom_up`` if there are features of the marks within
constituents (template ``c`` of appendix A).

Why the surface is drawn rather than summed over, and how a punctuation is chosen from the draws, is
in docs/decisions/restoration.md.
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
    """Draw surface punctuation for words and trees; that of the sentences is ignored.

    With evidence the draws are approximately from the posterior (see ``resampling``); the draws of
    a sentence are then not independent.

    Args:
        model: the model.
        parameters: its weights.
        sentences: words and trees.
        count: the number of draws per sentence.
        seed: the random seed; with the number of a sentence it determines its draws.
        evidence: evidence of the surface of each sentence, None for those without; or None.
        first: the number of the first sentence, or those of all.

    Raises:
        UsageError: if no draws are requested, if the features of marks are not available in any
            order of drawing, or if there is evidence and the order is not from left to right.
    """
    if count < 1:
        raise UsageError(f"{quantity(count, 'draw')}; at least 1 is needed")
    order = _order(model, parameters)
    numbers = range(first, first + len(sentences)) if isinstance(first, int) else first
    bare_sentences = [without_punctuation(sentence) for sentence in sentences]
    encoded = model.encode_trees(bare_sentences)

    def drawn(members: Sequence[int], batch: Batch) -> list[Draws]:
        read = model.read(parameters, batch)
        scores = jax.tree.map(np.asarray, _tree_scores(model, read, batch))
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
    """Apply a function to arguments in threads, and yield the arguments with their results.

    Results are in the order of the arguments, whatever the number of threads; a single task runs
    without threads. Tasks are submitted as results are consumed, so that only a few batches are
    laid out at a time.

    Args:
        function: the function.
        tasks: the arguments of each call.
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


@cache
def _threads(count: int) -> ThreadPoolExecutor:
    """Return threads for drawing, the same ones for all calls.

    The C library gives each new thread an area of memory, and what is freed there is not used by
    others: with new threads for every few hundred sentences, the memory would grow with their
    number.
    """
    return ThreadPoolExecutor(count, "drawing")


if hasattr(os, "register_at_fork"):  # not available on every system
    os.register_at_fork(after_in_child=_threads.cache_clear)  # a child has none of the threads


def _cores() -> int:
    """Count the cores that this process may use, which may be fewer than the machine has."""
    affinity = getattr(os, "sched_getaffinity", None)  # not available on every system
    return len(affinity(0)) if affinity else os.cpu_count() or 1


@partial(jit, static=1)
def _tree_scores(model: PunctuationModel, parameters: Parameters, batch: Batch) -> TreeScores:
    return model.tree_scores(parameters, batch)
