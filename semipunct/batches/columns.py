"""Batches of rows in the forms that engines use: columns, records, Arrow tables, data frames."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from semipunct.errors import UsageError


def column_of(batch: Any, name: str) -> list[Any]:
    """Return the values of a column.

    Args:
        batch: a mapping from names to columns, a sequence of records (mappings from names to
            values), a table or record batch of pyarrow, or a data frame of pandas.
        name: the name of the column; a record that lacks it has None there.

    Raises:
        UsageError: if the batch is something else, or has no such column.
    """
    if isinstance(batch, Mapping):
        columns: Mapping[str, Any] = batch
        _check_named(name, columns)
        return list(columns[name])
    if _is_arrow(batch):
        _check_named(name, batch.schema.names)
        return _arrow_values(batch.column(name))
    if _is_frame(batch):
        _check_named(name, batch.columns)
        return list(batch[name])
    if isinstance(batch, Sequence) and not isinstance(batch, str | bytes):
        records: Sequence[Any] = batch
        if not all(isinstance(record, Mapping) for record in records):
            raise UsageError("a batch that is a sequence must have a mapping for each row")
        if records and not any(name in record for record in records):
            _check_named(name, records[0])
        return [record.get(name) for record in records]
    raise UsageError(
        "a batch is a mapping from names to columns, a sequence of mappings, a table of pyarrow or "
        f"a data frame of pandas, but this is a {type(batch).__name__}"
    )


def with_columns(batch: Any, columns: Mapping[str, Sequence[str | None]]) -> Any:
    """Return a batch of the same form and with the same rows, to which columns are added.

    Args:
        batch: as for ``column_of``.
        columns: the strings of each new column, None where a row has none.

    Raises:
        UsageError: if the batch has a column of one of the names.
    """
    if isinstance(batch, Mapping):
        table: Mapping[str, Any] = batch
        _check_new(columns, table)
        like = next(iter(table.values()), None)
        return {**table, **{name: _column_like(like, values) for name, values in columns.items()}}
    if _is_arrow(batch):
        _check_new(columns, batch.schema.names)
        return _with_arrow_columns(batch, columns)
    if _is_frame(batch):
        _check_new(columns, batch.columns)
        series = sys.modules["pandas"].Series
        return batch.assign(
            **{
                name: series(list(values), index=batch.index, dtype=object)
                for name, values in columns.items()
            }
        )
    for record in batch:
        _check_new(columns, record)
    names = list(columns)
    rows = zip(batch, zip(*columns.values(), strict=True), strict=True)
    return [{**record, **dict(zip(names, values, strict=True))} for record, values in rows]


def _check_named(name: str, names: Any) -> None:
    if name not in names:
        listing = ", ".join(map(str, names)) or "none"
        raise UsageError(
            f"the batch has no column {name}; its columns are {listing}: name one as column"
        )


def _check_new(columns: Mapping[str, Any], names: Any) -> None:
    if standing := [name for name in columns if name in names]:
        raise UsageError(
            f"the batch has a column {standing[0]} already, which would be lost; drop or rename "
            "it, or name another one as output or error"
        )


def _column_like(column: Any, values: Sequence[str | None]) -> Any:
    """Return a column as the others are: an array of numpy, or a list."""
    numpy = sys.modules.get("numpy")
    if numpy is None or not isinstance(column, numpy.ndarray):
        return list(values)
    array = numpy.empty(len(values), dtype=object)
    array[:] = values
    return array


def _is_arrow(batch: Any) -> bool:
    # A batch of a library that is not imported does not exist, and neither has to be installed.
    arrow = sys.modules.get("pyarrow")
    return arrow is not None and isinstance(batch, arrow.Table | arrow.RecordBatch)


def _is_frame(batch: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(batch, pandas.DataFrame)


def _arrow_values(column: Any) -> list[Any]:
    try:
        return column.to_pylist()
    except UnicodeDecodeError:  # Arrow does not check that its strings are UTF-8
        return [_arrow_value(scalar) for scalar in column]


def _arrow_value(scalar: Any) -> Any:
    try:
        return scalar.as_py()
    except UnicodeDecodeError as error:
        return error.object


def _with_arrow_columns(batch: Any, columns: Mapping[str, Sequence[str | None]]) -> Any:
    arrow: Any = sys.modules["pyarrow"]
    schema, arrays = batch.schema, list(batch.columns)
    for name, values in columns.items():
        schema = schema.append(arrow.field(name, arrow.string()))
        arrays.append(arrow.array(list(values), arrow.string()))
    return type(batch).from_arrays(arrays, schema=schema)
