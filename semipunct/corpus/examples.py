"""Examples: the data that a kind of model is trained on, whatever it is."""

from typing import Any, Protocol


class Example(Protocol):
    """One item of training data; sentences are examples, and passages of running text."""

    @property
    def path(self) -> str:
        """The file, or where else it comes from."""
        ...

    @property
    def size(self) -> int:
        """Its words: batches are balanced by them, and model cards count them."""
        ...

    @property
    def choices(self) -> int:
        """Outcomes that a model tells the probability of; figures are per each of them."""
        ...

    @property
    def seen(self) -> tuple[Any, ...]:
        """All that a model sees of it, as JSON has it: equal for equal examples."""
        ...
