"""The folder of a model: the files in it, and the one place where it is written."""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, cast

from semipunct.errors import ModelError, UsageError
from semipunct.files import (
    STANDARD,
    check_place,
    folder_made,
    from_json,
    locked,
    recover_folder,
    replace_folder,
    swap_folder,
)

FORMAT = "semipunct model"
"""The name by which ``config.json`` and ``manifest.json`` say that a folder holds a model."""

CONFIG, MANIFEST = "config.json", "manifest.json"
WEIGHTS, VOCABULARY, METRICS = "model.safetensors", "vocabulary.json", "metrics.jsonl"
VOCABULARY_ARRAYS = "vocabulary.safetensors"
CARD = "README.md"
STATE, STATE_ARRAYS = "state.json", "state.safetensors"

OWNED = frozenset(
    {
        CARD, CONFIG, MANIFEST, METRICS, STATE, STATE_ARRAYS, VOCABULARY, VOCABULARY_ARRAYS,
        WEIGHTS,
    }
)  # fmt: skip
"""Every file name that a model folder may hold; such files go when the model is replaced."""


def is_model_folder(path: Path) -> bool:
    """Tell whether a folder holds a model, of whatever version: its ``config.json`` says so."""
    try:
        data: Any = from_json((path / CONFIG).read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(data, dict) and cast(dict[str, Any], data).get("format") == FORMAT


def model_folders(path: str | Path) -> list[Path]:
    """Return the model folders in a folder that is none itself, by name.

    Args:
        path: such a folder; of any other path it is the only result, for ``load`` to judge.
    """
    folder = Path(path)
    if is_model_folder(folder) or not folder.is_dir():
        return [folder]
    found = sorted(p for p in folder.iterdir() if p.name[0] != "." and is_model_folder(p))
    return found or [folder]


def check_output(path: str | Path) -> None:
    """Check that ``write_folder`` will be able to write a folder, before the work is done.

    Raises:
        ModelError: if there is something else of that name, or the place may not be written to.
    """
    target = _real(path)
    recover_folder(target, is_model_folder)
    if target.exists():
        if not target.is_dir():
            raise ModelError(f"{path}: is a file; name a folder for the model")
        if not is_model_folder(target) and any(target.iterdir()):
            raise ModelError(
                f"{path}: the output folder is not ours: it is not empty and no model folder, so "
                "it is left alone; name another one"
            )
    check_place(path, ModelError)


def unfinished(path: str | Path) -> Path:
    """Return the folder beside a model in which the run that is to replace it is kept."""
    target = _real(path)
    return target.with_name(f".{target.name}.training")


@contextmanager
def claimed(
    path: str | Path, *, force: bool = False, resume: bool = False
) -> Generator[Path, None, None]:
    """Claim a folder for one training, and yield the folder in which the run is to be saved.

    That is the folder itself, unless it holds a model that is to be replaced: then it is
    ``unfinished(path)``, which ``put_in_place`` makes the model once it is complete.

    Args:
        path: the folder.
        force: replace the model, or the unfinished run, that is there.
        resume: continue the run that is there.

    Raises:
        UsageError: if a run is to be continued and replaced, or the path is ``-``.
        ModelError: if there is a model or a run and neither is wanted, if another training has
            claimed the folder, and as ``check_output`` does.
    """
    if force and resume:
        raise UsageError(
            f"{path}: resume continues the run that is there and force replaces it; give one of "
            "the two"
        )
    if str(path) == STANDARD:
        raise UsageError("a model is a folder, which standard output cannot hold; name one")
    check_output(path)
    target = _real(path)
    with ExitStack() as held:
        try:
            held.enter_context(folder_made(target.parent))
            alone = held.enter_context(locked(target.with_name(f".{target.name}.lock")))
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
    has_model, has_run = is_model_folder(_real(path)), is_model_folder(unfinished(path))
    if (has_model or has_run) and not (force or resume):
        found = "a model" if has_model else "an unfinished run"
        raise ModelError(
            f"{path}: there is {found} already; name another folder, replace it (--force), or "
            "continue its run (--resume)"
        )
    return unfinished(path) if has_run or (has_model and force) else Path(path)


def put_in_place(place: Path, path: str | Path) -> None:
    """Make the model of a run that is complete the one in its folder.

    Args:
        place: what ``claimed`` has yielded.
        path: the folder.

    Raises:
        ModelError: if it cannot be written.
    """
    if place == Path(path):
        return
    try:
        swap_folder(place, path, OWNED)
    except OSError as error:
        raise ModelError(
            f"{path}: the model could not be put there ({error.strerror or error}); it is kept in "
            f"{place}"
        ) from error


def _real(path: str | Path) -> Path:
    return Path(os.path.realpath(path))


def write_folder(path: str | Path, files: Mapping[str, bytes]) -> None:
    """Write a model folder as ``replace_folder`` does.

    Args:
        path: the folder; replaced only if it is a model folder or empty.
        files: contents by name.

    Raises:
        ModelError: as ``check_output`` does, or if writing fails (a full disk).
    """
    check_output(path)
    try:
        replace_folder(path, files, OWNED)
    except OSError as error:
        raise ModelError(
            f"{path}: the model could not be written ({error.strerror or error}); make room or "
            "name another folder"
        ) from error
