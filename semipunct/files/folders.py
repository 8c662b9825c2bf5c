"""Folders that are written whole: under a temporary name first, then renamed."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Set
from pathlib import Path


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
    target = Path(path).resolve()
    temporary: Path | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{target.name}.new-", dir=target.parent))
        for name, content in files.items():
            with open(temporary / name, "wb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
        # A temporary folder is private; this one shall be as readable as any new folder.
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o777 & ~mask)
        _swap(temporary, target, files.keys() | owned)
    finally:
        if temporary is not None and temporary.exists():
            shutil.rmtree(temporary, ignore_errors=True)


def _swap(new: Path, target: Path, owned: Set[str]) -> None:
    if not target.exists():
        new.rename(target)
        return
    aside = _aside(target)
    shutil.rmtree(aside, ignore_errors=True)
    target.rename(aside)
    try:
        new.rename(target)
    except OSError:
        aside.rename(target)
        raise
    for entry in aside.iterdir():
        if entry.name not in owned:
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
    target = Path(path).resolve()
    aside = _aside(target)
    if aside.is_dir() and not target.exists() and is_known(aside):
        aside.rename(target)


def _aside(target: Path) -> Path:
    return target.parent / f".{target.name}.old"  # of the root, too, which has no name
