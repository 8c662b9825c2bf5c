"""Time of sums over non-projective trees, relative to a plain determinant with its gradient.

    python experiments/benchmarks/nonprojective.py [--words 40] [--batch 32] [--rounds 20]

The determinant (``jnp.linalg.slogdet`` of the Laplacian, single precision) is what the matrix-tree
theorem asks for as it stands; it overflows and cancels where weights differ much. Samples are
compared with the same determinant: trees of all items together, and of each. In the last rows one
item in eight, or every item, has a cycle that outweighs its exits by e**60, so that it is summed by
elimination. Times are processor time of all threads, the least of all rounds, in turn, since other
work only adds to it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from semipunct.structures import nonprojective_trees


def main() -> None:
    """Print milliseconds and ratios."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--words", type=int, default=40)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--samples", type=int, default=1000)
    arguments = parser.parse_args()
    size = arguments.words + 1
    arcs = jax.random.normal(jax.random.key(0), (arguments.batch, size, size))

    def determinant(weights: jax.Array) -> jax.Array:
        inner = jnp.exp(weights).at[:, :, 0].set(0.0) * (1 - jnp.eye(size))
        laplacian = jnp.eye(size) * inner.sum(1)[:, None] - inner
        return jnp.linalg.slogdet(laplacian[:, 1:, 1:])[1].sum()

    both = jax.jit(lambda trees: trees.log_partition_and_marginals())
    plain = jax.jit(jax.value_and_grad(determinant))
    work: dict[str, Callable[[], Any]] = {"determinant and gradient": lambda: plain(arcs)}
    for name, single_root in (("one root", True), ("several roots", False)):
        trees = nonprojective_trees(arcs, None, single_root)
        work[f"log partition and marginals, {name}"] = lambda t=trees: both(t)
        for count in (-(-arguments.samples // arguments.batch), arguments.samples):
            work[f"{count:,} trees of each item, {name}"] = lambda t=trees, n=count: t.sample(
                jax.random.key(1), n
            )
    for name, every in (("one item in eight", 8), ("all items", 1)):
        cyclic = arcs.at[::every, 1, 2].set(60.0).at[::every, 2, 1].set(60.0)
        trees = nonprojective_trees(cyclic)
        work[f"log partition and marginals, cycles in {name}"] = lambda t=trees: both(t)
    least: dict[str, float] = {}
    for round_number in range(arguments.rounds + 1):
        for name, function in work.items():
            start = time.process_time()
            jax.block_until_ready(function())
            taken = time.process_time() - start
            if round_number:  # in the first, functions are compiled
                least[name] = min(taken, least.get(name, taken))
    (_, reference), *_ = least.items()
    for name, taken in least.items():
        print(f"{name}: {1000 * taken:.2f} ms, {taken / reference:.2f} times")


if __name__ == "__main__":
    main()
