"""Folders: made where they are missing, written whole, locked, and undone at a signal."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Generator, Mapping, Set
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

_UNDO: list[Callable[[], object]] = []


@contextmanager
def undoable(undo: Callable[[], object]) -> Generator[None, None, None]:
    """Remember, within a ``with`` block, how to undo what the block begins.

    The block undoes its work itself where an exception ends it; a process that a signal ends at
    once runs no ``finally``, and calls ``undo_unfinished``.
    """
    _UNDO.append(undo)
    try:
        yield
    finally:
        _UNDO.remove(undo)


def undo_unfinished() -> None:
    """Undo what is unfinished, the last begun first; what cannot be undone is left."""
    for undo in reversed(_UNDO[:]):
        with suppress(Exception):
            undo()


@contextmanager
def make_folder(path: str | Path) -> Generator[None, None, None]:
    """Make a folder, and those above it, for a ``with`` block that puts something into it.

    Those that were missing and are still empty at the end of the block go again.

    Raises:
        OSError: if a folder cannot be made.
    """
    folder = Path(path)
    missing = [p for p in (folder, *folder.parents) if not p.exists()]

    def remove_empty() -> None:
        for folder in missing:
            with suppress(OSError):
                folder.rmdir()

    with undoable(remove_empty):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            yield
        finally:
            remove_empty()


def replace_folder(path: str | Path, files: Mapping[str, bytes], owned: Set[str]) -> None:
    """Make ``path`` a folder of exactly these files, all of them or none.

    A reader sees the old folder or the new one.  Entries of the old one that its writer does not
    own (notes, say) move over.

    Args:
        path: the folder.
        files: contents by name.
        owned: the names of files that older versions of the folder may hold and that go with them.

    Raises:
        OSError: if writing fails; the old folder stays.
    """
    target = Path(os.path.realpath(path))
    with make_folder(target.parent):
        temporary = Path(tempfile.mkdtemp(prefix=f".{target.name}.new-", dir=target.parent))
        remove = partial(shutil.rmtree, temporary, ignore_errors=True)
        with undoable(remove):
            try:
                for name, content in files.items():
                    with open(temporary / name, "wb") as stream:
                        stream.write(content)
                        stream.flush()
                        os.fsync(stream.fileno())
                # A temporary folder is private; this one shall be as readable as any new folder.
                mask = os.umask(0)
                os.umask(mask)
                temporary.chmod(0o777 & ~mask)
                swap_folder(temporary, target, files.keys() | owned)
            finally:
                remove()


def swap_folder(replacement: str | Path, path: str | Path, owned: Set[str]) -> None:
    """Put a folder in the place of another one, which goes.

    Args:
        replacement: the folder; on the file system of the other one.
        path: the other one, if there is one. Entries that its writer does not own move over.
        owned: the names of its files that go.

    Raises:
        OSError: if renaming fails; the old folder stays.
    """
    source, target = Path(replacement), Path(os.path.realpath(path))
    if not target.exists():
        source.rename(target)
        return
    aside = _aside(target)
    if aside.is_dir():  # a process was killed before all of it had moved over
        _move_over(aside, target, owned)
    with undoable(partial(recover_folder, target, lambda _: True)):
        target.rename(aside)
        try:
            source.rename(target)
        except OSError:
            aside.rename(target)
            raise
    _move_over(aside, target, owned)


def _move_over(aside: Path, target: Path, owned: Set[str]) -> None:
    for entry in aside.iterdir():
        if entry.name not in owned and not (target / entry.name).exists():
            entry.rename(target / entry.name)
    shutil.rmtree(aside, ignore_errors=True)


def recover_folder(path: str | Path, is_known: Callable[[Path], bool]) -> None:
    """Put the old folder back if a process was killed between two renames of ``replace_folder``.

    Args:
        path: the folder.
        is_known: tells whether a folder is one that may be put there.

    Raises:
        OSError: if the folder cannot be renamed.
    """
    target = Path(os.path.realpath(path))
    aside = _aside(target)
    if aside.is_dir() and not target.exists() and is_known(aside):
        aside.rename(target)


def _aside(target: Path) -> Path:
    return target.parent / f".{target.name}.old"  # of the root, too, which has no name


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
