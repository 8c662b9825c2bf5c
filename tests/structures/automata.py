"""Automata in plain numpy: enumerated paths, and compiled operations for comparison."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.structures.automata.machine import automaton, transducer
from semirings import Semiring

STRINGS = [x for n in range(4) for x in itertools.product((1, 2), repeat=n)]
LENGTHS = jnp.array([len(x) for x in STRINGS])
PADDED = jnp.array([[*x, 7, 7, 7][:3] for x in STRINGS])
"""All strings of letters 1 and 2 with at most three letters, padded with 7."""

Labels = tuple[tuple[int, ...], ...]
"""One string for each tape: one for an acceptor, input and output for a transducer."""


def relation(
    initial: np.ndarray, arcs: np.ndarray, final: np.ndarray, longest: int
) -> Mapping[Labels, float]:
    """Compute the weight of each tuple of strings: the sum over accepting paths of bounded length.

    Arcs are weights `[symbols ..., states, states]`, with one axis of symbols for each tape.
    """
    moves = [(index[:-2], *index[-2:], arcs[index]) for index in zip(*arcs.nonzero(), strict=True)]
    weight_of: defaultdict[Labels, float] = defaultdict(float)
    nothing: Labels = ((),) * (arcs.ndim - 2)
    # All paths of one length, grouped by strings and final state.
    reached = {(nothing, state): float(initial[state]) for state in initial.nonzero()[0]}
    for _ in range(longest + 1):
        further: defaultdict[tuple[Labels, int], float] = defaultdict(float)
        for (labels, state), weight in reached.items():
            if final[state]:
                weight_of[labels] += weight * float(final[state])
            for symbols, source, target, w in moves:
                if source == state:
                    further[_written(labels, symbols), target] += weight * float(w)
        reached = further
    return weight_of


def _written(labels: Labels, symbols: tuple[int, ...]) -> Labels:
    return tuple((*label, int(a)) if a else label for label, a in zip(labels, symbols, strict=True))


@cache
def jitted(function: Callable[..., Any], semiring: Semiring) -> Callable[..., Any]:
    return jax.jit(partial(function, semiring))


def run(function: Callable[..., Any], semiring: Semiring, *arguments: Any) -> Any:
    """Compile an operation once, since its execution step by step takes far longer."""
    return jitted(function, semiring)(*arguments)


def small(seed: int, *shape: int, zero: float = 0.3) -> np.ndarray:
    """Weights whose loops converge, some of them zero."""
    generator = np.random.default_rng(seed)
    weights = generator.uniform(0.1, 1, shape) / (2 * np.prod(shape[:-1]))
    return np.where(generator.random(shape) < zero, 0.0, weights)


def log(weights: np.ndarray) -> jax.Array:
    with np.errstate(divide="ignore"):
        return jnp.asarray(np.log(weights).astype(np.float32))


class Case(NamedTuple):
    """An automaton with log weights, and the weights of its strings."""

    machine: Any
    relation: Any


@cache
def acyclic(seed: int = 6, tapes: int = 1, states: int = 4, symbols: int = 3) -> Case:
    """Arcs lead to later states only, so that the number of paths is finite."""
    generator = np.random.default_rng(seed)
    arcs = generator.uniform(0.1, 1, (symbols,) * tapes + (states, states))
    arcs[generator.random(arcs.shape) < 0.3] = 0
    arcs = np.triu(arcs, 1)
    initial, final = generator.uniform(0.1, 1, (2, states))
    initial[1] = final[0] = 0
    build = automaton if tapes == 1 else transducer
    return Case(
        build(log(initial), log(arcs), log(final)), relation(initial, arcs, final, states - 1)
    )
