"""Batches of rows, as Ray, Spark, Dask and Hugging Face datasets pass them to a function."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from semipunct.errors import UsageError
from semipunct.pipelines.pipeline import OPTIONS, Pipeline, load
from semipunct.pipelines.task import Name


class BatchMapper:
    """Restores or corrects the texts of a column, and adds a column for the answers.

    An instance can be pickled; each process that calls it loads the models once.
    """

    def __init__(
        self,
        model: str,
        task: Name = "restore",
        *,
        column: str = "text",
        output: str = "punctuated",
        helpers: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        """Name models, columns and options; nothing is loaded.

        Args:
            model: its name or folder.
            task: ``restore`` or ``correct``.
            column: of texts; a missing value has no answer.
            output: the new column.
            helpers: names or folders of other models, as ``load`` takes them.
            **options: attributes of the options of the task by name.

        Raises:
            UsageError: if an option does not exist.
        """
        try:
            OPTIONS[task](**options)
        except TypeError as error:
            raise UsageError(f"an option of {task} does not exist: {error}") from error
        self.model, self.column, self.output = model, column, output
        self.task: Name = task
        self.helpers, self.options = tuple((helpers or {}).items()), options

    def __call__(self, batch: Any) -> Any:
        """Answer a batch; neither its size nor the order of rows affects what a row gets.

        Args:
            batch: a mapping from names to columns, or a data frame.

        Returns:
            The same with one more column.

        Raises:
            UsageError: if the batch has no column of texts.
        """
        if self.column not in batch:
            raise UsageError(f"the batch has no column {self.column}; name one as column")
        values = list(batch[self.column])
        texts = [value for value in values if isinstance(value, str)]
        answers = _load_once(self.model, self.helpers).pipe(texts, self.task, **self.options)
        column = [str(next(answers)) if isinstance(value, str) else None for value in values]
        if isinstance(batch, Mapping):
            columns: Mapping[str, Any] = batch
            return {**columns, self.output: column}
        return batch.assign(**{self.output: column})


@lru_cache(maxsize=2)
def _load_once(model: str, helpers: tuple[tuple[str, Any], ...]) -> Pipeline[Any]:
    return load(model, **dict(helpers))
