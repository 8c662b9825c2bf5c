"""Alignments under test: the enumerations of all ways to align two sequences."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import jax.numpy as jnp
import numpy as np

from semipunct.structures.base import Structure
from semipunct.structures.connectionist import CTCParts, ctc
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
