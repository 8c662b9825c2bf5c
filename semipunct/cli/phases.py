"""Times of the phases of a command (``semipunct --timings COMMAND``), and compiled programs."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from semipunct.cli import console

if TYPE_CHECKING:
    from semipunct.arrays.compilation import SlowCompilation

# Seconds of compilation before a message.
PATIENCE = 10.0

_slow: "SlowCompilation | None" = None

_BEGAN = time.perf_counter()
_spent: dict[str, float] = {}


@contextmanager
def phase(name: str) -> Generator[None]:
    """Add the time of a ``with`` block to a phase, without compilation."""
    start = time.perf_counter()
    try:
        yield
    finally:
        _spent[name] = _spent.get(name, 0.0) + time.perf_counter() - start


@contextmanager
def print_timings() -> Generator[None]:
    """Print the seconds of each phase after a ``with`` block."""
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
    console.people().print(table)


def keep_programs() -> None:
    """Cache compiled programs in the user's cache folder, and report long compilation."""
    from semipunct.arrays.compilation import SlowCompilation, enable_compilation_cache

    global _slow
    folder = enable_compilation_cache()
    later = f"kept in {folder} for later runs" if folder else "no folder can keep them"
    if _slow is not None:
        _slow.stop()
    _slow = SlowCompilation(
        lambda: console.say(f"compiling programs for batches of these sizes ({later})"), PATIENCE
    )
    _slow.start()
