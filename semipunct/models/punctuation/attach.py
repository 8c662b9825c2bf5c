"""ATTACH: the log-linear distribution over a node's pair of punctemes (section 2.1, equation 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.arrays.padding import SparseRows
from semipunct.features.index import FeatureIndex
from semipunct.features.templates import CLOSING_TARGETS, TARGETS, TREE_TARGETS, Target
from semipunct.marks import is_symmetric
from semipunct.models.punctuation.inventory import Inventory

Numbers = jax.Array | npt.NDArray[np.int32]
"""Numbers of relations, nodes or features, traced once compiled."""

SHARED = 100.0
"""Constituents that a relation starts with beside its own.

Chosen on development data: a relation with few constituents leans on all relations together, one
with thousands on itself; docs/decisions/0009 says what the centre of the norm is worth.
"""

_CHUNK = 1 << 13
"""Feature entries that are weighed at a time.

The gathered rows of a chunk are an array ``[_CHUNK, columns]``: those of all entries of a batch
would be its largest array by far, and the memory of a step.
"""


class AttachTables(NamedTuple):
    """Constants of an inventory.

    Attributes:
        projection: for each target ``[columns, pairs]`` how its weights spread over pairs.
        left: ``[pairs]`` the left label of each.
        allowed: ``[relations, pairs]`` or None.
    """

    projection: Mapping[str, npt.NDArray[np.float32]]
    left: npt.NDArray[np.int32]
    allowed: npt.NDArray[np.bool_] | None


class NetworkScores(NamedTuple):
    """Scores of the network, to be added to the log-linear ones.

    Attributes:
        pair: ``[nodes, pairs]``.
        opening: ``[nodes, labels]`` of left labels, given the marks to the left.
        closing: ``[nodes, labels]`` of right labels, given the marks to the left.
    """

    pair: jax.Array
    opening: jax.Array | float = 0.0
    closing: jax.Array | float = 0.0


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
    projection |= {"closing": right, "closing_symmetric": symmetric}
    return AttachTables(projection, inventory.pairs[:, 0], inventory.allowed)


def target_columns(inventory: Inventory) -> dict[Target, int]:
    """Return the number of outcomes that the weights of each target distinguish."""
    labels = len(inventory.labels)
    own: dict[Target, int] = {"pair": len(inventory.pairs), "symmetric": 1, "closing_symmetric": 1}
    return {target: own.get(target, labels) for target in TARGETS}


def attach_parameters(
    inventory: Inventory, features: FeatureIndex, initial: np.random.Generator | None, scale: float
) -> dict[str, np.ndarray]:
    """Return initial weights: N(0, scale^2) or zero, plus log-counts for ``N.l.r.d`` (appendix A).

    The log-counts are of ``SHARED`` more constituents than were seen of a relation, spread over
    pairs as those of all relations are: a rare relation starts like any other, and a pair never
    seen with a relation starts low instead of impossible.

    Args:
        inventory: pairs, and how often relations took them.
        features: the features.
        initial: the source of chance, or None for weights of zero.
        scale: standard deviation of weights that start at zero without it.
    """
    columns = target_columns(inventory)
    result: dict[str, np.ndarray] = {}
    for target in TARGETS:
        shape = (features.sizes[target], columns[target])
        table = np.zeros(shape) if initial is None else initial.normal(0.0, scale, shape)
        result[f"attach.{target}"] = table.astype(np.float32)
    overall = inventory.counts[-1] + 0.5
    counts = np.log(inventory.counts + SHARED * overall / overall.sum()).astype(np.float32)
    result["attach.relation"] = counts - counts[:, :1]
    return result


def log_attach(
    parameters: Mapping[str, jax.Array],
    tables: AttachTables,
    features: Mapping[str, SparseRows],
    relation: Numbers,
    network: NetworkScores | None = None,
) -> jax.Array:
    """Return the log-probability of every pair at every node, ``[nodes, pairs]``.

    Without features of the history this is equation 4. With them it is p(l) p(r | l): both factors
    are made of the same scores, but the second one has features of marks that come after l.

    Args:
        parameters: from ``attach_parameters``.
        tables: from ``attach_tables``.
        features: feature vectors by target.
        relation: ``[nodes]``.
        network: scores to be added, or None.
    """
    score = tree_scores(parameters, tables, features, relation, network and network.pair)
    if not has_history_features(parameters):
        log_p = jax.nn.log_softmax(score)
    else:
        nodes = relation.shape[0]
        opening, closing, symmetry = (
            _weigh(parameters[f"attach.{target}"], features[target], nodes)
            for target in ("opening", *CLOSING_TARGETS)
        )
        if network is not None:
            opening, closing = opening + network.opening, closing + network.closing
        first = jax.nn.log_softmax(left_scores(sum_by_left(score, tables), opening))
        spread = closing @ tables.projection["closing"]
        then = right_scores(score, spread, symmetry, tables.projection["closing_symmetric"])
        total = sum_by_left(then, tables)
        total = jnp.where(total > -jnp.inf, total, 0.0)  # or it is no number where nothing may be
        log_p = first[:, tables.left] + then - total[:, tables.left]
    if tables.allowed is None:
        return log_p
    return jnp.where(jnp.asarray(tables.allowed)[relation], log_p, -jnp.inf)


def left_scores(tree: Any, marks: Any) -> Any:
    """Score left labels given the marks so far: the first factor of p(l) p(r | l), unnormalised.

    The likelihood scores all nodes and labels at once, sampling only the histories that occur:
    this function and ``right_scores`` are the model for both, with arrays of JAX or numpy.

    Args:
        tree: ``[..., labels]`` log sums of the scores of the pairs with each left label.
        marks: ``[..., labels]`` scores of the marks to the left.
    """
    return tree + marks


def right_scores(tree: Any, marks: Any, symmetry: Any, symmetric: Any) -> Any:
    """Score pairs with a given left label: the second factor, unnormalised.

    Args:
        tree: ``[..., pairs]`` scores of the pairs.
        marks: ``[..., pairs]`` scores of the right label by the marks to the left and within.
        symmetry: ``[..., 1]`` score of two labels that mirror each other.
        symmetric: ``[..., pairs]`` one where they do.
    """
    return tree + (marks + symmetry * symmetric)


def has_history_features(parameters: Mapping[str, Any]) -> bool:
    """Tell whether there are features of the history: then punctuation is drawn left to right."""
    return any(len(parameters[f"attach.{t}"]) > 0 for t in ("opening", *CLOSING_TARGETS))


def tree_scores(
    parameters: Mapping[str, jax.Array],
    tables: AttachTables,
    features: Mapping[str, SparseRows],
    relation: Numbers,
    network: jax.Array | None = None,
) -> jax.Array:
    """Score every pair at every node by words and tree alone, ``[nodes, pairs]``, unnormalised.

    Minus infinity where a pair is not allowed.

    Args:
        parameters: from ``attach_parameters``.
        tables: from ``attach_tables``.
        features: feature vectors by target.
        relation: ``[nodes]``.
        network: ``[nodes, pairs]`` scores to be added, or None.
    """
    score = parameters["attach.relation"][relation]
    if network is not None:
        score = score + network
    score = score + _projected(parameters, tables, features, TREE_TARGETS, relation.shape[0])
    if tables.allowed is None:
        return score
    return jnp.where(jnp.asarray(tables.allowed)[relation], score, -jnp.inf)


def _projected(
    parameters: Mapping[str, jax.Array],
    tables: AttachTables,
    features: Mapping[str, SparseRows],
    targets: Sequence[Target],
    nodes: int,
) -> jax.Array:
    """Sum the weights of some targets' features, spread over pairs: ``[nodes, pairs]``."""
    score = jnp.zeros((nodes, len(tables.left)))
    for target in targets:
        summed = _weigh(parameters[f"attach.{target}"], features[target], nodes)
        score += summed if target == "pair" else summed @ tables.projection[target]
    return score


def sum_by_left(score: jax.Array, tables: AttachTables) -> jax.Array:
    """Sum the weights of the pairs with each left label, as logarithms: ``[nodes, labels]``.

    Minus infinity for a label that no possible pair begins with; gradients stay finite.

    Args:
        score: ``[nodes, pairs]`` log weights.
        tables: from ``attach_tables``.
    """
    columns, left, labels = score.T, tables.left, len(tables.projection["left"])
    top = jax.lax.stop_gradient(jax.ops.segment_max(columns, left, labels))
    # Of a label without a possible pair nothing may be subtracted: infinity less infinity is none.
    top = jnp.where(top > -jnp.inf, top, 0.0)
    total = jax.ops.segment_sum(jnp.exp(columns - top[left]), left, labels)
    some = total > 0
    return jnp.where(some, jnp.log(jnp.where(some, total, 1.0)) + top, -jnp.inf).T


def _weigh(weights: jax.Array, rows: SparseRows, nodes: int) -> jax.Array:
    """Sum the weights of each node's features, ``[nodes, columns]``."""
    if not weights.shape[0]:
        return jnp.zeros((nodes, weights.shape[1]), weights.dtype)
    summed: jax.Array = _product(weights, rows, nodes)
    return summed


@partial(jax.custom_vjp, nondiff_argnums=(2,))
def _product(weights: jax.Array, rows: SparseRows, nodes: int) -> jax.Array:
    """Multiply the sparse matrix of the features by the weights, ``[nodes, columns]``.

    The reverse pass is the product with the transposed matrix. It is written out because that of
    a scan would make an array of the size of all weights in every step.
    """
    return _accumulate(weights, rows.context, rows.node, rows.value, nodes)


def _product_forward(
    weights: jax.Array, rows: SparseRows, nodes: int
) -> tuple[jax.Array, tuple[jax.Array, SparseRows]]:
    summed: jax.Array = _product(weights, rows, nodes)
    return summed, (weights, rows)


def _product_reverse(
    nodes: int, kept: tuple[jax.Array, SparseRows], cotangent: jax.Array
) -> tuple[jax.Array, None]:
    weights, rows = kept
    return _accumulate(cotangent, rows.node, rows.context, rows.value, len(weights)), None


_product.defvjp(_product_forward, _product_reverse)


def _accumulate(
    table: jax.Array,
    source: Numbers,
    target: Numbers,
    value: jax.Array | npt.NDArray[np.float32],
    size: int,
) -> jax.Array:
    """Add ``value`` times row ``source`` of a table to row ``target`` of zeros.

    The result is ``[size, columns]``. Entries are taken ``_CHUNK`` at a time. Entries of value zero
    may point past the last row.
    """
    table = jnp.asarray(table)
    part = min(len(value), _CHUNK)
    padding = -len(value) % part
    entries = [jnp.pad(x, (0, padding)).reshape(-1, part) for x in (source, target, value)]

    def step(total: jax.Array, some: list[jax.Array]) -> tuple[jax.Array, None]:
        source, target, value = some
        rows = table.at[source].get(mode="clip") * value[:, None]
        return total.at[target].add(rows, mode="drop"), None

    return jax.lax.scan(step, jnp.zeros((size, table.shape[1]), table.dtype), entries)[0]
