"""A function of batches of rows, for Ray, Spark, Dask and Hugging Face datasets."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

from semipunct.errors import UsageError
from semipunct.pipelines.options import checked
from semipunct.pipelines.pipeline import OPTIONS, Pipeline, load


class BatchMapper:
    """Restores or corrects the texts of a column, and adds a column with the answers.

    Instances can be pickled; each process loads the models once.
    """

    def __init__(
        self,
        model: str,
        task: Literal["restore", "correct"] = "restore",
        *,
        column: str = "text",
        output: str = "punctuated",
        helpers: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        """Store the names of models and columns, and the options, without loading a model.

        Raises:
            UsageError: if an option does not exist, or its value is invalid.
        """
        checked(OPTIONS[task], task, options)
        self.model, self.column, self.output = model, column, output
        self.task: Any = task
        self.helpers, self.options = tuple((helpers or {}).items()), options

    def __call__(self, batch: Any) -> Any:
        """Add the answers to a batch; they depend on neither its size nor the order of rows."""
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
def _load_once(model: str, helpers: tuple[tuple[str, Any], ...]) -> Pipeline:
    return load(model, **dict(helpers))
