"""Stored results: the figures of a system with all that is needed to compare it with another.

A result is one JSON object with the keys `format`, `version`, `task`, `system`, `signature`,
`corpus` (the figures) and `statistics` (columns with one entry for each sentence).  In a column of
log-likelihoods null stands for minus infinity; a column of counts by mark holds an object for
each sentence, and a mark that is not in it has count 0.
"""

from __future__ import annotations

import gzip
import json
import math
import os
import sys
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, cast

import numpy as np

from semipunct.errors import ResultError
from semipunct.evaluation.figures import PerplexityFigures, RestorationFigures, finite
from semipunct.evaluation.measures import (
    COLUMNS,
    PER_MARK,
    Counts,
    PerplexityStatistics,
    RestorationStatistics,
    Task,
)

FORMAT = "semipunct result"
VERSION = 1
"""Raised whenever an older program could not read what is written."""

AGREEMENT = 1e-9
"""Relative difference that figures may have from what the statistics give, for summing order."""

LARGEST = 2**53
"""Counts beyond this are no exact numbers of JSON."""

Statistics = PerplexityStatistics | RestorationStatistics


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """What a system achieved.

    Attributes:
        system: the name to call it by.
        signature: what was measured on what, with what: ``task:...|treebank:...|...``.
        statistics: of each sentence.
    """

    system: str
    signature: str
    statistics: Statistics

    @property
    def task(self) -> Task:
        """What was measured."""
        return self.statistics.task

    @property
    def figures(self) -> PerplexityFigures | RestorationFigures:
        """The figures of the corpus."""
        return self.statistics.figures()


def join_signature(parts: Mapping[str, str]) -> str:
    """Write a signature: ``key:value|key:value``, as that of an evaluation.

    Raises:
        ValueError: for a part that could not be read back, or without `task` and `treebank`.
    """
    for key, value in parts.items():
        if not key or not value or set("|:") & set(key) or "|" in value:
            raise ValueError(f"{key}:{value} cannot be a part of a signature")
    if not {"task", "treebank"} <= parts.keys():
        raise ValueError("a signature names its task and its treebank")
    return "|".join(f"{key}:{value}" for key, value in parts.items())


def split_signature(signature: str) -> dict[str, str]:
    """The parts of a signature; the inverse of `join_signature`.

    Raises:
        ValueError: if it is no signature, or does not name task and treebank.
    """
    pairs = [part.partition(":") for part in signature.split("|")]
    parts = {key: value for key, _, value in pairs}
    if len(parts) < len(pairs):
        raise ValueError(f"the signature {signature!r} names a part twice")
    if not all(key and value for key, value in parts.items()):
        raise ValueError(f"the signature {signature!r} is not made of key:value")
    for key in ("task", "treebank"):
        if key not in parts:
            raise ValueError(f"the signature {signature!r} does not name the {key}")
    return parts


def as_dict(result: Result) -> dict[str, Any]:
    """Everything of a result as values that JSON can hold.

    Raises:
        ValueError: if the signature is none, or one of another task.
    """
    _check_names(result.system, result.signature, result.task)
    return {
        "format": FORMAT,
        "version": VERSION,
        "task": result.task,
        "system": result.system,
        "signature": result.signature,
        "corpus": result.figures.as_dict(),
        "statistics": _columns(result.statistics),
    }


def write_result(path: str | Path, result: Result) -> None:
    """Store a result; a name that ends in ``.gz`` is compressed.

    The file appears under its name only when all of it has been written; what was there before
    stays until then.

    Raises:
        ResultError: if it cannot be written.
        ValueError: as `as_dict` does.
    """
    # A line for each key: the head of the file can be read by people.
    lines = (f"{json.dumps(key)}: {_dumps(value)}" for key, value in as_dict(result).items())
    content = ("{\n" + ",\n".join(lines) + "\n}\n").encode()
    target = Path(path).resolve()
    if target.suffix == ".gz":
        content = gzip.compress(content, mtime=0)  # the same result, the same bytes
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        try:
            with open(temporary, "xb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
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
    name = "<stdin>" if str(path) == "-" else str(path)
    try:
        data: Any = json.loads(_content(path, name), parse_constant=_no_number)
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


def _content(path: str | Path, name: str) -> bytes:
    try:
        content = sys.stdin.buffer.read() if str(path) == "-" else Path(path).read_bytes()
        return gzip.decompress(content) if str(path).endswith(".gz") else content
    except FileNotFoundError as error:
        raise ResultError(f"{name}: there is no such file; check the path") from error
    except IsADirectoryError as error:
        raise ResultError(f"{name}: this is a directory; name a stored result in it") from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ResultError(
            f"{name}: the gzip data is broken ({error}); store the result again, or drop .gz from "
            "its name if it is plain text"
        ) from error
    except OSError as error:
        raise ResultError(
            f"{name}: cannot be read ({error.strerror or error}); check the file and its rights"
        ) from error


def _no_number(constant: str) -> NoReturn:
    raise ValueError(f"it holds {constant}, which is no number")


def _parse(data: Mapping[str, Any]) -> Result:
    task = _member(data, "task", str)
    if task not in _PARSERS:
        raise ValueError(f"the task {task!r} is none of: {', '.join(_PARSERS)}")
    system, signature = _member(data, "system", str), _member(data, "signature", str)
    _check_names(system, signature, task)
    corpus = _member(data, "corpus", dict)
    statistics = _PARSERS[task](_member(data, "statistics", dict))
    _check_figures("corpus", corpus, statistics.figures().as_dict())
    return Result(system, signature, statistics)


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


def _agree(old: Any, new: Any) -> bool:
    if old is None or new is None or not _is_number(old):
        return old is new
    return math.isclose(old, new, rel_tol=AGREEMENT)


def _parse_perplexity(data: Mapping[str, Any]) -> PerplexityStatistics:
    column = _member(data, "log_likelihood", list)
    for number, value in enumerate(column, 1):
        if not (value is None or (_is_number(value) and math.isfinite(value))):
            raise ValueError(f"sentence {number}: log_likelihood is {value!r}, not a number")
    scores = [-math.inf if value is None else value for value in column]
    return PerplexityStatistics(np.array(scores, np.float64), _counts(data, "slots"))


def _parse_restoration(data: Mapping[str, Any]) -> RestorationStatistics:
    columns = {name: _member(data, name, list) for name in PER_MARK}
    for name, column in columns.items():
        for number, counts in enumerate(column, 1):
            if not isinstance(counts, dict) or not all(map(_is_count, counts.values())):
                raise ValueError(f"sentence {number}: {name} is no object of counts by mark")
    marks = sorted({mark for column in columns.values() for counts in column for mark in counts})
    tables: dict[str, Counts] = {}
    for name, column in columns.items():
        rows = [[counts.get(mark, 0) for mark in marks] for counts in column]
        tables[name] = np.array(rows, np.int64).reshape(len(column), len(marks))
    pairs = _member(data, "pairs", list)
    if not all(_is_pair(pair) for pair in pairs):
        raise ValueError("pairs is no list of pairs of tokens")
    plain = [name for name in COLUMNS if name not in PER_MARK]
    return RestorationStatistics(
        marks=tuple(marks),
        pairs=frozenset((opening, closing) for opening, closing in pairs),
        **{name: _counts(data, name) for name in plain if not name.endswith("_pairing")},
        **{name: _counts(data, name, 2) for name in plain if name.endswith("_pairing")},
        **tables,
    )


_PARSERS: dict[str, Callable[[Mapping[str, Any]], Statistics]] = {
    "perplexity": _parse_perplexity,
    "restoration": _parse_restoration,
}


def _columns(statistics: Statistics) -> dict[str, Any]:
    if isinstance(statistics, PerplexityStatistics):
        scores = [finite(value) for value in statistics.log_likelihood.tolist()]
        return {"slots": statistics.slots.tolist(), "log_likelihood": scores}
    names = statistics.marks
    columns: dict[str, Any] = {"pairs": sorted(statistics.pairs)}
    for name in COLUMNS:
        rows: list[Any] = getattr(statistics, name).tolist()
        if name in PER_MARK:
            rows = [{m: n for m, n in zip(names, row, strict=True) if n} for row in rows]
        columns[name] = rows
    return columns


def _member(data: Mapping[str, Any], key: str, kind: type) -> Any:
    if key not in data:
        raise ValueError(f"the key {key!r} is missing")
    if not isinstance(data[key], kind):
        raise ValueError(f"{key!r} is {_dumps(data[key])[:40]}, not {_KINDS[kind]}")
    return data[key]


_KINDS: dict[type, str] = {str: "a text", list: "a list", dict: "an object"}


def _counts(data: Mapping[str, Any], key: str, width: int = 0) -> Counts:
    """A column of counts ``[sentences]``, or of rows of counts ``[sentences, width]``."""
    column = _member(data, key, list)
    for number, value in enumerate(column, 1):
        if width and not (isinstance(value, list) and len(cast(list[Any], value)) == width):
            raise ValueError(f"sentence {number}: {key} is {value!r}, not {width} counts")
        for count in value if width else (value,):
            if not _is_count(count):
                raise ValueError(f"sentence {number}: {key} is {value!r}, not a count")
    return np.array(column, np.int64).reshape((-1, width) if width else -1)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < LARGEST


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_pair(value: object) -> bool:
    if not isinstance(value, list):
        return False
    items = cast(Sequence[object], value)
    return len(items) == 2 and all(isinstance(item, str) for item in items)


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
