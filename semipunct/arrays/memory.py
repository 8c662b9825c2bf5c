"""Release of free memory to the operating system, and the memory maps of a process.

Why a training run returns memory: docs/decisions/recursions.md and compiled-programs.md.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

_MAPS = Path("/proc/self/maps")


def release_memory() -> bool:
    """Return free memory that the C library retains to the operating system.

    The GNU C library retains free memory between blocks in use. Compilation leaves much of it,
    since it allocates small blocks from several threads.

    Returns:
        Whether memory was released; False if the C library does not support this.
    """
    if sys.platform != "linux":
        return False
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return bool(trim and trim(0))


_TRIM_THRESHOLD, _MOST_MMAPS = -1, -4
"""Parameters of ``mallopt``."""

_HELD = 2**30
"""The number of bytes retained at the end of the heap."""

_SECONDS = 0.5
"""The interval between releases of memory while a block of code runs."""

_holding = Event()


def hold_memory() -> bool:
    """Let the C library retain freed memory until ``release_memory`` is called.

    Every training step allocates the same hundred megabytes, which the GNU C library would
    otherwise return to the system and request again, page by page. This setting affects the whole
    process, so commands call it, not library functions.

    Returns:
        Whether the C library accepted the setting; False if it has no such setting.
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
    """Return whether ``hold_memory`` has been called successfully."""
    return _holding.is_set()


@contextmanager
def releasing_memory() -> Generator[None, None, None]:
    """Release memory before and after a block of code and, if memory is held, during it.

    Held memory stays with the process even while the compiler, whose threads cannot reuse memory
    freed by others, requests more.
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
    """Return how many memory maps the process has; 0 if this is unknown.

    Compiled code uses thousands of them, and Linux terminates a process that exceeds the limit,
    usually 65,530.
    """
    try:
        with _MAPS.open("rb") as lines:
            return sum(1 for _ in lines)
    except OSError:
        return 0
