"""The check that a batch may be divided among devices."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.structures.distribution import Distribution
from semipunct.structures.testing.answers import Check
from semipunct.structures.testing.case import Weighted
from semipunct.structures.testing.comparisons import same


def _answers(d: Distribution[Any], key: jax.Array) -> Any:
    feature = jax.tree.map(jnp.ones_like, d.structure.expanded().log_weights)
    return (
        d.log_partition_and_marginals(),
        d.best(),
        d.top(2),
        d.sample(key, 3).parts,
        d.entropy(),
        d.kl(d),
        d.covariance(feature, feature),
        d.expectation(feature),
    )


def devices(w: Weighted) -> None:
    """Check ``jax.shard_map`` over two devices, or over one if there are no two.

    Each gets a batch with other log weights.
    """
    number = min(2, jax.device_count())
    mesh = jax.make_mesh((number,), ("batches",), axis_types=(jax.sharding.AxisType.Auto,))
    spec = jax.sharding.PartitionSpec("batches")
    batches = [w.structure.log_weights, w.case.weighted(w.base, 3).structure.log_weights]
    key = jax.random.key(0)

    def answers(log_weights: Any) -> Any:
        structure = w.structure.with_log_weights(log_weights)
        return _answers(Distribution(structure, w.base), key)

    def each(stacked: Any) -> Any:
        rows = [jax.tree.map(lambda x, i=i: x[i], stacked) for i in range(2 // number)]
        return jax.tree.map(lambda *xs: jnp.stack(xs), *map(answers, rows))

    stacked = jax.tree.map(lambda *xs: jnp.stack(xs), *batches)
    alone = jax.jit(answers)
    expected = jax.tree.map(lambda *xs: np.stack(xs), *map(alone, batches))
    divide = partial(jax.shard_map, mesh=mesh, in_specs=spec, out_specs=spec)
    same(jax.jit(divide(each))(stacked), expected, f"results on {number} devices")


DEVICES: Mapping[str, Check] = {"devices": devices}
"""Checks by name."""
