"""The readers of what models are trained on, by type of example."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from semipunct.corpus.examples import Example, ExampleType
from semipunct.formats.ccgbank import read_derived_sentences
from semipunct.formats.conllu.passages import read_passages
from semipunct.formats.registry import (
    read_commas,
    read_crossing_arcs,
    read_treebank,
    read_whole_phrases,
    read_with_marks,
)
from semipunct.formats.running_text import read_running_text

READERS: Mapping[ExampleType, Callable[[Sequence[str | Path]], Sequence[Example]]] = {
    "sentences": read_treebank,
    "sentences with crossing arcs": read_crossing_arcs,
    "sentences with marks as words": read_with_marks,
    "sentences with commas": read_commas,
    "phrases": read_whole_phrases,
    "derivations": read_derived_sentences,
    "passages": read_passages,
    "running text": read_running_text,
}


def read_examples(examples: ExampleType, paths: Sequence[str | Path]) -> Sequence[Example]:
    """Read files of examples that models are trained on.

    Args:
        examples: type of the examples, such as ``examples`` of a kind of model.
        paths: names of the files.

    Raises:
        TreebankError: if a file is missing or damaged.
    """
    return READERS[examples](paths)
