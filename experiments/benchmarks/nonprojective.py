"""Time of sums over non-projective trees, relative to a plain determinant with its gradient.

    python experiments/benchmarks/nonprojective.py [--words 40] [--batch 32] [--rounds 20]

The determinant (``jnp.linalg.slogdet`` of the Laplacian, single precision) is what the matrix-tree
theorem asks for as it stands; it overflows and cancels where weights differ much. Samples are
compared with the same determinant.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from semipunct.structures import nonprojective_trees


def main() -> None:
    """Print seconds and ratios."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--words", type=int, default=40)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--samples", type=int, default=10)
    arguments = parser.parse_args()
    size = arguments.words + 1
    arcs = jax.random.normal(jax.random.key(0), (arguments.batch, size, size))
    trees = nonprojective_trees(arcs)

    def determinant(weights: jax.Array) -> jax.Array:
        inner = jnp.exp(weights).at[:, :, 0].set(0.0) * (1 - jnp.eye(size))
        laplacian = jnp.eye(size) * inner.sum(1)[:, None] - inner
        return jnp.linalg.slogdet(laplacian[:, 1:, 1:])[1].sum()

    plain = seconds(jax.jit(jax.value_and_grad(determinant)), arcs, rounds=arguments.rounds)
    ours = seconds(
        jax.jit(lambda t: t.log_partition_and_marginals()), trees, rounds=arguments.rounds
    )
    drawn = seconds(lambda t: t.sample(jax.random.key(1), arguments.samples), trees, rounds=3)
    print(f"determinant and gradient: {1000 * plain:.1f} ms")
    print(f"log partition and marginals: {1000 * ours:.1f} ms, {ours / plain:.0f} times")
    print(f"{arguments.samples} samples: {1000 * drawn:.0f} ms, {drawn / plain:.0f} times")


def seconds(function: Callable[[Any], Any], argument: Any, rounds: int) -> float:
    """Return the median time of a function, once it is compiled.

    Args:
        function: which returns arrays.
        argument: of the function.
        rounds: the number of calls.
    """
    jax.block_until_ready(function(argument))
    times: list[float] = []
    for _ in range(rounds):
        start = time.perf_counter()
        jax.block_until_ready(function(argument))
        times.append(time.perf_counter() - start)
    return statistics.median(times)


if __name__ == "__main__":
    main()
