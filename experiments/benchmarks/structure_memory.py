"""Peak memory of the log partition with marginals, and how it grows with the size of an item.

    python experiments/benchmarks/structure_memory.py [--output PATH]

Each row is a process of its own. Reported is the peak during a warm call above the memory of the
process before it, in MiB, so without compilation and libraries; and the ratio to the row above,
beside that of the sizes. ``checkpoints`` has a memory budget of 8 MiB (``Recursion``), by which
steps are recomputed in the reverse pass; weights and marginals do not count.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
from figures import machine, normal_weights, process_status, report

from semipunct.arrays.memory import release_memory
from semipunct.structures import (
    Distribution,
    linear_chain,
    nonprojective_trees,
    pcfg,
    projective_trees,
)
from semipunct.structures.recursion import Recursion


def chain(size: int) -> Any:
    """Return a chain of 8 states."""
    return linear_chain(normal_weights(1, size, 8), normal_weights(8, 8))


def grammar(size: int) -> Any:
    """Return a grammar of 20 nonterminals and 20 preterminals."""
    return pcfg(normal_weights(20), normal_weights(20, 40, 40), normal_weights(1, size, 20))


CASES: dict[str, tuple[Callable[[int], Any], tuple[int, ...]]] = {
    "chain, positions": (lambda n: Distribution(chain(n)), (1_000, 10_000, 100_000)),
    "chain, positions, checkpoints": (
        lambda n: Distribution(chain(n), recursion=Recursion(8)), (1_000, 10_000, 100_000),
    ),
    "projective trees, words": (
        lambda n: Distribution(projective_trees(normal_weights(1, n + 1, n + 1))), (50, 100, 200),
    ),
    "trees of any shape, words": (
        lambda n: nonprojective_trees(normal_weights(1, n + 1, n + 1)), (50, 100, 200),
    ),
    "grammar of 20 + 20 symbols, words": (lambda n: Distribution(grammar(n)), (15, 30, 60)),
}  # fmt: skip


def measure(name: str, size: int) -> float:
    """Return the peak memory of a warm call above that of the process, in MiB.

    Args:
        name: a name in ``CASES``.
        size: the size of the item.
    """
    d = CASES[name][0](size)
    jax.block_until_ready(d.log_partition_and_marginals())
    release_memory()
    before = process_status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    jax.block_until_ready(d.log_partition_and_marginals())
    return process_status("VmHWM") - before


def main() -> None:
    """Measure every size and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs=2, help="measure a case of a size in this process")
    parser.add_argument("--output", type=Path, help="also write the figures to this JSON file")
    arguments = parser.parse_args()
    if arguments.only:
        print(measure(arguments.only[0], int(arguments.only[1])))
        return
    rows: list[dict[str, Any]] = []
    print("| structure | size | MiB | growth | of the size |\n| --- | ---: | ---: | ---: | ---: |")
    for name, (_, sizes) in CASES.items():
        previous: tuple[int, float] | None = None
        for size in sizes:
            command = [sys.executable, __file__, "--only", name, str(size)]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            mib = float(done.stdout.splitlines()[-1])
            growth = ("", "")
            if previous:
                growth = f"{mib / max(previous[1], 0.1):.1f}", f"{size / previous[0]:.0f}"
            rows.append({"structure": name, "size": size, "mib": round(mib, 1)})
            print(f"| {name} | {size:,} | {mib:.1f} | {growth[0]} | {growth[1]} |", flush=True)
            previous = size, mib
    report({"rows": rows, **machine()}, arguments.output)


if __name__ == "__main__":
    main()
