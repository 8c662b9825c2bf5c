"""The model folder: the names of its files, and the functions that write it."""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, cast

from semipunct.errors import ModelError, UsageError
from semipunct.files import STANDARD, check_place, from_json
from semipunct.files.folders import (
    hold_lock,
    make_folder,
    recover_folder,
    replace_folder,
    swap_folder,
)

# Marks a folder as a model folder, in ``config.json`` and ``manifest.json``.
FORMAT = "semipunct model"

CONFIG, MANIFEST = "config.json", "manifest.json"
WEIGHTS, VOCABULARY, METRICS = "model.safetensors", "vocabulary.json", "metrics.jsonl"
VOCABULARY_ARRAYS = "vocabulary.safetensors"
CARD = "README.md"
STATE, STATE_ARRAYS = "state.json", "state.safetensors"

# All file names of a model folder, deleted when the model is replaced.
OWNED = frozenset(
    {
        CARD, CONFIG, MANIFEST, METRICS, STATE, STATE_ARRAYS, VOCABULARY, VOCABULARY_ARRAYS,
        WEIGHTS,
    }
)  # fmt: skip


def is_model_folder(path: Path) -> bool:
    """Return whether ``config.json`` marks a folder as a model, of any version."""
    try:
        data: Any = from_json((path / CONFIG).read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(data, dict) and cast(dict[str, Any], data).get("format") == FORMAT


def model_folders(path: str | Path) -> list[Path]:
    """Return the model folders in a folder, sorted; any other path alone, for ``load`` to check."""
    folder = Path(path)
    if is_model_folder(folder) or not folder.is_dir():
        return [folder]
    folders = sorted(p for p in folder.iterdir() if p.name[0] != "." and is_model_folder(p))
    return folders or [folder]


def check_output(path: str | Path) -> None:
    """Check in advance that ``write_folder`` will be able to write a folder.

    Raises:
        ModelError: if the path is something else, or not writable.
    """
    target = _real(path)
    recover_folder(target, is_model_folder)
    if target.exists():
        if not target.is_dir():
            raise ModelError(f"{path}: is a file; name a folder for the model")
        if not is_model_folder(target) and any(target.iterdir()):
            raise ModelError(
                f"{path}: the output folder is neither empty nor a model folder, so it is not "
                "overwritten; name another one"
            )
    check_place(path, ModelError)


def unfinished_folder(path: str | Path) -> Path:
    """Return the folder, next to a model's, for the unfinished run that will replace it."""
    target = _real(path)
    return target.with_name(f".{target.name}.training")


@contextmanager
def claim_folder(
    path: str | Path, *, force: bool = False, resume: bool = False
) -> Generator[Path, None, None]:
    """Lock a folder for one training run, and yield the folder in which to save the run.

    To replace a model, the run is saved in ``unfinished_folder(path)`` until ``put_in_place``.

    Args:
        force: replace an existing model or unfinished run.
        resume: continue an existing run.

    Raises:
        ModelError: if there is a model or run and neither is given, or another run holds the lock.
    """
    if force and resume:
        raise UsageError(
            f"{path}: resume continues the existing run and force replaces it; give one of the two"
        )
    if str(path) == STANDARD:
        raise UsageError("a model cannot be written to standard output; name a folder")
    check_output(path)
    target = _real(path)
    with ExitStack() as held:
        try:
            held.enter_context(make_folder(target.parent))
            alone = held.enter_context(hold_lock(target.with_name(f".{target.name}.lock")))
        except OSError as error:
            raise ModelError(
                f"{path}: cannot be written ({error.strerror or error}); name another folder"
            ) from error
        if not alone:
            raise ModelError(
                f"{path}: another training is writing this folder; wait for it, or name another"
            )
        yield _place(path, force, resume)


def _place(path: str | Path, force: bool, resume: bool) -> Path:
    has_model, has_run = is_model_folder(_real(path)), is_model_folder(unfinished_folder(path))
    if (has_model or has_run) and not (force or resume):
        occupant = "a model" if has_model else "an unfinished run"
        raise ModelError(
            f"{path}: there is {occupant} already; name another folder, replace it (--force), or "
            "continue its run (--resume)"
        )
    return unfinished_folder(path) if has_run or (has_model and force) else Path(path)


def put_in_place(place: Path, path: str | Path) -> None:
    """Move the model of a complete run, saved in ``place``, to its folder."""
    if place == Path(path):
        return
    try:
        swap_folder(place, path, OWNED)
    except OSError as error:
        raise ModelError(
            f"{path}: the model could not be moved there ({error.strerror or error}); it is kept "
            f"in {place}"
        ) from error


def _real(path: str | Path) -> Path:
    return Path(os.path.realpath(path))


def write_folder(path: str | Path, files: Mapping[str, bytes]) -> None:
    """Write a model folder with ``replace_folder``."""
    check_output(path)
    try:
        replace_folder(path, files, OWNED)
    except OSError as error:
        raise ModelError(
            f"{path}: the model could not be written ({error.strerror or error}); make room or "
            "name another folder"
        ) from error
