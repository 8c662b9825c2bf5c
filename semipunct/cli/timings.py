"""The times of the phases of a command: ``semipunct --timings COMMAND``."""

import time
from collections.abc import Generator
from contextlib import contextmanager

from semipunct.cli import console

_BEGAN = time.perf_counter()
_spent: dict[str, float] = {}


@contextmanager
def phase(name: str) -> Generator[None]:
    """Add the time of a ``with`` block, in which nothing is compiled, to a phase.

    Args:
        name: of the phase, as it is printed.
    """
    start = time.perf_counter()
    try:
        yield
    finally:
        _spent[name] = _spent.get(name, 0.0) + time.perf_counter() - start


@contextmanager
def print_timings() -> Generator[None]:
    """Print the seconds of each phase to standard error when a ``with`` block ends."""
    _spent.clear()
    with phase("importing"):
        from semipunct.arrays.compilation import CompileClock
    with CompileClock() as clock:
        yield
    whole = time.perf_counter() - _BEGAN
    parts = _spent | {"tracing": clock.lowering, "compiling": clock.seconds}
    parts["everything else"] = max(0.0, whole - sum(parts.values()))
    table = console.table("phase", "seconds")
    for name, seconds in [*parts.items(), ("in all", whole)]:
        table.add_row(name, f"{seconds:.2f}")
    from rich.console import Console

    Console(stderr=True, highlight=False).print(table)
