"""Accepting paths under test: a machine of layers, in whose items paths end in different layers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import jax.numpy as jnp
import numpy as np

from semipunct.structures.automata import PathParts
from semipunct.structures.base import Structure
from semipunct.structures.sparse_automata import accepting_paths, sparse_transducer
from semipunct.structures.testing import Event
from tests.structures.known import LENGTHS, SPARSE, Known

WIDTH, LAYERS = 5, max(LENGTHS)
STATES = 1 + WIDTH * LAYERS
"""The start, and the layers."""


def state_at(layer: int, place: int) -> int:
    return 1 + (layer - 1) * WIDTH + place if layer else 0


ARCS = [
    (state_at(layer, a), state_at(layer + 1, b))
    for layer in range(LAYERS)
    for a in range(WIDTH if layer else 1)
    for b in range(WIDTH)
]


def places_at(item: int, layer: int) -> list[int]:
    """Return the places that may be used; the sparse item has few."""
    if item != SPARSE:
        return [*range(WIDTH)]
    return sorted({layer % WIDTH, (layer + 2 * (layer % 2)) % WIDTH})


def machine_build() -> Structure:
    # In an order that is not that of the layers.
    order = np.random.default_rng(0).permutation(len(ARCS))
    sources, targets = np.array(ARCS)[order].T
    machine = sparse_transducer(
        sources, np.ones(len(ARCS), int), None, targets, finals=np.arange(STATES)
    )
    batch = len(LENGTHS)
    arcs, final = np.zeros((batch, len(ARCS))), np.full((batch, STATES), -np.inf)
    for item, length in enumerate(LENGTHS):
        final[
            item,
            [state_at(length, place) for place in (places_at(item, length) if length else [0])],
        ] = 0
        arcs[item, targets > state_at(length, WIDTH - 1)] = -np.inf
    used = [state_at(n, p) for n in range(1, LAYERS + 1) for p in places_at(SPARSE, n)]
    arcs[SPARSE, ~np.isin(targets, used) | ~np.isin(sources, [0, *used])] = -np.inf
    parts = PathParts(np.zeros((batch, 1)), arcs, final)
    return accepting_paths(machine, PathParts(*map(jnp.asarray, parts)))


def machine_events(item: int) -> Iterator[Event]:
    """Return all sequences of places, one in each layer."""
    order = np.random.default_rng(0).permutation(len(ARCS)).tolist()
    number = {ARCS[arc]: place for place, arc in enumerate(order)}
    choices = [places_at(item, layer) for layer in range(1, LENGTHS[item] + 1)]
    for places in itertools.product(*choices):
        states = [0, *(state_at(layer + 1, place) for layer, place in enumerate(places))]
        arcs, final = np.zeros(len(ARCS)), np.zeros(STATES)
        arcs[[number[pair] for pair in itertools.pairwise(states)]] = 1
        final[states[-1]] = 1
        yield Event(PathParts(np.ones(1), arcs, final))


MACHINE = Known(
    name="accepting paths", build=machine_build, derivations=machine_events, costly=True,
    draws_slowly=True, lengths=LENGTHS, count=lambda n: WIDTH**n,
    lacks={"an empty item": "every path has a start and a final"},
)  # fmt: skip
