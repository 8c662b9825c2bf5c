"""Models that drivers train once and reuse."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from semipunct.corpus.examples import Example
from semipunct.models.base import Model
from semipunct.models.kind import Config
from semipunct.store.checkpoint import SavedModel, load
from semipunct.training.train import train

M = TypeVar("M", bound=Model)


def trained(
    config: Config,
    training: Sequence[Example],
    dev: Sequence[Example],
    path: Path,
    expected: type[M],
    near: SavedModel[Any] | None = None,
) -> SavedModel[M]:
    """Return the model in a folder, trained first if the folder does not exist."""
    if not path.exists():
        train(training, dev, path, config=config, near=near)
    loaded = load(path, expected)
    if loaded.config != config:
        raise SystemExit(f"{path}: trained with other settings; name another folder for models")
    return loaded
