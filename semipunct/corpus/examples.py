"""Examples: the interface of training data for any kind of model."""

from typing import Any, Literal, Protocol

ExampleType = Literal[
    "sentences", "sentences with crossing arcs", "sentences with marks as words",
    "passages", "running text",
]  # fmt: skip
"""What models learn from; ``semipunct.formats.examples`` has a reader of each.

The sentences of a treebank, with its marks in slots or among the words, with crossing arcs lifted
or, with marks in slots, as annotated; passages of running text.
"""


class Example(Protocol):
    """One item of training data, such as a sentence or a passage of running text."""

    @property
    def path(self) -> str:
        """The file or other source of the example."""
        ...

    @property
    def size(self) -> int:
        """The number of words, by which batches are balanced, and which model cards report."""
        ...

    @property
    def choices(self) -> int:
        """The number of outcomes that a model predicts, by which metrics are normalised."""
        ...

    @property
    def seen(self) -> tuple[Any, ...]:
        """All data that a model uses, as JSON values; equal for equal examples."""
        ...
