"""Orders of items with pairwise scores: the recursion over subsets against all permutations.

    python experiments/benchmarks/orderings.py [--items 12] [--permuted 8] [--output PATH]

The log partition of a batch of sets of ``--items`` items is one compiled program. It is compared
with two loops over the permutations of ``--permuted`` items: a Python loop with numpy operations
over ``itertools.permutations``, and a compiled scan over the table of permutations. Twelve items
have 11,880 times as many permutations as eight. The run fails unless all three agree on the smaller
sets. Each computation runs once for warm-up and then ``--repeats`` times in turn with all others;
the Python loop is slow and is timed three times at most. Times are medians, and ratios are between
times of the same run.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from figures import machine, report

from semipunct.arrays.programs import jit
from semipunct.structures import Distribution, linear_orderings

PYTHON_REPEATS = 3
"""Maximum number of timed calls of the Python loop."""

Floats = npt.NDArray[np.float32]


@jit
def log_partition(precedence: jax.Array) -> jax.Array:
    """Sum over all orders by the recursion over subsets, ``[batch]``."""
    return Distribution(linear_orderings(precedence)).log_partition()


@jit
def partition_and_marginals(precedence: jax.Array) -> Any:
    """Return log partitions, and the probability of each item preceding each other item."""
    return Distribution(linear_orderings(precedence)).log_partition_and_marginals()


@jax.jit
def scanned(precedence: jax.Array, first: jax.Array, second: jax.Array) -> jax.Array:
    """Sum over a table of permutations in a scan, ``[batch]``.

    Args:
        precedence: ``[batch, n, n]`` log weights.
        first: ``[permutations, pairs]`` the earlier item of each pair.
        second: ``[permutations, pairs]`` the later one.
    """

    def step(total: jax.Array, pair: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, None]:
        return jnp.logaddexp(total, precedence[:, pair[0], pair[1]].sum(-1)), None

    start = jnp.full(len(precedence), -jnp.inf)
    return jax.lax.scan(step, start, (first, second))[0]


def looped(precedence: Floats) -> Floats:
    """Sum over permutations in a plain Python loop, ``[batch]``.

    Args:
        precedence: ``[batch, n, n]`` log weights.
    """
    total = np.full(len(precedence), -np.inf)
    for order in permutations(range(precedence.shape[1])):
        first, second = zip(*combinations(order, 2), strict=True)
        total = np.logaddexp(total, precedence[:, first, second].sum(-1))
    return total.astype(np.float32)


def table(items: int) -> tuple[jax.Array, jax.Array]:
    """Return the earlier and the later items of all pairs, for all permutations.

    Args:
        items: number of permuted items.
    """
    orders = np.array(list(permutations(range(items))), np.int32)
    earlier, later = np.triu_indices(items, 1)
    return jnp.asarray(orders[:, earlier]), jnp.asarray(orders[:, later])


def main() -> None:
    """Check that all computations agree, time them and report."""
    options = arguments()
    draws = np.random.default_rng(0)
    shape = options.batch, options.items, options.items
    weights = draws.standard_normal(shape).astype(np.float32)
    few = weights[:, : options.permuted, : options.permuted].copy()
    many, small, pairs = jnp.asarray(weights), jnp.asarray(few), table(options.permuted)
    many_name, plain = f"{options.items} items", f"{options.permuted} items"
    questions: dict[str, Callable[[], Any]] = {
        f"{many_name}, log partition": lambda: log_partition(many),
        f"{many_name}, both": lambda: partition_and_marginals(many),
        f"{plain}, log partition": lambda: log_partition(small),
        f"{plain}, scan of permutations": lambda: scanned(small, *pairs),
        f"{plain}, loop in Python": lambda: looped(few),
    }
    in_python = f"{plain}, loop in Python"
    values = {name: np.asarray(ask()) for name, ask in questions.items() if name.startswith(plain)}
    for name, value in values.items():
        # The scan adds tens of thousands of terms one by one in single precision.
        np.testing.assert_allclose(value, values[in_python], rtol=5e-4, err_msg=name)
    times: dict[str, list[float]] = {name: [] for name in questions}
    for name, ask in questions.items():
        if name != in_python:
            jax.block_until_ready(ask())
    for number in range(options.repeats):
        for name, ask in questions.items():
            if name == in_python and number >= PYTHON_REPEATS:
                continue
            began = time.perf_counter()
            jax.block_until_ready(ask())
            times[name].append(1000 * (time.perf_counter() - began))
    milliseconds = {name: statistics.median(each) for name, each in times.items()}
    least = milliseconds[f"{many_name}, log partition"]
    figures = {
        "batch": options.batch,
        "repeats": options.repeats,
        "permutations": {n: math.factorial(n) for n in (options.items, options.permuted)},
        "milliseconds": {name: round(ms, 3) for name, ms in milliseconds.items()},
        f"times the log partition of {many_name}": {
            name: round(ms / least, 3) for name, ms in milliseconds.items()
        },
    }
    report(figures | {"jax": jax.__version__} | machine(), options.output)


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--items", type=int, default=12)
    parser.add_argument("--permuted", type=int, default=8, help="items in the loops")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    if not 2 <= options.permuted <= options.items:
        parser.error("--permuted is at least 2, and at most --items")
    return options


if __name__ == "__main__":
    main()
