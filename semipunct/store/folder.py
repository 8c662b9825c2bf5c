"""The folder of a model: the files in it, and the one place where it is written."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from semipunct.errors import ModelError
from semipunct.files import from_json, recover_folder, replace_folder

FORMAT = "semipunct model"
"""The name by which ``config.json`` and ``manifest.json`` say that a folder holds a model."""

CONFIG, MANIFEST = "config.json", "manifest.json"
WEIGHTS, VOCABULARY, METRICS = "model.safetensors", "vocabulary.json", "metrics.jsonl"
CARD = "README.md"
STATE, STATE_ARRAYS = "state.json", "state.safetensors"

OWNED = frozenset({CARD, CONFIG, MANIFEST, METRICS, STATE, STATE_ARRAYS, VOCABULARY, WEIGHTS})
"""Every file name that a model folder may hold; such files go when the model is replaced."""


def is_model_folder(path: Path) -> bool:
    """Tell whether a folder holds a model, of whatever version: its ``config.json`` says so."""
    try:
        data: Any = from_json((path / CONFIG).read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(data, dict) and cast(dict[str, Any], data).get("format") == FORMAT


def check_output(path: str | Path) -> None:
    """Check that ``write_folder`` will be able to write a folder, before the work is done.

    Raises:
        ModelError: if there is something else of that name, or the place may not be written to.
    """
    target = Path(path).resolve()
    recover_folder(target, is_model_folder)
    if target.exists():
        if not target.is_dir():
            raise ModelError(f"{path}: is a file; name a folder for the model")
        if not is_model_folder(target) and any(target.iterdir()):
            raise ModelError(
                f"{path}: the output folder is not ours: it is not empty and no model folder, so "
                "it is left alone; name another one"
            )
    above = next(p for p in target.parents if p.exists())
    if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
        raise ModelError(f"{path}: {above} is no folder that may be written to; name another one")


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
