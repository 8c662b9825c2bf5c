"""Stored results: the figures of a system with all that is needed to compare it with another.

A result is one JSON object with the keys ``format``, ``version``, ``task``, ``system``,
``signature``, ``corpus`` (the figures) and ``statistics`` (the settings and columns of its metric,
see ``metric.Statistics``).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, cast

import msgspec
from typing_extensions import TypeVar

from semipunct.errors import ResultError
from semipunct.evaluation.metric import Figures, Setting, Statistics
from semipunct.evaluation.registry import METRICS
from semipunct.evaluation.signature import split_signature
from semipunct.files import FileKind, display_name, from_json, read_bytes, to_json, write_bytes

FORMAT = "semipunct result"
VERSION = 1
"""Raised whenever an older program could not read what is written."""

AGREEMENT = 1e-9
"""Relative difference that figures may have from what the statistics give, for summing order."""

KIND = FileKind(ResultError, "name a stored result in it", "store the result again")


S = TypeVar("S", bound=Statistics, default=Statistics, covariant=True)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Result(Generic[S]):
    """The statistics of a system, with its name and what was measured.

    Attributes:
        system: the name to call it by.
        signature: task, treebank and conditions of the measurement: ``task:...|treebank:...|...``.
        statistics: of each sentence.
    """

    system: str
    signature: str
    statistics: S

    @property
    def task(self) -> str:
        """The name of the metric."""
        return self.statistics.task

    @property
    def figures(self) -> Figures:
        """The figures of the corpus."""
        return self.statistics.figures()

    def __repr__(self) -> str:
        figures = ", ".join(f"{name.strip()} {value}" for name, value in self.figures.rows())
        return f"<Result of {self.system}: {figures}>"

    def as_dict(self) -> dict[str, Any]:
        """Return everything as values that JSON can hold; ``figures`` has the figures alone.

        Raises:
            ValueError: if the signature is none, or one of another task.
        """
        _check_names(self.system, self.signature, self.task)
        return {
            "format": FORMAT,
            "version": VERSION,
            "task": self.task,
            "system": self.system,
            "signature": self.signature,
            "corpus": self.figures.as_dict(),
            "statistics": _written(self.statistics),
        }


def write_result(path: str | Path, result: Result) -> None:
    """Store a result.

    The file appears under its name only when all of it has been written; what was there before
    stays until then.

    Args:
        path: a name that ends in ``.gz`` is compressed.
        result: to store.

    Raises:
        ResultError: if it cannot be written.
        ValueError: as ``Result.as_dict`` does.
    """
    # A line for each key: people can read the head of the file.
    lines = (f"{to_json(key)}: {to_json(value)}" for key, value in result.as_dict().items())
    content = "{\n" + ",\n".join(lines) + "\n}\n"
    try:
        write_bytes(path, content.encode())
    except OSError as error:
        raise ResultError(
            f"{path}: the result could not be written ({error.strerror or error}); "
            "make room or name another file"
        ) from error


def read_result(path: str | Path) -> Result:
    """Read a stored result; ``-`` is standard input, ``.gz`` is uncompressed.

    Everything is checked: keys, kinds of values, that all columns are of the same sentences, that
    counts do not contradict each other, and that the figures are those of the statistics.

    Raises:
        ResultError: at the first defect.
    """
    name, content = display_name(path), read_bytes(path, KIND)
    try:
        data = from_json(content)
    except json.JSONDecodeError as error:
        raise ResultError(
            f"{name}:{error.lineno}: is not whole JSON ({error.msg}): it was cut off, or is "
            "something else; name a stored result, or store it again"
        ) from error
    except (ValueError, RecursionError) as error:
        raise ResultError(f"{name}: is not JSON ({error}); store the result again") from error
    if not isinstance(data, dict) or cast(dict[str, Any], data).get("format") != FORMAT:
        raise ResultError(
            f"{name}: is JSON, but no stored result (its format would be {FORMAT!r}); "
            "name a file that a result was stored in"
        )
    mapping = cast(dict[str, Any], data)
    if mapping.get("version") != VERSION:
        raise ResultError(
            f"{name}: is version {mapping.get('version')!r} of the format, and this program reads "
            f"version {VERSION}; use the program that wrote it, or store the result again"
        )
    try:
        return _parse(mapping)
    except (ValueError, OverflowError) as error:
        raise ResultError(f"{name}: {error}; store the result again") from error


def _parse(data: Mapping[str, Any]) -> Result:
    task: str = _member(data, "task", str)
    if task not in METRICS:
        raise ValueError(f"the task {task!r} is none of: {', '.join(METRICS)}")
    system, signature = _member(data, "system", str), _member(data, "signature", str)
    _check_names(system, signature, task)
    corpus = _member(data, "corpus", dict)
    statistics = _read(METRICS[task], _member(data, "statistics", dict))
    _check_figures("corpus", corpus, statistics.figures().as_dict())
    return Result(system, signature, statistics)


def _read(metric: type[Statistics], data: Mapping[str, Any]) -> Statistics:
    settings = {name: _setting(data, name, kind) for name, kind in metric.settings.items()}
    entries = {name: _member(data, name, list) for name in metric.columns}
    for name, kind in metric.columns.items():
        kind.check_entries(name, entries[name])
    found = (kind.marks(entries[name]) for name, kind in metric.columns.items())
    marks = tuple(sorted(set[str]().union(*found)))
    columns = {name: kind.read(name, entries[name], marks) for name, kind in metric.columns.items()}
    return metric(marks=marks, **settings, **columns)


def _written(statistics: Statistics) -> dict[str, Any]:
    """Return the settings and columns for JSON; the inverse of ``_read``."""
    settings = {
        name: kind.write(getattr(statistics, name)) for name, kind in statistics.settings.items()
    }
    columns = {
        name: kind.write(statistics.column(name), statistics.marks)
        for name, kind in statistics.columns.items()
    }
    return settings | columns


def _setting(data: Mapping[str, Any], name: str, kind: Setting) -> Any:
    try:
        return kind.read(msgspec.convert(_member(data, name, object), kind.entry))
    except msgspec.ValidationError as error:
        raise ValueError(f"{name} is no {kind.noun}") from error


def _check_names(system: str, signature: str, task: str) -> None:
    if not system:
        raise ValueError("the system has no name")
    named = split_signature(signature)["task"]
    if named != task:
        raise ValueError(f"the task is {task!r}, but the signature says task:{named}")


def _check_figures(name: str, stored: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    for key in found.keys() - stored.keys():
        raise ValueError(f"the figure {name}.{key} is missing")
    for key in sorted(found.keys() & stored.keys()):
        old, new, where = stored[key], found[key], f"{name}.{key}"
        if isinstance(new, dict) and isinstance(old, dict):
            _check_figures(where, cast(dict[str, Any], old), cast(dict[str, Any], new))
        elif not _agree(old, new):
            raise ValueError(f"the figure {where} is {old!r}, but the statistics give {new!r}")


def _agree(old: object, new: object) -> bool:
    if type(old) in (int, float) and type(new) in (int, float):
        return math.isclose(cast(float, old), cast(float, new), rel_tol=AGREEMENT)
    return type(old) is type(new) and old == new


def _member(data: Mapping[str, Any], key: str, kind: type) -> Any:
    if key not in data:
        raise ValueError(f"the key {key!r} is missing")
    if not isinstance(data[key], kind):
        raise ValueError(f"{key!r} is {to_json(data[key])[:40]}, not {_KINDS[kind]}")
    return data[key]


_KINDS: dict[type, str] = {str: "a text", list: "a list", dict: "an object"}
