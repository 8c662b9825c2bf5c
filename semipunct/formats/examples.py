"""The readers of what models are trained on, by type of example."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from semipunct.corpus.examples import Example, ExampleType
from semipunct.formats.conllu.passages import read_passages
from semipunct.formats.registry import (
    read_crossing_arcs,
    read_treebank,
    read_with_marks,
)
from semipunct.formats.running_text import read_running_text

READERS: Mapping[ExampleType, Callable[[Sequence[str | Path]], Sequence[Example]]] = {
    "sentences": read_treebank,
    "sentences with crossing arcs": read_crossing_arcs,
    "sentences with marks as words": read_with_marks,
    "passages": read_passages,
    "running text": read_running_text,
}


def read_examples(examples: str, paths: Sequence[str | Path]) -> Sequence[Example]:
    """Read files of examples that models are trained on.

    Args:
        examples: type of the examples, or ``module:function`` of a reader, as of a kind of
            model.
        paths: names of the files.

    Raises:
        TreebankError: if a file is missing or damaged.
    """
    module, _, name = examples.partition(":")
    reader: Any = getattr(import_module(module), name) if name else None
    return (reader or READERS[cast(ExampleType, examples)])(paths)
