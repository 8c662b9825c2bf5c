"""Archives of models: the files of a model folder in one file (.zip), read wherever a model is.

An archive is extracted to a temporary folder, once in a process, since arrays are read from files.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from semipunct.errors import ModelError
from semipunct.files import write_bytes
from semipunct.store.folder import OWNED

SUFFIX = ".zip"

LARGEST = 1 << 32
"""Bytes that the files of an archive may have in all: a few kilobytes can claim to be more."""

_EPOCH = (1980, 1, 1, 0, 0, 0)

_extracted: dict[tuple[str, int, int], TemporaryDirectory[str]] = {}
"""Extracted archives by path, time and size; the folders are deleted when the process ends."""


def is_archive(path: Path) -> bool:
    """Return whether a path is a file in the format of archives."""
    return path.is_file() and zipfile.is_zipfile(path)


def extract_archive(path: Path) -> Path:
    """Return a model folder with the files of an archive, named like the archive.

    Args:
        path: an archive written by ``write_archive``, or a model folder that was zipped.

    Raises:
        ModelError: if the archive is damaged, is too large, or contains anything but the files of
            one model folder.
    """
    state = path.stat()
    key = (str(path.resolve()), state.st_mtime_ns, state.st_size)
    if key not in _extracted:
        files = _read(path)
        place = TemporaryDirectory(prefix="semipunct-")
        folder = Path(place.name) / path.stem
        folder.mkdir()
        for name, content in files.items():
            (folder / name).write_bytes(content)
        _extracted[key] = place
    return Path(_extracted[key].name) / path.stem


def _read(path: Path) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(path) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            if sum(member.file_size for member in members) > LARGEST:
                raise ModelError(f"{path}: the files of the archive are too large for a model")
            parents = {Path(member.filename).parent for member in members}
            names = [Path(member.filename).name for member in members]
            # Names are not paths here, so that no file is written outside the folder.
            if len(parents) > 1 or not {*names} <= OWNED or len({*names}) < len(names):
                raise ModelError(
                    f"{path}: is an archive, but not of one model folder; make one with "
                    "'semipunct models pack'"
                )
            return {Path(m.filename).name: archive.read(m) for m in members}
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError) as error:
        raise ModelError(f"{path}: the archive cannot be read ({error}); fetch it again") from error
    except RuntimeError as error:  # of an encrypted member
        raise ModelError(f"{path}: the archive cannot be read ({error})") from error


def write_archive(path: str | Path, files: Mapping[str, bytes]) -> None:
    """Write an archive; the same files give the same bytes.

    Args:
        path: of the archive.
        files: the contents of the files of a model folder, by name.

    Raises:
        ModelError: if the archive cannot be written (for example, if the disk is full).
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files):
            member = zipfile.ZipInfo(name, _EPOCH)
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, files[name])
    try:
        write_bytes(path, buffer.getvalue())
    except OSError as error:
        raise ModelError(
            f"{path}: the model could not be written ({error.strerror or error}); make room or "
            "name another place"
        ) from error
