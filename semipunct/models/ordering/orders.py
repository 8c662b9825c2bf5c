"""Sampling of orders from the ordering model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.arrays.padding import round_up
from semipunct.arrays.programs import jit
from semipunct.corpus.sentences import Sentence
from semipunct.models.base import Parameters, Weights
from semipunct.models.capabilities import on_device
from semipunct.models.ordering.model import PADDED, NodeGroup, OrderingModel
from semipunct.structures.distribution import Distribution
from semipunct.structures.permutations import linear_orderings

TOGETHER = 256
"""Number of nodes whose orders are sampled at a time."""


class Drawn(NamedTuple):
    """The orders sampled for some sentences.

    Attributes:
        orders: for each sentence, the items of each reordered node in their new order, by head.
        long: for each sentence, the number of nodes with too many items, which are not reordered.
    """

    orders: list[Mapping[int, tuple[int, ...]]]
    long: list[int]


def draw_orders(
    model: OrderingModel,
    parameters: Weights,
    sentences: Sequence[Sentence],
    seed: int,
    numbers: Sequence[int] | None = None,
) -> Drawn:
    """Sample an order for each noun and verb, regardless of the observed order.

    Args:
        model: the model.
        parameters: its weights.
        sentences: words, tags and projective trees.
        seed: determines, together with the number of a sentence, the orders sampled for it.
        numbers: numbers of the sentences; by default 0, 1, 2 and so on.
    """
    numbers = range(len(sentences)) if numbers is None else numbers
    encoded = model.encode(sentences)
    weights = on_device(parameters)
    owner = np.searchsorted(encoded.first, np.arange(len(encoded.nodes)), side="right") - 1
    orders: list[dict[int, tuple[int, ...]]] = [{} for _ in sentences]
    for items, nodes in zip(PADDED, encoded.by_size(range(len(encoded.nodes))), strict=True):
        for start in range(0, len(nodes), TOGETHER):
            some = nodes[start : start + TOGETHER]
            group = encoded.group(some, items, round_up(len(some), 32, 1))
            chance = np.zeros((len(group.items), 2), np.uint32)
            chance[: len(some), 0] = np.array(numbers, np.uint32)[owner[some]]
            chance[: len(some), 1] = [encoded.nodes[number].head for number in some]
            places = np.asarray(_draw(model, weights, group, np.uint32(seed % 2**32), chance))
            for number, place in zip(some, places, strict=False):
                node = encoded.nodes[number]
                order = np.argsort(place[: len(node.items)]).tolist()
                orders[owner[number]][node.head] = tuple(node.items[i] for i in order)
    return Drawn(list(orders), encoded.long.tolist())


@partial(jit, static=1)
def _draw(
    model: OrderingModel,
    parameters: Parameters,
    group: NodeGroup,
    seed: jax.Array,
    chance: npt.NDArray[np.uint32],
) -> jax.Array:
    """Sample an order for each node: the position of each item, ``[nodes, items]``."""
    weights, lengths = model.orderings(parameters, group).weights, jnp.asarray(group.items)

    def draw_order(precedence: jax.Array, length: jax.Array, numbers: jax.Array) -> jax.Array:
        key = jax.random.fold_in(jax.random.fold_in(jax.random.key(seed), numbers[0]), numbers[1])
        alone = Distribution(linear_orderings(precedence[None], length[None]))
        return jnp.sum(alone.sample(key, 1).parts.precedence[0, 0], 0)

    return jax.vmap(draw_order)(weights.precedence, lengths, jnp.asarray(chance))
