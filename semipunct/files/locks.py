"""Locks between processes: held by an open file, so that a process that dies leaves none behind."""

from __future__ import annotations

import errno
import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from semipunct.files.unfinished import undoable

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

_UNAVAILABLE = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)


@contextmanager
def hold_lock(path: str | Path) -> Generator[bool, None, None]:
    """Hold a lock within a ``with`` block.

    The lock is ``flock`` on the file of this name, which the system releases when the process
    ends, however it ends: a file that is left behind locks nothing. Where there is no ``flock``
    (Windows, some network file systems) nobody is kept out.

    Args:
        path: of the lock file; made, and removed at the end of the block.

    Yields:
        False if another process, or another block of this one, holds the lock.

    Raises:
        OSError: if the file cannot be made.
    """
    file = Path(path)
    while True:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            if not _take_lock(descriptor):
                yield False
                return
            # The holder before us may have removed the file after we had opened it.
            if _is_open_file(file, descriptor):
                with undoable(file.unlink):
                    try:
                        yield True
                    finally:
                        # While the lock is held, so that no other's file is removed.
                        with suppress(OSError):
                            file.unlink()
                return
        finally:
            os.close(descriptor)


def _take_lock(descriptor: int) -> bool:
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in _UNAVAILABLE:
            raise
    return True


def _is_open_file(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False
