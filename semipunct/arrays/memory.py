"""Memory that is free, given back to the system."""

from __future__ import annotations

import ctypes
import sys


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
