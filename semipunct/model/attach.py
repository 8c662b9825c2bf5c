"""ATTACH: the log-linear distribution over a node's pair of punctemes (section 2.1, equation 4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.batch import SparseRows
from semipunct.marks import is_symmetric
from semipunct.model.features import FeatureMap
from semipunct.model.inventory import Inventory
from semipunct.model.templates import TARGETS, Target

Relations = jax.Array | npt.NDArray[np.int32]
"""Relation numbers, traced once compiled."""


_CHUNK = 1 << 18
"""Feature entries that are weighed at a time."""


class AttachTables(NamedTuple):
    """Constants of an inventory.

    Attributes:
        projection: for each target ``[columns, pairs]`` how its weights spread over pairs.
        allowed: ``[relations, pairs]`` or None.
    """

    projection: Mapping[str, npt.NDArray[np.float32]]
    allowed: npt.NDArray[np.bool_] | None


def attach_tables(inventory: Inventory) -> AttachTables:
    """Build the constants of an inventory."""
    pairs = np.arange(len(inventory.pairs))
    left = np.zeros((len(inventory.labels), len(pairs)), np.float32)
    right = left.copy()
    left[inventory.pairs[:, 0], pairs] = 1.0
    right[inventory.pairs[:, 1], pairs] = 1.0
    symmetric = np.array(
        [[is_symmetric(*inventory.pair_name(p)) for p in range(len(pairs))]], np.float32
    )
    projection = {"left": left, "right": right, "symmetric": symmetric}
    return AttachTables(projection, inventory.allowed)


def target_columns(inventory: Inventory) -> dict[Target, int]:
    """How many different things the weights of each target tell apart."""
    labels = len(inventory.labels)
    return {"pair": len(inventory.pairs), "left": labels, "right": labels, "symmetric": 1}


def attach_parameters(
    inventory: Inventory, features: FeatureMap, initial: np.random.Generator | None, scale: float
) -> dict[str, np.ndarray]:
    """Initial weights: N(0, scale^2) or zero, plus log-counts for ``N.l.r.d`` (appendix A).

    The log-counts are smoothed by one half, so that pairs never seen with a relation start low
    instead of impossible.
    """
    columns = target_columns(inventory)
    result: dict[str, np.ndarray] = {}
    for target in TARGETS:
        shape = (features.sizes[target], columns[target])
        table = np.zeros(shape) if initial is None else initial.normal(0.0, scale, shape)
        result[f"attach.{target}"] = table.astype(np.float32)
    counts = np.log(inventory.counts + 0.5).astype(np.float32)
    result["attach.relation"] = counts - counts[:, :1]
    return result


def log_attach(
    parameters: Mapping[str, jax.Array],
    tables: AttachTables,
    features: Mapping[str, SparseRows],
    relation: Relations,
    further: jax.Array | None = None,
) -> jax.Array:
    """Log probability of every pair at every node, ``[nodes, pairs]`` (equation 4).

    Args:
        parameters: from ``attach_parameters``.
        tables: from ``attach_tables``.
        features: feature vectors by target.
        relation: ``[nodes]``.
        further: ``[nodes, pairs]`` scores to be added, or None.
    """
    nodes = relation.shape[0]
    score = parameters["attach.relation"][relation]
    if further is not None:
        score = score + further
    for target, rows in features.items():
        weights = parameters[f"attach.{target}"]
        if not weights.shape[0]:
            continue
        summed = _weigh(weights, rows, nodes)
        if target != "pair":
            summed = summed @ tables.projection[target]
        score = score + summed
    if tables.allowed is None:
        return jax.nn.log_softmax(score)
    possible = jnp.asarray(tables.allowed)[relation]
    return jnp.where(possible, jax.nn.log_softmax(jnp.where(possible, score, -1e30)), -jnp.inf)


def _weigh(weights: jax.Array, rows: SparseRows, nodes: int) -> jax.Array:
    """Sum of the weights of each node's features, ``[nodes, columns]``."""

    def part(some: SparseRows) -> jax.Array:
        entries = weights[some.context] * some.value[:, None]
        return jax.ops.segment_sum(entries, some.node, nodes + 1, indices_are_sorted=True)

    count = rows.node.shape[0]
    if count <= _CHUNK:
        return part(rows)[:nodes]
    # One row of weights for every entry would fill the memory: a part at a time.
    padding = -count % _CHUNK
    node = jnp.pad(rows.node, (0, padding), constant_values=nodes)
    context, value = (jnp.pad(x, (0, padding)) for x in (rows.context, rows.value))
    parts = SparseRows(*(x.reshape(-1, _CHUNK) for x in (node, context, value)))
    zero = jnp.zeros((nodes + 1, weights.shape[1]), weights.dtype)
    total, _ = jax.lax.scan(lambda sum_, some: (sum_ + part(some), None), zero, parts)
    return total[:nodes]
