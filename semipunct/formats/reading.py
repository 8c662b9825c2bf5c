"""Reading of treebanks, and of their statistics, in any format."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, overload

from semipunct.corpus import Treebank
from semipunct.corpus.examples import Example, ExampleType
from semipunct.corpus.statistics import TreebankStatistics, statistics
from semipunct.formats.examples import read_examples
from semipunct.formats.registry import read_entries


@overload
def read(*files: str | Path, examples: Literal["sentences"] = "sentences") -> Treebank: ...
@overload
def read(*files: str | Path, examples: ExampleType) -> Sequence[Example]: ...
def read(*files: str | Path, examples: ExampleType = "sentences") -> Sequence[Example]:
    """Read files into one treebank, or as other examples that models are trained on.

    Args:
        *files: names, whose suffixes determine their formats; ``.gz`` is decompressed, ``-`` is
            standard input.
        examples: the type of examples that the kind of model is trained on: the attribute
            ``examples`` of ``semipunct.models.registry.find_kind(kind)``. A parser with
            ``model.trees=nonprojective`` learns from "sentences with crossing arcs".

    Raises:
        TreebankError: with file and line, if a file is missing or damaged.
    """
    return read_examples(examples, files)


def stats(*files: str | Path) -> TreebankStatistics:
    """Compute statistics of files as one treebank: Table 2 of the paper, and related counts.

    Args:
        *files: as for ``read``; one sentence is kept in memory.

    Raises:
        TreebankError: with file and line, if a file is missing or damaged.
    """
    return statistics(read_entries(files))
