"""Folders that are written whole: under a temporary name first, then renamed."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from semipunct.errors import ModelError

CONFIG, MANIFEST = "config.json", "manifest.json"
FORMAT = "semipunct model"


def is_ours(path: Path) -> bool:
    """Tell whether a folder is a model folder, of whatever version: its config.json says so."""
    try:
        data: Any = json.loads((path / CONFIG).read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(data, dict) and cast(dict[str, Any], data).get("format") == FORMAT


def check_output(path: str | Path) -> None:
    """Check that ``write_folder`` will be able to write a folder, before the work is done.

    Raises:
        ModelError: if there is something else of that name, or the place may not be written to.
    """
    target = Path(path).resolve()
    _recover(target)
    if target.exists():
        if not target.is_dir():
            raise ModelError(f"{path}: is a file; name a folder for the model")
        if not is_ours(target) and any(target.iterdir()):
            raise ModelError(
                f"{path}: the output folder is not ours: it is not empty and no model folder, so "
                "it is left alone; name another one"
            )
    above = next(p for p in target.parents if p.exists())
    if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
        raise ModelError(f"{path}: {above} is no folder that may be written to; name another one")


def write_folder(path: str | Path, files: Mapping[str, bytes]) -> None:
    """Make ``path`` a folder of exactly these files, all of them or none.

    A reader sees the old folder or the new one.  What else lies in the old one (notes, say)
    moves over.

    Args:
        path: the folder; replaced only if it is a model folder or empty.
        files: names and contents.

    Raises:
        ModelError: as ``check_output`` does, or if writing fails (a full disk).
    """
    check_output(path)
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
        # A temporary folder is private; a model is as readable as any new folder.
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o777 & ~mask)
        _swap(temporary, target, files)
    except OSError as error:
        raise ModelError(
            f"{path}: the model could not be written ({error.strerror or error}); make room or "
            "name another folder"
        ) from error
    finally:
        if temporary is not None and temporary.exists():
            shutil.rmtree(temporary, ignore_errors=True)


def _swap(new: Path, target: Path, written: Mapping[str, bytes]) -> None:
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
        if entry.name not in written and entry.name not in OURS:
            entry.rename(target / entry.name)
    shutil.rmtree(aside, ignore_errors=True)


def _recover(target: Path) -> None:
    """Put the old folder back if a process was killed between the two renames of ``_swap``."""
    aside = _aside(target)
    if aside.is_dir() and not target.exists() and is_ours(aside):
        aside.rename(target)


def _aside(target: Path) -> Path:
    return target.with_name(f".{target.name}.old")


OURS = frozenset(
    {
        CONFIG,
        "README.md",
        MANIFEST,
        "metrics.jsonl",
        "model.safetensors",
        "state.json",
        "state.safetensors",
        "vocabulary.json",
    }
)
"""Every file name that a model folder may hold; such files are not carried over."""
