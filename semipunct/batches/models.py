"""Models that workers load by their names, and compare with those of the process that began."""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from semipunct.errors import ModelError

if TYPE_CHECKING:
    from semipunct.store.checkpoint import SavedModel


def load_model(name: str | Path, digest: str | None = None) -> SavedModel[Any]:
    """Return a model, which a process loads once.

    Args:
        name: a folder, or the name of an installed model.
        digest: the beginning of the digest that the model must have; None for any.

    Raises:
        ModelError: if it is missing or damaged, or has another digest.
    """
    from semipunct.store.folder import MANIFEST
    from semipunct.store.installed import folder_of

    folder = folder_of(name)
    saved_at = 0
    with suppress(OSError):  # the message of loading is better
        saved_at = (folder / MANIFEST).stat().st_mtime_ns
    return check_model(_loaded(str(folder), saved_at), name, digest)


def check_model(model: SavedModel[Any], name: str | Path, digest: str | None) -> SavedModel[Any]:
    """Return a model if it has a digest.

    Args:
        model: the model.
        name: by which it was loaded.
        digest: its beginning; None for any.

    Raises:
        ModelError: if it has another one.
    """
    if digest is not None and not model.digest.startswith(digest):
        raise ModelError(
            f"{name}: the model of this worker has the digest {model.digest[:12]}, not "
            f"{digest[:12]}; give all workers the same model"
        )
    return model


@lru_cache(maxsize=16)
def _loaded(folder: str, saved_at: int) -> SavedModel[Any]:
    from semipunct.store.checkpoint import load

    return load(folder)
