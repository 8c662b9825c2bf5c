"""Verified reading of the files of a model folder: checksums, JSON, tensors."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from safetensors import SafetensorError
from safetensors import numpy as safetensors

from semipunct.errors import ModelError
from semipunct.files import sha256
from semipunct.models.base import Array
from semipunct.store.folder import FORMAT, MANIFEST, OWNED


class Manifest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """The content of ``manifest.json``.

    Attributes:
        kind: as in the registry.
        sha256: checksums by file name; older folders include the model card, which users may edit.
    """

    format: str = FORMAT
    format_version: int = 1
    kind: str = ""
    sha256: dict[str, str]


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a folder."""
    content = read_object(_read(folder, MANIFEST), folder / MANIFEST)
    if not isinstance(content.get("sha256"), dict):
        raise ModelError(f"{folder / MANIFEST}: lists no checksums; copy the folder again")
    try:
        manifest = msgspec.convert(content, Manifest)
    except msgspec.ValidationError as error:
        raise ModelError(
            f"{folder / MANIFEST}: is damaged ({error}); copy the folder again"
        ) from error
    if unexpected := sorted(manifest.sha256.keys() - OWNED):
        raise ModelError(
            f"{folder / MANIFEST}: lists {', '.join(unexpected)}, which are not files of a model; "
            "copy the folder again"
        )
    return manifest


def read_verified(folder: Path, name: str, sums: Mapping[str, str]) -> bytes:
    """Return the content of a file after verifying its checksum."""
    content = _read(folder, name)
    if sha256(content) != sums.get(name):
        raise ModelError(
            f"{folder / name}: the checksum is not the one in {MANIFEST}: the file has changed "
            "since it was written; copy the folder again or train the model again"
        )
    return content


def read_arrays(folder: Path, name: str, sums: Mapping[str, str]) -> dict[str, Array]:
    """Return the tensors of a verified safetensors file."""
    try:
        return safetensors.load(read_verified(folder, name, sums))
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise ModelError(
            f"{folder / name}: is not a safetensors file ({error}); copy the folder again"
        ) from error


def read_object(content: bytes, path: Path) -> dict[str, Any]:
    """Parse the JSON object in a file of a model folder; ``path`` is for messages."""
    try:
        return msgspec.json.decode(content, type=dict[str, Any])
    except msgspec.ValidationError as error:
        raise ModelError(f"{path}: is not a JSON object; copy the folder again") from error
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{path}: is not JSON ({error}); copy the folder again") from error


def check_arrays(where: str, actual: Mapping[str, Array], expected: Mapping[str, Array]) -> None:
    """Raise ``ModelError`` unless names, shapes and dtypes are as expected and values finite."""
    again = "; copy the folder again or train the model again"
    for name in sorted(expected.keys() - actual.keys()):
        raise ModelError(f"{where}: the tensor {name} is missing{again}")
    for name in sorted(actual.keys() - expected.keys()):
        raise ModelError(f"{where}: the tensor {name} is unknown{again}")
    for name, array in expected.items():
        tensor = actual[name]
        if tensor.shape != array.shape or tensor.dtype != array.dtype:
            raise ModelError(
                f"{where}: the tensor {name} is {tensor.dtype}{list(tensor.shape)}, "
                f"not {array.dtype}{list(array.shape)}{again}"
            )
        if np.issubdtype(tensor.dtype, np.floating) and not np.isfinite(tensor).all():
            raise ModelError(f"{where}: the tensor {name} holds NaN or infinity{again}")


def _read(folder: Path, name: str) -> bytes:
    try:
        return (folder / name).read_bytes()
    except FileNotFoundError as error:
        raise ModelError(
            f"{folder}: the file {name} is missing; copy the folder again or train the model again"
        ) from error
    except OSError as error:
        raise ModelError(
            f"{folder / name}: cannot be read ({error.strerror or error}); check its permissions"
        ) from error
