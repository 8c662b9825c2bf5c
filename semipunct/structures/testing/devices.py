"""Checks that batches may be mapped over, and divided among devices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from unittest import SkipTest

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.structures.distribution import Distribution
from semipunct.structures.testing.answers import Check
from semipunct.structures.testing.case import Weighted
from semipunct.structures.testing.comparisons import expect_same


def _answers(d: Distribution[Any], key: jax.Array) -> Any:
    feature = jax.tree.map(jnp.ones_like, d.structure.expand().log_weights)
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


def _batches(w: Weighted) -> tuple[Any, Any, Callable[[Any], Any]]:
    """Return two batches of log weights, stacked; the expected answers; and what computes those."""
    batches = [w.structure.log_weights, w.case.with_weights(w.base, 3).structure.log_weights]
    key = jax.random.key(0)

    def answers(log_weights: Any) -> Any:
        structure = w.structure.with_log_weights(log_weights)
        return _answers(Distribution(structure, w.base), key)

    alone = jax.jit(answers)
    expected = jax.tree.map(lambda *xs: np.stack(xs), *map(alone, batches))
    return jax.tree.map(lambda *xs: jnp.stack(xs), *batches), expected, answers


def _mesh(number: int) -> jax.sharding.Mesh:
    return jax.make_mesh((number,), ("batches",), axis_types=(jax.sharding.AxisType.Auto,))


def devices(w: Weighted) -> None:
    """Check ``jax.shard_map`` over two devices, or over one if there are no two.

    Each gets a batch with other log weights.
    """
    number = min(2, jax.device_count())
    stacked, expected, answers = w.ask(_batches)

    def each(stacked: Any) -> Any:
        rows = [jax.tree.map(lambda x, i=i: x[i], stacked) for i in range(2 // number)]
        return jax.tree.map(lambda *xs: jnp.stack(xs), *map(answers, rows))

    spec = jax.sharding.PartitionSpec("batches")
    divide = partial(jax.shard_map, mesh=_mesh(number), in_specs=spec, out_specs=spec)
    expect_same(jax.jit(divide(each))(stacked), expected, f"results on {number} devices")


def vmap(w: Weighted) -> None:
    """Check ``jax.vmap`` over two batches with different log weights."""
    stacked, expected, answers = w.ask(_batches)
    expect_same(jax.jit(jax.vmap(answers))(stacked), expected, "results under vmap")


def sharded_batches(w: Weighted) -> None:
    """Check batches that ``jax.jit`` divides among two devices.

    Raises:
        unittest.SkipTest: if there is one device only.
    """
    if jax.device_count() < 2:
        raise SkipTest(
            "sharded: jax has one device; XLA_FLAGS=--xla_force_host_platform_device_count=2 makes "
            "two of a CPU"
        )
    stacked, expected, answers = w.ask(_batches)
    sharding = jax.sharding.NamedSharding(_mesh(2), jax.sharding.PartitionSpec("batches"))
    compiled = jax.jit(jax.vmap(answers), in_shardings=sharding)
    expect_same(compiled(jax.device_put(stacked, sharding)), expected, "results of a divided batch")


DEVICES: Mapping[str, Check] = {"devices": devices, "vmap": vmap, "sharded": sharded_batches}
"""Checks by name."""
