"""Saving and loading of models, with the state of unfinished training runs.

Arrays are stored as safetensors, the rest as JSON, without pickle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, cast

import msgspec
import numpy as np
from safetensors import numpy as safetensors
from typing_extensions import TypeVar

from semipunct.errors import ConfigError, ModelError, UsageError
from semipunct.files import json_document, sha256
from semipunct.models.base import Array, Model
from semipunct.models.contents import compact, digest, multiples, with_arrays, without_arrays
from semipunct.models.kind import Config
from semipunct.models.registry import find_kind, is_kind, kind_names
from semipunct.store.checked_files import (
    Manifest,
    check_arrays,
    read_arrays,
    read_manifest,
    read_object,
    read_verified,
)
from semipunct.store.folder import (
    CARD,
    CONFIG,
    FORMAT,
    MANIFEST,
    METRICS,
    STATE,
    STATE_ARRAYS,
    VOCABULARY,
    VOCABULARY_ARRAYS,
    WEIGHTS,
    write_folder,
)
from semipunct.store.installed import folder_of, installed_models, nearest_name
from semipunct.version import __version__
from semipunct.wording import quantity

# Format version, raised when older programs cannot read new folders. Settings added later get their
# class's default in older folders.
VERSION = 3

M = TypeVar("M", bound=Model, default=Model)
M_co = TypeVar("M_co", bound=Model, default=Model, covariant=True)


@dataclass(frozen=True, slots=True, repr=False)
class SavedModel(Generic[M_co]):
    """A model loaded from its folder; tasks accept it as a model with its weights.

    Attributes:
        model: the model without its weights.
        figures: of the training run, as in the model card.
        metrics: one entry per evaluation.
        version: of the program that saved it.
        digest: ``models.contents.digest`` of model and parameters.
    """

    model: M_co
    parameters: dict[str, Array]
    config: Config
    figures: dict[str, Any]
    metrics: tuple[dict[str, Any], ...]
    version: str
    digest: str
    path: Path

    def __repr__(self) -> str:
        criterion = self.config.kind.criterion
        dev_figure = criterion.of(self.figures)
        figure = "" if dev_figure is None else f", dev {criterion.label} {dev_figure:.4f}"
        weights = sum(array.size for array in self.parameters.values())
        return f"<{self.model.kind} model in {self.path}: {quantity(weights, 'weight')}{figure}>"

    def __reduce__(self) -> Any:
        # Other processes read the folder, and find installed models by name.
        names = [m.name for m in installed_models() if m.folder == self.path]
        return _load_again, (names[0] if names else str(self.path.resolve()), self.digest)


@dataclass(frozen=True, slots=True)
class TrainingState:
    """The state of an unfinished training run: values, weights and optimiser."""

    values: dict[str, Any] = field(default_factory=dict[str, Any])
    arrays: dict[str, Array] = field(default_factory=dict[str, Array])


class _ConfigFile(msgspec.Struct):
    format: str
    format_version: int
    version: str
    digest: str
    config: dict[str, dict[str, Any]]
    parameters: dict[str, Any]
    figures: dict[str, float | int | bool | None]


def save(
    path: str | Path,
    model: Model,
    parameters: Mapping[str, Array],
    config: Config,
    *,
    figures: Mapping[str, Any] | None = None,
    metrics: Sequence[Mapping[str, Any]] = (),
    card: str = "",
    state: TrainingState | None = None,
) -> None:
    """Write a model folder, replacing an existing model as a whole.

    Raises:
        ModelError: if the folder is not a model folder, or cannot be written.
    """
    arrays = {name: np.asarray(value) for name, value in parameters.items()}
    head = _ConfigFile(
        # Also in the manifest; programs for format 1 read them here.
        format=FORMAT,
        format_version=VERSION,
        version=__version__,
        digest=digest(model, arrays),
        config=config.to_dict(),
        parameters={n: {"shape": list(a.shape), "dtype": str(a.dtype)} for n, a in arrays.items()},
        figures=dict(figures or {}),
    )
    vocabulary, large = without_arrays(model.to_data())
    files = {
        CONFIG: json_document(msgspec.to_builtins(head)),
        VOCABULARY: compact(vocabulary).encode(),
        WEIGHTS: safetensors.save(_packed(arrays)),
        METRICS: "".join(compact(entry) + "\n" for entry in metrics).encode(),
    }
    if large:
        files[VOCABULARY_ARRAYS] = safetensors.save(large)
    if state is not None:
        files[STATE] = json_document(state.values)
        files[STATE_ARRAYS] = safetensors.save(state.arrays)
    sums = {name: sha256(content) for name, content in files.items()}
    manifest = Manifest(format_version=VERSION, kind=model.kind, sha256=sums)
    # Users may edit the card, so it has no checksum. Its command may contain file names that are
    # not valid text.
    files[CARD] = card.encode(errors="backslashreplace")
    write_folder(path, {**files, MANIFEST: json_document(msgspec.to_builtins(manifest))})


def load(path: str | Path, expected: type[M] | None = None) -> SavedModel[M]:
    """Read a model folder.

    Args:
        path: the folder, or the name of an installed model.
        expected: the required class of the model.

    Raises:
        ModelError: if the folder is missing, damaged, too new or of another kind.
    """
    folder = folder_of(path)
    manifest = _manifest(folder)
    sums = manifest.sha256
    vocabulary = read_object(read_verified(folder, VOCABULARY, sums), folder / VOCABULARY)
    large = read_arrays(folder, VOCABULARY_ARRAYS, sums) if VOCABULARY_ARRAYS in sums else {}
    packed = read_arrays(folder, WEIGHTS, sums)
    content = read_object(read_verified(folder, CONFIG, sums), folder / CONFIG)
    try:
        head = msgspec.convert(content, _ConfigFile)
        kind = find_kind(manifest.kind, f"{folder / MANIFEST}")
        config = Config.from_dict(kind, head.config, f"{folder / CONFIG}")
        model = kind.load().from_data(with_arrays(vocabulary, large), config.model)
        shapes = model.empty_parameters()
    except ConfigError as error:
        raise ModelError(str(error)) from error
    except (
        AttributeError, KeyError, IndexError, TypeError, ValueError, OverflowError, MemoryError,
        RecursionError, UsageError,
    ) as error:  # fmt: skip
        raise ModelError(
            f"{folder}: {VOCABULARY}, {VOCABULARY_ARRAYS} or {CONFIG} is not valid for a model "
            f"({type(error).__name__}: {error}); train the model again"
        ) from error
    if expected is not None:
        check_kind(folder, model, expected)
    arrays = _unpacked(packed)
    check_arrays(f"{folder / WEIGHTS}", arrays, shapes)
    lines = read_verified(folder, METRICS, sums).splitlines()
    metrics = tuple(read_object(line, folder / METRICS) for line in lines)
    return SavedModel(
        cast(M, model), arrays, config, head.figures, metrics, head.version, head.digest, folder
    )


@lru_cache(maxsize=8)
def _load_again(place: str, digest: str) -> SavedModel[Any]:
    """Load a model in another process, once; its digest must agree."""
    loaded = load(place)
    if loaded.digest != digest:
        raise ModelError(
            f"{place}: is another model here, with the digest {loaded.digest[:12]} and not "
            f"{digest[:12]}; install the same models everywhere"
        )
    return loaded


def check_kind(folder: Path, model: Model, expected: type[Model]) -> None:
    """Raise ``ModelError`` unless a model in a folder is of the kind of a class."""
    # The class of a kind may derive from another kind's class.
    if not isinstance(model, expected) or model.kind != expected.kind:
        raise ModelError(
            f"{folder}: is a model of the kind {model.kind}, but one of the kind {expected.kind} "
            "is needed; name another folder"
        )


def load_state(path: str | Path) -> TrainingState | None:
    """Read the state of a training run for ``--resume``; None if the run is finished."""
    folder = Path(path)
    sums = read_manifest(folder).sha256
    if STATE not in sums:
        return None
    values = read_object(read_verified(folder, STATE, sums), folder / STATE)
    return TrainingState(values, read_arrays(folder, STATE_ARRAYS, sums))


# Suffix of the scales of a table in 8 bits.
_SCALE = "/scale"


def _packed(arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Convert arrays to 8 bits with row scales, or to half precision, where this is lossless."""
    packed: dict[str, Array] = {}
    for name, array in arrays.items():
        half = _halved(array)
        codes_and_scale = multiples(array) if half is array and array.dtype == np.float32 else None
        if codes_and_scale is None:
            packed[name] = half
        else:
            packed[name], packed[name + _SCALE] = codes_and_scale
    return packed


def _unpacked(arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Invert ``_packed``."""
    unpacked: dict[str, Array] = {}
    for name, array in arrays.items():
        if name.endswith(_SCALE):
            continue
        if array.dtype == np.int8 and (scale := arrays.get(name + _SCALE)) is not None:
            unpacked[name] = array * scale
        else:
            unpacked[name] = array.astype(np.float32) if array.dtype == np.float16 else array
    return unpacked


def _halved(array: Array) -> Array:
    """Convert to half precision if this is lossless."""
    if array.dtype != np.float32:
        return array
    with np.errstate(over="ignore"):
        half = array.astype(np.float16)
    return half if np.array_equal(half.astype(np.float32), array) else array


def _manifest(folder: Path) -> Manifest:
    """Read the manifest of a folder, and check its format and kind."""
    if not folder.is_dir():
        if folder.exists():
            raise ModelError(f"{folder}: is a file; name a model folder made by semipunct train")
        name = nearest_name(str(folder))
        similar = f", or {name}" if name else ""
        raise ModelError(
            f"{folder}: there is no such folder; name a model folder made by semipunct train"
            f"{similar}"
        )
    if not (folder / CONFIG).is_file():
        raise ModelError(
            f"{folder}: is not a model folder: it has no {CONFIG}; name a folder made by "
            "semipunct train"
        )
    head = read_object((folder / CONFIG).read_bytes(), folder / CONFIG)
    if head.get("format") != FORMAT:
        raise ModelError(f"{folder}: is not a model folder: its {CONFIG} belongs to something else")
    manifest = read_manifest(folder)
    if manifest.format_version > VERSION:
        raise ModelError(
            f"{folder}: has format {manifest.format_version}, newer than the {VERSION} that this "
            f"program ({__version__}) reads; install a newer semipunct"
        )
    if manifest.format_version < VERSION:
        raise ModelError(
            f"{folder}: has format {manifest.format_version}, which no release of semipunct wrote; "
            "train the model again"
        )
    if not is_kind(manifest.kind):
        raise ModelError(
            f"{folder}: is a model of the kind {manifest.kind!r}, which this program "
            f"({__version__}) does not support (it supports {', '.join(kind_names())}); install a "
            "semipunct that does"
        )
    return manifest
