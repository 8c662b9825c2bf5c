"""Dependency trees whose arcs have labels, reduced to trees without labels and read back.

The label of an arc is chosen independently of the other arcs. So sums over labelled trees are sums
over trees whose arcs have the sum of the weights of their labels, and the best labelled tree is the
best tree by the best label of each arc. This is so for projective and other trees alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from semipunct.arrays.shapes import as_log_weights
from semipunct.errors import UsageError
from semirings.numerics import log_sum, weigh


@partial(jax.tree_util.register_dataclass, data_fields=["weights"], meta_fields=[])
@dataclass(frozen=True)
class LabelledArcs:
    """Log weights of arcs with labels; see ``labelled_arcs``.

    Attributes:
        weights: ``[batch, n + 1, n + 1, labels]``.
    """

    weights: jax.Array

    @property
    def arcs(self) -> jax.Array:
        """The log of the sum over labels, ``[batch, n + 1, n + 1]``: for sums and samples."""
        return log_sum(self.weights, 3)

    @property
    def best_arcs(self) -> jax.Array:
        """The log weight of the best label, ``[batch, n + 1, n + 1]``: for the best trees."""
        return jnp.max(self.weights, 3)

    def labels(self, heads: Any) -> jax.Array:
        """Return the best label of each word ``[..., batch, n]``, -1 where its head is -1.

        Args:
            heads: ``[..., batch, n]`` heads, such as of ``best`` or ``top`` by ``best_arcs``.

        Raises:
            UsageError: if the shape does not fit.
        """
        given = self._of_heads(heads)
        return jnp.where(jnp.asarray(heads) < 0, -1, jnp.argmax(given, -1))

    def sample_labels(self, key: jax.Array, heads: Any) -> jax.Array:
        """Draw the label of each word ``[..., batch, n]``, -1 where its head is -1.

        Args:
            key: a random key.
            heads: ``[..., batch, n]`` heads, such as of ``sample`` by ``arcs``.

        Raises:
            UsageError: if the shape does not fit.
        """
        drawn = jax.random.categorical(key, self._of_heads(heads))
        return jnp.where(jnp.asarray(heads) < 0, -1, drawn)

    def score(self, heads: Any, labels: Any) -> jax.Array:
        """Return the log weights ``[..., batch]`` of labelled trees, which are not checked.

        Args:
            heads: ``[..., batch, n]`` heads; words with head -1 are ignored.
            labels: ``[..., batch, n]`` labels.

        Raises:
            UsageError: if the shapes do not fit.
        """
        heads, given = jnp.asarray(heads), self._of_heads(heads)
        if jnp.shape(labels) != heads.shape:
            raise UsageError(f"labels have shape {jnp.shape(labels)}, heads {heads.shape}")
        index = jnp.clip(jnp.asarray(labels), 0, given.shape[-1] - 1)
        each = jnp.take_along_axis(given, index[..., None], -1)[..., 0]
        each = jnp.where(index == labels, each, -jnp.inf)
        return jnp.sum(jnp.where(heads < 0, 0.0, each), -1)

    def marginals(self, marginals: jax.Array) -> jax.Array:
        """Return the probabilities ``[batch, n + 1, n + 1, labels]`` of labelled arcs.

        Args:
            marginals: ``[batch, n + 1, n + 1]`` of the trees by ``arcs``.
        """
        total = self.arcs[..., None]
        shares = jnp.exp(self.weights - jnp.where(total > -jnp.inf, total, 0.0))
        return weigh(marginals[..., None], shares)

    def _of_heads(self, heads: Any) -> jax.Array:
        """Return the weights ``[..., batch, n, labels]`` of the arcs of trees."""
        heads = jnp.asarray(heads)
        batch, size, _, _ = self.weights.shape
        if heads.shape[-2:] != (batch, size - 1):
            raise UsageError(f"heads have shape {heads.shape}; expected [..., {batch}, {size - 1}]")
        item = jnp.arange(batch)[:, None]
        return self.weights[item, jnp.clip(heads, 0, size - 1), jnp.arange(1, size)]


def labelled_arcs(weights: jax.Array) -> LabelledArcs:
    """Make arcs with labels, for ``projective_trees`` and ``nonprojective_trees``.

    Args:
        weights: ``[batch, n + 1, n + 1, labels]`` log weight of the arc from head (axis 1, where 0
            is the root) to dependent (axis 2) with each label. Column 0 and the diagonal are
            ignored. One item may lack the axis of the batch.

    Raises:
        UsageError: if the shape does not fit, or there is no label.
    """
    weights = as_log_weights(weights, 4)
    if weights.ndim != 4 or weights.shape[1] != weights.shape[2] or not weights.shape[3]:
        raise UsageError(
            f"weights have shape {weights.shape}; expected [batch, n + 1, n + 1, labels]"
        )
    return LabelledArcs(weights)
