"""Stored results: the figures of a system with the statistics needed to compare it with another.

A result is a JSON object with the keys ``format``, ``version``, ``task``, ``system``,
``signature``, ``corpus`` (the figures) and ``statistics`` (see ``metric.Statistics``).
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
from semipunct.evaluation.registry import METRICS, find_metric
from semipunct.files import FileKind, display_name, from_json, read_bytes, to_json, write_bytes
from semipunct.plugins import plugin_names
from semipunct.version import __version__


def figures_signature(
    task: str, model: str, treebank: str, conditions: Mapping[str, str] | None = None
) -> str:
    """Return the signature of figures, which are comparable if they differ only in the model.

    Args:
        model: the beginnings of the digests of all models involved.
        treebank: a SHA-256 digest of the gold sentences.
        conditions: options that the figures depend on.
    """
    return join_signature(
        {
            "task": task,
            "model": model,
            "treebank": treebank[:12],
            **(conditions or {}),
            "version": __version__,
        }
    )


def join_signature(parts: Mapping[str, str]) -> str:
    """Return the line ``key:value|key:value``, which must have ``task`` and ``treebank``."""
    for key, value in parts.items():
        if not key or not value or set("|:") & set(key) or "|" in value:
            raise ValueError(f"{key}:{value} cannot be a part of a signature")
    if not {"task", "treebank"} <= parts.keys():
        raise ValueError("a signature must name its task and its treebank")
    return "|".join(f"{key}:{value}" for key, value in parts.items())


def split_signature(signature: str) -> dict[str, str]:
    """Return the parts of a signature; the inverse of ``join_signature``."""
    pairs = [part.partition(":") for part in signature.split("|")]
    parts = {key: value for key, _, value in pairs}
    if len(parts) < len(pairs):
        raise ValueError(f"the signature {signature!r} names a part twice")
    if not all(key and value for key, value in parts.items()):
        raise ValueError(f"the signature {signature!r} does not consist of key:value")
    for key in ("task", "treebank"):
        if key not in parts:
            raise ValueError(f"the signature {signature!r} does not name the {key}")
    return parts


FORMAT = "semipunct result"
VERSION = 1
"""Raised when older programs cannot read a new file."""

AGREEMENT = 1e-9
"""Relative tolerance of stored figures, since the order of sums may differ."""

KIND = FileKind(ResultError, "name a stored result in it", "store the result again")


S = TypeVar("S", bound=Statistics, default=Statistics, covariant=True)
F = TypeVar("F", bound=Figures)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Result(Generic[S]):
    """The statistics of a system, with its name and a signature of the measurement.

    Attributes:
        signature: task, treebank and conditions of the measurement: ``task:...|treebank:...|...``.
    """

    system: str
    signature: str
    statistics: S

    @property
    def task(self) -> str:
        return self.statistics.task

    @property
    def figures(self: Result[Statistics[F]]) -> F:
        return self.statistics.figures()

    def __repr__(self) -> str:
        figures = ", ".join(f"{name.strip()} {value}" for name, value in self.figures.rows())
        return f"<Result of {self.system}: {figures}>"

    def as_dict(self) -> dict[str, Any]:
        """Return the result as JSON values."""
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
    """Write a result to a file atomically; it is compressed if the name ends in ``.gz``."""
    # One line per key, so that the beginning of the file is readable.
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
    """Read a stored result; ``-`` is standard input, and ``.gz`` files are decompressed.

    Raises:
        ResultError: if keys, types, counts or figures are wrong or inconsistent.
    """
    name, content = display_name(path), read_bytes(path, KIND)
    try:
        data = from_json(content)
    except json.JSONDecodeError as error:
        raise ResultError(
            f"{name}:{error.lineno}: is not complete JSON ({error.msg}): it is truncated, or "
            "another kind of file; name a stored result, or store it again"
        ) from error
    except (ValueError, RecursionError) as error:
        raise ResultError(f"{name}: is not JSON ({error}); store the result again") from error
    if not isinstance(data, dict) or cast(dict[str, Any], data).get("format") != FORMAT:
        raise ResultError(
            f"{name}: is JSON, but not a stored result (its format is not {FORMAT!r}); "
            "name a file with a stored result"
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
    metric = find_metric(task)
    if metric is None:
        names = sorted({*METRICS, *plugin_names("metrics")})
        raise ValueError(f"the task {task!r} is not one of: {', '.join(names)}")
    system, signature = _member(data, "system", str), _member(data, "signature", str)
    _check_names(system, signature, task)
    corpus = _member(data, "corpus", dict)
    statistics = _read(metric, _member(data, "statistics", dict))
    _check_figures("corpus", corpus, statistics.figures().as_dict())
    return Result(system, signature, statistics)


def _read(metric: type[Statistics], data: Mapping[str, Any]) -> Statistics:
    settings = {name: _setting(data, name, kind) for name, kind in metric.settings.items()}
    entries = {name: _member(data, name, list) for name in metric.columns}
    for name, kind in metric.columns.items():
        kind.check_entries(name, entries[name])
    marks_of_columns = (kind.marks(entries[name]) for name, kind in metric.columns.items())
    marks = tuple(sorted(set[str]().union(*marks_of_columns)))
    columns = {name: kind.read(name, entries[name], marks) for name, kind in metric.columns.items()}
    return metric(marks=marks, **settings, **columns)


def _written(statistics: Statistics) -> dict[str, Any]:
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
        raise ValueError(f"{name} is not a {kind.noun}") from error


def _check_names(system: str, signature: str, task: str) -> None:
    if not system:
        raise ValueError("the system has no name")
    task_of_signature = split_signature(signature)["task"]
    if task_of_signature != task:
        raise ValueError(f"the task is {task!r}, but the signature says task:{task_of_signature}")


def _check_figures(name: str, stored: Mapping[str, Any], computed: Mapping[str, Any]) -> None:
    for key in computed.keys() - stored.keys():
        raise ValueError(f"the figure {name}.{key} is missing")
    for key in sorted(computed.keys() & stored.keys()):
        stored_value, computed_value, where = stored[key], computed[key], f"{name}.{key}"
        if isinstance(computed_value, dict) and isinstance(stored_value, dict):
            _check_figures(
                where, cast(dict[str, Any], stored_value), cast(dict[str, Any], computed_value)
            )
        elif not _agree(stored_value, computed_value):
            raise ValueError(
                f"the figure {where} is {stored_value!r}, but the statistics give "
                f"{computed_value!r}"
            )


def _agree(a: object, b: object) -> bool:
    if type(a) in (int, float) and type(b) in (int, float):
        return math.isclose(cast(float, a), cast(float, b), rel_tol=AGREEMENT)
    return type(a) is type(b) and a == b


def _member(data: Mapping[str, Any], key: str, kind: type) -> Any:
    if key not in data:
        raise ValueError(f"the key {key!r} is missing")
    if not isinstance(data[key], kind):
        raise ValueError(f"{key!r} is {to_json(data[key])[:40]}, not {_KINDS[kind]}")
    return data[key]


_KINDS: dict[type, str] = {str: "a text", list: "a list", dict: "an object"}
