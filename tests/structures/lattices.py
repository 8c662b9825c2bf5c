"""Alignments under test: the enumerations of all ways to align two sequences."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import jax.numpy as jnp
import numpy as np

from semipunct.structures.base import Structure
from semipunct.structures.connectionist import CTCParts, ctc, transducer
from semipunct.structures.monotone import AlignmentParts, Alignments, Moves, alignments
from semipunct.structures.testing import Event
from tests.structures.known import SPARSE, Known

FRAMES = (0, 1, 2, 4, 9)
LABELS = ((), (2,), (1,), (1, 2), (2, 2, 1))
SYMBOLS = 3
"""The blank, 0, and two labels."""


def near(frame: int, state: int) -> bool:
    """Whether the sparse item may be in a state: those near the diagonal."""
    return abs(4 * state - 3 * frame) <= 5


def ctc_build() -> Structure:
    labels = np.zeros((len(LABELS), 3), int)
    for row, symbols in zip(labels, LABELS, strict=True):
        row[: len(symbols)] = symbols
    structure = ctc(
        jnp.asarray(np.zeros((len(FRAMES), max(FRAMES), SYMBOLS))),
        labels,
        np.array(FRAMES),
        np.array([len(symbols) for symbols in LABELS]),
    )
    state = np.zeros((len(FRAMES), max(FRAMES), 7))
    for place in np.ndindex(9, 7):
        if not near(*place):
            state[(SPARSE, *place)] = -np.inf
    return structure.with_log_weights(CTCParts(jnp.asarray(state)))


def ctc_events(item: int) -> Iterator[Event]:
    """Return all sequences of symbols that stand for the labels of an item, as states."""
    for symbols in itertools.product(range(SYMBOLS), repeat=FRAMES[item]):
        labels, states = [], []
        for symbol, run in itertools.groupby(symbols):
            if symbol:
                labels.append(symbol)
            states += [2 * len(labels) - (symbol > 0) for _ in run]
        if tuple(labels) != LABELS[item]:
            continue
        if item == SPARSE and not all(itertools.starmap(near, enumerate(states))):
            continue
        state = np.zeros((max(FRAMES), 7))
        state[np.arange(len(states)), states] = 1
        yield Event(CTCParts(state))


CTC = Known(
    "CTC", ctc_build, ctc_events, lengths=FRAMES,
    count=lambda frames: {0: 1, 1: 1, 2: 3, 4: 15}[frames],
)  # fmt: skip


PAIRED = ((0, 0), (2, 1), (1, 3), (2, 3), (5, 9))
MOVES = ((1, 1), (1, 0), (0, 1))
TRANSDUCED = ((1, 0), (0, 1))


def visits(item: int, i: int, j: int, moves: Moves = MOVES) -> bool:
    """Whether paths of an item may visit a cell: those of the sparse one stay near its diagonal."""
    return item != SPARSE or abs(9 * i - 5 * j) <= (6 if moves == MOVES else 10)


def alignments_build() -> Structure:
    step = np.zeros((len(PAIRED), 6, 10, len(MOVES)))
    for i, j in np.ndindex(6, 10):
        if not visits(SPARSE, i, j):
            step[SPARSE, i, j] = -np.inf
    match, delete, insert = (
        jnp.asarray(step[:, down:, right:, o]) for o, (down, right) in enumerate(MOVES)
    )
    transition = jnp.asarray(np.zeros((len(PAIRED), 3, 3)))
    return alignments(match, delete, insert, transition, lengths=np.array(PAIRED))


def paths(item: int, moves: Moves, i: int, j: int) -> Iterator[list[tuple[int, int, int]]]:
    """Return all paths to a cell: for each step the cell that it leads to, and its operation."""
    if i == j == 0:
        yield []
    for operation, (down, right) in enumerate(moves):
        if i >= down and j >= right and visits(item, i, j, moves):
            for path in paths(item, moves, i - down, j - right):
                yield [*path, (i, j, operation)]


def alignments_events(item: int) -> Iterator[Event]:
    """Return all paths, by the steps and by the transitions that they take."""
    for path in paths(item, MOVES, *PAIRED[item]):
        step, transition = np.zeros((6, 10, 3)), np.zeros((3, 3))
        for place in path:
            step[place] = 1
        for (*_, before), (*_, after) in itertools.pairwise(path):
            transition[before, after] += 1
        yield Event(AlignmentParts(step, transition))


ALIGNMENTS = Known(
    "alignments", alignments_build, alignments_events, lengths=tuple(n + m for n, m in PAIRED),
    # The numbers of Delannoy.
    count=lambda length: {0: 1, 3: 5, 4: 7, 5: 25}[length],
    lacks={"entries": "there are three operations"},
)  # fmt: skip


def transducer_build() -> Alignments:
    log_probs = jnp.asarray(np.zeros((len(PAIRED), 5, 10, 2)))
    frames, labels = np.transpose(PAIRED)
    structure = transducer(log_probs, np.ones((len(PAIRED), 9), int), frames, labels)
    step = np.array(structure.weights.step)
    for i, j in np.ndindex(6, 10):
        if not visits(SPARSE, i, j, TRANSDUCED):
            step[SPARSE, i, j] = -np.inf
    return structure.with_log_weights(AlignmentParts(jnp.asarray(step)))


def transducer_events(item: int) -> Iterator[Event]:
    """Return all orders of blanks and labels that end with a blank."""
    for path in paths(item, TRANSDUCED, *PAIRED[item]):
        if all(operation == 0 for *_, operation in path[-1:]):
            step = np.zeros((6, 10, 2))
            for place in path:
                step[place] = 1
            yield Event(AlignmentParts(step))


TRANSDUCER = Known(
    "transducer", transducer_build, transducer_events, lengths=tuple(n + m for n, m in PAIRED),
    count=lambda length: {0: 1, 3: 2, 4: 1, 5: 4}[length],
    lacks={"entries": "there are two operations"},
)  # fmt: skip
