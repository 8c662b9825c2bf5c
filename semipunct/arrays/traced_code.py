"""The digest of all code that may be traced into a program: its key in the cache on disk.

Our own sources count by content, so that copies of one version share cached programs. The
packages that our functions call while they are traced are too large to read at the start of a
command, so their files count by size and times. Versions are not enough, because the code of an
editable or patched installation changes without them; the time of the last change of the inode is
included because patches may preserve the size and the time of modification.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path

OURS = ("semipunct", "semirings")
"""The packages whose functions and static arguments can be cached."""

TRACED = ("absl", "jax", "jaxlib", "ml_dtypes", "numpy", "opt_einsum", "optax", "scipy")
"""The packages that our traced functions call, and the requirements of these packages."""

_SUFFIXES = (".py", *EXTENSION_SUFFIXES)


@cache
def code_digest() -> str | None:
    """Return a SHA-256 digest of our sources and of the state of the packages traced with them.

    It is None if they cannot be located or listed, as in a zip archive.
    """
    digest = hashlib.sha256()
    try:
        for package in OURS:
            for name, path in _files(package):
                digest.update(f"{name} ".encode(errors="surrogateescape"))
                digest.update(_content(path))
        for package in TRACED:
            for name, path in _files(package):
                digest.update(f"{name} {_state(path)} ".encode(errors="surrogateescape"))
    except (OSError, ValueError):
        return None
    return digest.hexdigest()


def _content(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:  # a link to nothing, such as the lock of an editor
        return b""


def _state(path: str) -> str:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return ""
    return f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"


def _files(package: str) -> list[tuple[str, str]]:
    """Return the code of a package as names within it and paths, in order; none if it is missing.

    The package is located but not imported, so a path hook or an editable installation is followed.

    Raises:
        OSError, ValueError: if it cannot be located or listed.
    """
    spec = find_spec(package)
    if spec is None:
        return []
    if spec.submodule_search_locations is None:
        return [(package, spec.origin)] if spec.origin else []
    return sorted(
        (f"{package}/{name}", path)
        for folder in spec.submodule_search_locations
        for name, path in _walk(folder, "")
    )


def _walk(folder: str, prefix: str) -> Iterator[tuple[str, str]]:
    # With os.scandir, because pathlib takes five times as long for as many files.
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(_SUFFIXES):
                yield f"{prefix}{entry.name}", entry.path
            elif entry.name != "__pycache__" and entry.is_dir(follow_symlinks=False):
                yield from _walk(entry.path, f"{prefix}{entry.name}/")
