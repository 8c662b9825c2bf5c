"""Memory that is free, given back to the system, and the memory maps of a process."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

_MAPS = Path("/proc/self/maps")


def release_memory() -> bool:
    """Give memory back to the system that is free and that the C library has kept.

    The library of GNU keeps what lies between blocks in use, and compiling leaves much of it: it
    allocates small blocks from several threads.

    Returns:
        Whether there was any; False where the C library does not do so on demand.
    """
    if sys.platform != "linux":
        return False
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return bool(trim and trim(0))


_TRIM_THRESHOLD, _MOST_MMAPS = -1, -4
"""Parameters of ``mallopt``."""

_HELD = 2**30
"""Bytes at the end of the heap that are held back."""

_SECONDS = 0.5
"""Between two times that memory is given back while something runs."""

_holding = Event()


def hold_memory() -> bool:
    """Let the C library keep for itself what is freed, until ``release_memory`` is called.

    Every step of a training allocates the same hundred megabytes, which the library of GNU else
    returns to the system and asks for anew, page by page. This is a setting of the process, so that
    commands make it, not functions.

    Returns:
        Whether the C library took the setting; False where it has none.
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
    """Tell whether ``hold_memory`` has been called, with success."""
    return _holding.is_set()


@contextmanager
def releasing_memory() -> Generator[None, None, None]:
    """Give memory back before a block of code, after it, and, where it is held, meanwhile.

    Memory that is held stays with the process even while the compiler, which frees in one thread
    what another can use, asks for more.
    """
    release_memory()
    done = Event()

    def again() -> None:
        while not done.wait(_SECONDS):
            release_memory()

    thread = Thread(target=again, daemon=True) if holds_memory() else None
    if thread:
        thread.start()
    try:
        yield
    finally:
        done.set()
        if thread:
            thread.join()
        release_memory()


def memory_maps() -> int:
    """Return how many memory maps the process has; 0 where the system does not tell.

    Compiled code takes thousands of them, and Linux ends a process that asks for more than the
    65,530 that it usually grants.
    """
    try:
        with _MAPS.open("rb") as lines:
            return sum(1 for _ in lines)
    except OSError:
        return 0
