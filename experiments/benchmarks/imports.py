"""Modules and CPU time of importing the structures, in addition to jax.

    python experiments/benchmarks/imports.py

Prints the modules that are loaded and the CPU time in seconds: for ``import semipunct.structures``,
which loads no structure, then for access to a linear chain and its ``Distribution``, and then to
all names of the package. Each row includes the rows before it.
"""

from __future__ import annotations

import sys
import time

import jax.numpy  # noqa: F401 - what is measured is loaded in addition to it


def main() -> None:
    """Measure the three imports in this process, which must be a new one."""
    before, start = len(sys.modules), time.process_time()

    def tell(step: str) -> None:
        seconds = time.process_time() - start
        print(f"{step}: {len(sys.modules) - before} modules, {seconds:.3f} s")

    import semipunct.structures as structures

    tell("import")
    names = (structures.linear_chain, structures.Distribution)
    tell("a linear chain")
    names = tuple(getattr(structures, name) for name in structures.__all__)
    tell(f"all {len(names)} names")


if __name__ == "__main__":
    main()
