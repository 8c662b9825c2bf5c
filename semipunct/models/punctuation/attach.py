"""ATTACH: the log-linear distribution over a node's pair of punctemes (section 2.1, equation 4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.arrays.groups import ColumnGroups, log_sums, spread
from semipunct.arrays.rows import SparseRows, product
from semipunct.features.support import Support, outcome_columns
from semipunct.features.templates import TABLES, Table, Target
from semipunct.marks import is_symmetric
from semipunct.models.punctuation.inventory import Inventory, target_columns

Numbers = jax.Array | npt.NDArray[np.int32]
"""Indices of relations, nodes or features; traced in compiled functions."""

# Rare relations rely on the counts of all relations together, frequent ones on their own.
SHARED = 100.0
"""Number of pseudo-counts of each relation, chosen on development data."""


TREE_TABLES: tuple[Table, ...] = ("pair", "side")


class AttachTables(NamedTuple):
    """Constants derived from an inventory."""

    symmetric: npt.NDArray[np.float32]  # [1, pairs], one for pairs whose labels mirror each other
    left: ColumnGroups  # pairs grouped by left label
    right: ColumnGroups  # pairs grouped by right label
    allowed: npt.NDArray[np.bool_] | None  # [relations, pairs]; None for all
    filled: npt.NDArray[np.bool_]  # [pairs, 2], whether punctemes are non-empty
    columns: Mapping[Table, Mapping[Target, slice]]  # of each target

    def permitted_pairs(
        self, relation: Numbers, closed: jax.Array | npt.NDArray[np.bool_] | None
    ) -> jax.Array | None:
        """Return the mask of possible pairs at each node, ``[nodes, pairs]``; None for all.

        A closed slot excludes non-empty punctemes, and allows the pair of empty punctemes whatever
        the relation.

        Args:
            relation: ``[nodes]``.
            closed: ``[nodes, 2]``, whether the slots at the left and right edges are closed.
        """
        allowed = None if self.allowed is None else jnp.asarray(self.allowed)[relation]
        if closed is None:
            return allowed
        closed = jnp.asarray(closed)
        possible = ~jnp.any(closed[:, None] & self.filled, -1)
        if allowed is None:
            return possible
        empty = ~jnp.any(jnp.asarray(self.filled), -1)
        return (allowed | (jnp.any(closed, 1)[:, None] & empty)) & possible

    def over_pairs(self, target: Target, scores: jax.Array) -> jax.Array:
        """Broadcast scores of labels or symmetry, ``[nodes, columns]``, to ``[nodes, pairs]``."""
        if target == "left":
            return spread(scores, self.left)
        if target in ("right", "closing"):
            return spread(scores, self.right)
        return scores * self.symmetric


def attach_tables(inventory: Inventory) -> AttachTables:
    """Build the constants of an inventory."""
    symmetric = [[is_symmetric(*inventory.pair_name(p)) for p in range(len(inventory.pairs))]]
    sizes = target_columns(inventory)
    columns: dict[Table, dict[Target, slice]] = {t: outcome_columns(t, sizes) for t in TABLES}
    left, right = (ColumnGroups.of(side, len(inventory.labels)) for side in inventory.pairs.T)
    return AttachTables(
        np.array(symmetric, np.float32),
        left,
        right,
        inventory.allowed,
        inventory.pairs > 0,  # label 0 is the empty puncteme
        columns,
    )


def weights_of(table: Table) -> str:
    """Return the name of the weights of a table."""
    return f"attach.{table}"


FEATURES = frozenset(weights_of(table) for table in TABLES)


def attach_parameters(
    inventory: Inventory,
    supports: Mapping[Table, Support],
    initial: np.random.Generator | None,
    scale: float,
) -> dict[str, np.ndarray]:
    """Return initial weights: N(0, scale^2) or zero, plus log-counts for ``N.l.r.d`` (appendix A).

    The log-counts include ``SHARED`` pseudo-counts in proportion to the counts of all relations:
    rare relations start like the average one, and unseen pairs have positive probability.
    """
    weights_by_name: dict[str, np.ndarray] = {}
    for table, support in supports.items():
        size = support.weights
        weights = np.zeros(size) if initial is None else initial.normal(0.0, scale, size)
        weights_by_name[weights_of(table)] = weights.astype(np.float32)
    overall = inventory.counts[-1] + 0.5
    counts = np.log(inventory.counts + SHARED * overall / overall.sum()).astype(np.float32)
    weights_by_name["attach.relation"] = counts - counts[:, :1]
    return weights_by_name


def log_attach(
    parameters: Mapping[str, jax.Array],
    tables: AttachTables,
    features: Mapping[Table, SparseRows],
    relation: Numbers,
    closed: jax.Array | npt.NDArray[np.bool_] | None = None,
) -> jax.Array:
    """Return the log-probability of every pair at every node, ``[nodes, pairs]``.

    Without history features this is equation 4, otherwise p(l) p(r | l): the second factor also has
    features of the marks after l. Pairs with a puncteme in a closed slot are excluded before
    normalisation.
    """
    score = tree_scores(parameters, tables, features, relation, closed)
    if not has_history_features(parameters):
        log_p = jax.nn.log_softmax(score)
    else:
        nodes = relation.shape[0]
        opening = _weigh(parameters, features, "opening", tables, nodes)["opening"]
        closing = _weigh(parameters, features, "closing", tables, nodes)
        log_p = log_attach_given(tables, score, opening, closing)
    permitted = tables.permitted_pairs(relation, closed)
    return log_p if permitted is None else jnp.where(permitted, log_p, -jnp.inf)


def log_attach_given(
    tables: AttachTables, score: jax.Array, opening: jax.Array, closing: Mapping[Target, jax.Array]
) -> jax.Array:
    """Return log p(l) p(r | l), given ``tree_scores`` and sums of weights of history features."""
    first = jax.nn.log_softmax(left_scores(log_sums(score, tables.left), opening))
    marks = tables.over_pairs("closing", closing["closing"])
    symmetry = closing["closing_symmetric"]
    closing_scores = right_scores(score, marks, symmetry, tables.symmetric)
    total = log_sums(closing_scores, tables.left)
    # Avoid NaN from infinite differences where no pair is allowed.
    total = jnp.where(total > -jnp.inf, total, 0.0)
    return closing_scores + spread(first - total, tables.left)


def left_scores(tree: Any, marks: Any) -> Any:
    """Score left labels given the marks so far: the first factor of p(l) p(r | l), unnormalised.

    The likelihood calls this function and ``right_scores`` on JAX arrays for all nodes and labels,
    sampling on numpy arrays for the histories that occur.

    Args:
        tree: ``[..., labels]``, log-sums of the scores of the pairs with each left label.
        marks: ``[..., labels]``.
    """
    return tree + marks


def right_scores(tree: Any, marks: Any, symmetry: Any, symmetric: Any) -> Any:
    """Score pairs with a given left label: the second factor, unnormalised.

    Args:
        tree: ``[..., pairs]``.
        marks: ``[..., pairs]``, scores of right labels given the marks to the left and within.
        symmetry: ``[..., 1]``, score of labels that mirror each other.
        symmetric: ``[..., pairs]``, one for pairs of such labels.
    """
    return tree + (marks + symmetry * symmetric)


def has_history_features(parameters: Mapping[str, Any]) -> bool:
    """Return whether history features have weights; sampling then runs from left to right."""
    return any(len(parameters[weights_of(table)]) > 0 for table in ("opening", "closing"))


def tree_scores(
    parameters: Mapping[str, jax.Array],
    tables: AttachTables,
    features: Mapping[Table, SparseRows],
    relation: Numbers,
    closed: jax.Array | npt.NDArray[np.bool_] | None = None,
) -> jax.Array:
    """Return scores of all pairs from words and tree alone, ``[nodes, pairs]``."""
    score = parameters["attach.relation"][relation]
    nodes = relation.shape[0]
    score = score + _weigh(parameters, features, "pair", tables, nodes)["pair"]
    for target, summed in _weigh(parameters, features, "side", tables, nodes).items():
        score = score + tables.over_pairs(target, summed)
    permitted = tables.permitted_pairs(relation, closed)
    return score if permitted is None else jnp.where(permitted, score, -jnp.inf)


def _weigh(
    parameters: Mapping[str, jax.Array],
    features: Mapping[Table, SparseRows],
    table: Table,
    tables: AttachTables,
    nodes: int,
) -> dict[Target, jax.Array]:
    """Sum the weights of each node's features, for each target ``[nodes, outcomes]``."""
    weights, rows, columns = parameters[weights_of(table)], features[table], tables.columns[table]
    outcomes = max(span.stop for span in columns.values())
    if weights.shape[0]:
        summed = product(weights, rows, nodes, outcomes)
    else:
        summed = jnp.zeros((nodes, outcomes), weights.dtype)
    return {target: summed[:, span] for target, span in columns.items()}
