"""Model folders: arrays in safetensors, the rest in JSON, a checksum of every file; no pickle."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import numpy as safetensors

from semipunct import __version__
from semipunct.errors import ConfigError, ModelError
from semipunct.models.punctuation import data as vocabulary
from semipunct.models.punctuation.data import dumps
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.store.checked_files import (
    MANIFEST,
    Array,
    check_arrays,
    checksums,
    pretty,
    read_arrays,
    read_bytes,
    read_object,
    verified,
)
from semipunct.store.folder import CONFIG, FORMAT, VERSION, check_output, write_folder
from semipunct.training.config import Config, from_dict

WEIGHTS, VOCABULARY, METRICS = "model.safetensors", "vocabulary.json", "metrics.jsonl"
CARD = "README.md"
STATE, STATE_ARRAYS = "state.json", "state.safetensors"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model as it was saved.

    Attributes:
        model: everything but the weights.
        parameters: weights by name.
        config: the settings it was trained with.
        figures: what the model card tells: figures of the training run.
        metrics: one entry per evaluation, as in ``metrics.jsonl``.
        version: of the program that saved it.
        digest: ``vocabulary.model_digest`` of model and parameters.
        path: the folder.
    """

    model: PunctuationModel
    parameters: dict[str, Array]
    config: Config
    figures: dict[str, Any]
    metrics: tuple[dict[str, Any], ...]
    version: str
    digest: str
    path: Path


@dataclass(frozen=True, slots=True)
class State:
    """What ``--resume`` needs beside the model.

    Attributes:
        values: plain numbers and names.
        arrays: current weights and the optimiser's state.
    """

    values: dict[str, Any] = field(default_factory=dict[str, Any])
    arrays: dict[str, Array] = field(default_factory=dict[str, Array])


def save(
    path: str | Path,
    model: PunctuationModel,
    parameters: Mapping[str, Array],
    config: Config,
    *,
    figures: Mapping[str, Any] | None = None,
    metrics: Sequence[Mapping[str, Any]] = (),
    card: str = "",
    state: State | None = None,
) -> None:
    """Write a model folder, replacing an older model of that name as a whole.

    Args:
        path: the folder.
        model: everything but the weights.
        parameters: weights by name.
        config: the settings it was trained with.
        figures: figures of the training run.
        metrics: one entry per evaluation.
        card: text of the model card.
        state: for ``--resume``; None for a model that is finished.

    Raises:
        ModelError: if the folder is not ours or cannot be written.
    """
    check_output(path)
    arrays = {name: np.asarray(value) for name, value in parameters.items()}
    described = {n: {"shape": list(a.shape), "dtype": str(a.dtype)} for n, a in arrays.items()}
    head = {
        "format": FORMAT,
        "format_version": VERSION,
        "version": __version__,
        "digest": vocabulary.model_digest(model, arrays),
        "config": config.to_dict(),
        "parameters": described,
        "figures": dict(figures or {}),
    }
    files = {
        CONFIG: pretty(head),
        VOCABULARY: dumps(vocabulary.to_json(model)).encode(),
        WEIGHTS: safetensors.save(arrays),
        METRICS: "".join(dumps(entry) + "\n" for entry in metrics).encode(),
        CARD: card.encode(),
    }
    if state is not None:
        files[STATE] = pretty(state.values)
        files[STATE_ARRAYS] = safetensors.save(state.arrays)
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    write_folder(path, {**files, MANIFEST: pretty({"sha256": sums})})


def load(path: str | Path) -> Loaded:
    """Read a model folder.

    Raises:
        ModelError: if there is no such folder, a file is missing, damaged or of a newer format,
            or the weights are not those that the vocabulary calls for, or not finite.
    """
    folder = Path(path)
    head = _head(folder)
    sums = checksums(folder)
    vocabulary_text = verified(folder, VOCABULARY, sums)
    verified(folder, CONFIG, sums)
    try:
        config = from_dict(head["config"], f"{folder / CONFIG}")
        model = vocabulary.from_json(json.loads(vocabulary_text), config.model)
        expected = model.initial_parameters(0, 0.0)
        figures, digest, version = dict(head["figures"]), str(head["digest"]), str(head["version"])
    except ConfigError as error:
        raise ModelError(str(error)) from error
    except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
        raise ModelError(
            f"{folder}: {VOCABULARY} or {CONFIG} does not hold what a model needs "
            f"({type(error).__name__}: {error}); train the model again"
        ) from error
    parameters = read_arrays(folder, WEIGHTS, sums)
    check_arrays(f"{folder / WEIGHTS}", parameters, expected)
    metrics = _metrics(verified(folder, METRICS, sums), folder)
    return Loaded(model, parameters, config, figures, metrics, version, digest, folder)


def load_state(path: str | Path) -> State | None:
    """Read what ``--resume`` needs, or None if the model is finished.

    Raises:
        ModelError: if it is damaged.
    """
    folder = Path(path)
    sums = checksums(folder)
    if STATE not in sums:
        return None
    values = read_object(verified(folder, STATE, sums), folder / STATE)
    return State(values, read_arrays(folder, STATE_ARRAYS, sums))


def _head(folder: Path) -> dict[str, Any]:
    if not folder.is_dir():
        what = "is a file" if folder.exists() else "there is no such folder"
        raise ModelError(f"{folder}: {what}; name a model folder made by semipunct train")
    if not (folder / CONFIG).is_file():
        raise ModelError(
            f"{folder}: is not a model folder: it has no {CONFIG}; name a folder made by "
            "semipunct train"
        )
    head = read_object(read_bytes(folder, CONFIG), folder / CONFIG)
    if head.get("format") != FORMAT:
        raise ModelError(f"{folder}: is not a model folder: its {CONFIG} belongs to something else")
    version = head.get("format_version")
    if not isinstance(version, int) or version > VERSION:
        raise ModelError(
            f"{folder}: has format {version}, newer than the {VERSION} that this program "
            f"({__version__}) knows; install a newer semipunct"
        )
    return head


def _metrics(content: bytes, folder: Path) -> tuple[dict[str, Any], ...]:
    return tuple(read_object(line, folder / METRICS) for line in content.splitlines())
