"""Release of free memory, and memory maps (docs/decisions/recursions.md, compiled-programs.md)."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

_MAPS = Path("/proc/self/maps")


def release_memory() -> bool:
    """Return memory that the C library retains to the system; return whether it was released."""
    if sys.platform != "linux":
        return False
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return bool(trim and trim(0))


# Parameters of ``mallopt``.
_TRIM_THRESHOLD, _MOST_MMAPS = -1, -4

# Bytes retained at the end of the heap.
_HELD = 2**30

# Interval between releases of memory while a block of code runs.
_SECONDS = 0.5

_holding = Event()


def hold_memory() -> bool:
    """Let the C library retain freed memory until ``release_memory``; return whether it does.

    Otherwise every training step returns and requests the same hundred megabytes, page by page.
    Affects the whole process: for commands, not for libraries.
    """
    if sys.platform != "linux":
        return False
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    options = ((_MOST_MMAPS, 0), (_TRIM_THRESHOLD, _HELD))
    if not (set_option and all(set_option(*pair) for pair in options)):
        return False
    _holding.set()
    return True


def holds_memory() -> bool:
    """Return whether ``hold_memory`` has succeeded."""
    return _holding.is_set()


@contextmanager
def releasing_memory() -> Generator[None, None, None]:
    """Release memory before and after a block of code and, if memory is held, during it.

    The compiler's threads cannot reuse memory that other threads have freed.
    """
    release_memory()
    finished = Event()

    def again() -> None:
        while not finished.wait(_SECONDS):
            release_memory()

    thread = Thread(target=again, daemon=True) if holds_memory() else None
    if thread:
        thread.start()
    try:
        yield
    finally:
        finished.set()
        if thread:
            thread.join()
        release_memory()


def memory_maps() -> int:
    """Return the number of memory maps of the process, or 0 if unknown.

    Compiled code uses thousands; Linux ends a process that exceeds its limit, usually 65,530.
    """
    try:
        with _MAPS.open("rb") as lines:
            return sum(1 for _ in lines)
    except OSError:
        return 0
