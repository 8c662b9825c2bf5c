"""Models that drivers train once and then find again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from semipunct.corpus import Sentence
from semipunct.store.models import Loaded, load
from semipunct.training.config import Config
from semipunct.training.loop import train


def trained(
    config: Config, training: Sequence[Sentence], dev: Sequence[Sentence], path: Path
) -> Loaded:
    """The model in the folder ``path``, trained first if there is no such folder.

    Raises:
        SystemExit: if the model there was trained with other settings.
    """
    if not path.exists():
        train(config, training, dev, path)
    loaded = load(path)
    if loaded.config != config:
        raise SystemExit(f"{path}: trained with other settings; name another folder for models")
    return loaded
