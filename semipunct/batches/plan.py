"""The plan of an output in parts: a file in its folder that says what the parts are of."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from semipunct.batches.faults import RowError
from semipunct.batches.parts import Part, Piece, check_files, divide, file_digest
from semipunct.errors import OutputError, TreebankError, UsageError
from semipunct.files import write_bytes
from semipunct.version import __version__

if TYPE_CHECKING:
    from semipunct.kinds.answers import Unit

MANIFEST = "manifest.json"

_DIGITS = 6

_ERRORS = "errors-"


@dataclass(frozen=True, slots=True)
class Plan:
    """Parts of a corpus, and the folder for their answers.

    Attributes:
        folder: the folder.
        paths: the files of the corpus.
        unit: what is not divided.
        parts: all parts, in order.
    """

    folder: Path
    paths: Sequence[str]
    unit: Unit
    parts: Sequence[Part]

    def place(self, number: int) -> Path:
        """Return the file for a part; sorted by name, the files are in the order of the parts.

        Args:
            number: that of the part, from 0.
        """
        return self.folder / f"part-{self._digits(number)}"

    def write_errors(self, number: int, errors: Sequence[RowError]) -> None:
        """Write the errors of a part, if it has any, one object of JSON a line.

        Args:
            number: that of the part, from 0.
            errors: of rows without an answer.
        """
        path = self.folder / f"{_ERRORS}{self._digits(number)}.jsonl"
        if errors:
            lines = [json.dumps(asdict(error)) + "\n" for error in errors]
            write_bytes(path, "".join(lines).encode())
        else:
            path.unlink(missing_ok=True)  # of a part that somebody has removed

    def errors(self) -> tuple[int, RowError | None]:
        """Return the number of errors of all parts, and the first of them.

        Raises:
            OutputError: if a file of errors is damaged.
        """
        count, first = 0, None
        for path in sorted(self.folder.glob(f"{_ERRORS}*.jsonl")):
            lines = path.read_bytes().splitlines()
            try:
                first = first or RowError(**json.loads(lines[0]))
            except (ValueError, TypeError, IndexError) as error:
                raise OutputError(f"{path}: is no list of errors; delete it") from error
            count += len(lines)
        return count, first

    def _digits(self, number: int) -> str:
        return f"{number:0{max(_DIGITS, len(str(len(self.parts) - 1)))}}"


def begin_or_continue(
    folder: str | Path,
    paths: Sequence[str],
    unit: Unit,
    size: int,
    settings: Mapping[str, Any],
    count: Callable[[Plan, Part], int] | None = None,
    chunk: int = 1,
) -> Plan:
    """Return the plan of a folder, which is written if the folder is new.

    Processes that begin at the same time write the same plan.

    Args:
        folder: the folder.
        paths: the files of the corpus.
        unit: what is not divided.
        size: the maximum number of bytes of a part.
        settings: everything else that determines the output: options, models, the command.
        count: returns the number of sentences of treebanks in a part, if answers depend on those
            before it.
        chunk: as in ``divide``.

    Raises:
        UsageError: if the folder was begun with something else, or files cannot be divided.
        OutputError: if the folder is no folder, or has other files.
        TreebankError: if a file cannot be read.
    """
    check_files(paths)
    folder = Path(folder)
    manifest = folder / MANIFEST
    origin: dict[str, Any] = {
        "version": __version__,
        **json.loads(json.dumps(settings, default=_plain)),
        "bytes of a part": size,
        "unit": unit,
        "inputs": [str(path) for path in paths],
    }
    if not manifest.exists():
        _check_empty(folder)
        files = [_state(path) for path in paths]
        plan = Plan(folder, paths, unit, tuple(divide(paths, unit, size, chunk)))
        if count is not None:
            plan = _numbered(plan, count)
        for state, path in zip(files, paths, strict=True):
            state["sha256"] = file_digest(path)
        content: dict[str, Any] = {
            **origin, "files": files, "parts": [asdict(part) for part in plan.parts],
        }  # fmt: skip
        write_bytes(manifest, (json.dumps(content) + "\n").encode())
    # Another process may have begun something else in the meantime.
    return _continued(folder, paths, unit, origin)


def _continued(folder: Path, paths: Sequence[str], unit: Unit, origin: Mapping[str, Any]) -> Plan:
    manifest = folder / MANIFEST
    try:
        content = json.loads(manifest.read_text("utf-8"))
        stored = {name: content[name] for name in origin}
        files = content["files"]
        parts = tuple(
            Part(tuple(Piece(**piece) for piece in part["pieces"]), part["first"])
            for part in content["parts"]
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise OutputError(
            f"{manifest}: is no plan of parts of this version; name another folder"
        ) from error
    for name, value in origin.items():
        if stored[name] != value:
            raise UsageError(
                f"{folder}: was begun with {_difference(name, stored[name], value)}; name another "
                "folder, or delete this one"
            )
    for state, path in zip(files, paths, strict=True):
        _check_unchanged(folder, path, state)
    return Plan(folder, paths, unit, parts)


def _difference(name: str, stored: Any, value: Any) -> str:
    """Describe how a setting of a folder differs from that of a command."""
    if isinstance(stored, dict) and isinstance(value, dict):
        before: dict[str, Any] = stored
        after: dict[str, Any] = value
        for key in [*before, *after]:
            if before.get(key) != after.get(key):
                return f"{name} {_difference(key, before.get(key), after.get(key))}"
    return f"{name} {json.dumps(stored)}, not {json.dumps(value)}"


def _check_unchanged(folder: Path, path: str, state: Mapping[str, Any]) -> None:
    now = _state(path)
    is_same = all(state[name] == value for name, value in now.items())
    if not is_same and (state["size"] != now["size"] or state["sha256"] != file_digest(path)):
        raise UsageError(
            f"{folder}: was begun with another content of {path}; put the old file back, name "
            "another folder, or delete this one"
        )


def _state(path: str) -> dict[str, Any]:
    """Return size and time of a file; the content is compared only if the time differs."""
    try:
        status = os.stat(path)
    except OSError as error:
        raise TreebankError(f"{path}: {error.strerror or error}; check the path") from error
    return {"size": status.st_size, "modified": status.st_mtime_ns}


def _check_empty(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder}: is a file; name a folder")
    if folder.is_dir() and any(not name.startswith(".") for name in os.listdir(folder)):
        raise OutputError(f"{folder}: has files, but no {MANIFEST}; name a new folder")


def _numbered(plan: Plan, count: Callable[[Plan, Part], int]) -> Plan:
    """Return a plan whose parts say how many sentences precede them."""
    parts: list[Part] = []
    first = 0
    for part in plan.parts:
        parts.append(replace(part, first=first))
        first += count(plan, part)
    return replace(plan, parts=tuple(parts))


def _plain(value: Any) -> Any:
    """Return a set of strings as JSON has it."""
    return sorted(value)
