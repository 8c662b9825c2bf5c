"""Folders: created if missing, written as a whole, locked, and undone at a signal."""

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
    """Register how to undo the work of a ``with`` block if a signal ends the process."""
    _UNDO.append(undo)
    try:
        yield
    finally:
        _UNDO.remove(undo)


def undo_unfinished() -> None:
    """Undo unfinished work, most recent first, as far as possible."""
    for undo in reversed(_UNDO[:]):
        with suppress(Exception):
            undo()


@contextmanager
def make_folder(path: str | Path) -> Generator[None, None, None]:
    """Create a folder and its parents for a ``with`` block; remove them if still empty."""
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

    Entries of the old folder that are not ``owned``, such as notes, move to the new one.
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
                # Temporary folders are private; make this one as readable as any new folder.
                mask = os.umask(0)
                os.umask(mask)
                temporary.chmod(0o777 & ~mask)
                swap_folder(temporary, target, files.keys() | owned)
            finally:
                remove()


def swap_folder(replacement: str | Path, path: str | Path, owned: Set[str]) -> None:
    """Replace a folder by another one on the same file system; entries not ``owned`` move over."""
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
    """Restore a ``is_known`` old folder if a process was killed within ``replace_folder``."""
    target = Path(os.path.realpath(path))
    aside = _aside(target)
    if aside.is_dir() and not target.exists() and is_known(aside):
        aside.rename(target)


def _aside(target: Path) -> Path:
    return target.parent / f".{target.name}.old"  # also for the root, which has no name


try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

_UNAVAILABLE = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)


@contextmanager
def hold_lock(path: str | Path) -> Generator[bool, None, None]:
    """Hold ``flock`` on a file within a ``with`` block; yield False if it is held elsewhere.

    A leftover file locks nothing. Without ``flock`` (Windows) there is no exclusion.
    """
    file = Path(path)
    while True:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            if not _take_lock(descriptor):
                yield False
                return
            # The previous holder may have removed the file after we opened it.
            if _is_open_file(file, descriptor):
                with undoable(file.unlink):
                    try:
                        yield True
                    finally:
                        # While the lock is held, so that nobody else's file is removed.
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
