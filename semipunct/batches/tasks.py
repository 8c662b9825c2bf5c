"""The part that tasks on batches share: loading where they are called, and errors as values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import isnan
from pathlib import Path
from typing import Any, TypeVar

from semipunct.batches.columns import column_of, with_columns
from semipunct.batches.faults import SETUP, reason_of
from semipunct.batches.treebanks import RowType
from semipunct.errors import UsageError
from semipunct.tasks.run import in_groups
from semipunct.version import __version__
from semipunct.wording import quantity

B = TypeVar("B")

LIMIT = 1_000_000
"""Characters of the text of a row, unless another limit is set."""

_ROWS = 256
"""Rows that are answered together, at most."""

_CHARACTERS = 2**18
"""Characters of the rows that are answered together, unless one row has more."""


class BatchTask(ABC):
    """A task that is applied to batches of rows, each of which has a text.

    An instance can be pickled; its models are loaded by each process that calls it, once.

    Attributes:
        model: the name or folder of the model.
        digest: the beginning of the digest that it must have; None for any.
        rows: what a row has.
        column: the name of the column with the texts.
        output: the name of the column for the answers.
        error: the name of the column for the errors: None where there is an answer.
        limit: the maximum number of characters of a row.
    """

    def __init__(
        self,
        model: str | Path,
        *,
        rows: RowType,
        column: str | None,
        output: str,
        error: str,
        limit: int | None,
        digest: str | None,
    ) -> None:
        """Name model and columns; nothing is loaded.

        Args:
            model: its name or folder.
            rows: as the attribute, like the others.
            column: that of the texts; None for the type of the rows.
            output: the column for answers.
            error: the column for errors.
            limit: of characters; None for 1,000,000.
            digest: the beginning of that of the model; None for any.
        """
        self.model, self.digest, self.rows = str(model), digest, rows
        self.column, self.output, self.error = column or rows, output, error
        self.limit = LIMIT if limit is None else limit
        if self.limit < 1:
            raise UsageError(f"the limit is {quantity(self.limit, 'character')}; give at least 1")
        if len({self.column, output, error}) < 3:
            raise UsageError(
                f"the columns {self.column}, {output} and {error} must have different names"
            )
        self.version = __version__

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore an instance in another process.

        Raises:
            UsageError: if semipunct has another version there.
        """
        if state["version"] != __version__:
            raise UsageError(
                f"this worker has semipunct {__version__}, but the task is from "
                f"{state['version']}; install the same version everywhere"
            )
        vars(self).update(state)

    def __call__(self, batch: B) -> B:
        """Answer a batch; neither its size nor the order of rows affects what a row gets.

        A row that cannot be answered gets the reason in the column ``error`` instead.

        Args:
            batch: a mapping from names to columns, a sequence of records, a table or record batch
                of pyarrow, or a data frame of pandas.

        Returns:
            A batch of the same form, with the same rows in the same order and two more columns.

        Raises:
            UsageError: if the batch has no column of texts, or has one of the new columns; if an
                option is invalid.
            ModelError: if a model is missing, damaged, or of another kind.
        """
        answers: list[tuple[str | None, str | None]] = []
        values = (_checked(value, self.limit) for value in column_of(batch, self.column))
        for group in in_groups(values, _length, _CHARACTERS, _ROWS):
            usable = [value for value in group if isinstance(value, str)]
            answered = iter(self._isolated(usable))
            for value in group:
                answers.append(
                    (None, value.reason) if isinstance(value, _Fault) else next(answered)
                )
        texts, errors = ([row[i] for row in answers] for i in (0, 1))
        return with_columns(batch, {self.output: texts, self.error: errors})

    @abstractmethod
    def answer(self, texts: Sequence[str]) -> Sequence[str]:
        """Return the answers for texts, none of which affects another one.

        Args:
            texts: in valid Unicode.
        """

    def _isolated(self, texts: Sequence[str]) -> list[tuple[str | None, str | None]]:
        """Answer texts together, and those of a group that fails in smaller groups."""
        if not texts:
            return []
        try:
            return [(str(answer), None) for answer in self.answer(texts)]
        except SETUP:
            raise
        except Exception as error:  # noqa: BLE001 - a row must not end what an engine does with all
            if len(texts) == 1:
                return [(None, reason_of(error))]
        half = len(texts) // 2
        return [*self._isolated(texts[:half]), *self._isolated(texts[half:])]


class _Fault:
    """A value that is no text.

    Attributes:
        reason: why it is none.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason


def _length(value: str | _Fault) -> int:
    return len(value) if isinstance(value, str) else 0


def _checked(value: Any, limit: int) -> str | _Fault:
    if not isinstance(value, str):
        is_missing = value is None or (isinstance(value, float) and isnan(value))
        kind = "a missing value" if is_missing else f"a value of the type {type(value).__name__}"
        return _Fault(f"no text, but {kind}; give a string")
    if len(value) > limit:
        return _Fault(
            f"a text of {len(value):,} characters; divide it, or set limit, which is {limit:,}"
        )
    try:
        value.encode()
    except UnicodeEncodeError as error:
        code = ord(value[error.start])
        return _Fault(
            f"a lone surrogate, U+{code:04X}, at character {error.start:,}; decode the text again"
        )
    if (place := value.find("\0")) >= 0:
        return _Fault(f"a NUL character at character {place:,}; this is no text, or a damaged one")
    return str(value)
