"""Files to treebanks, and to counts of what treebanks hold, whatever their formats."""

from pathlib import Path

from semipunct.corpus import Treebank
from semipunct.corpus.statistics import TreebankStatistics, statistics
from semipunct.formats.registry import read_entries, read_treebank


def read(*files: str | Path) -> Treebank:
    """Read treebanks whole, as one.

    Args:
        *files: names, whose endings tell their formats; ``.gz`` is uncompressed, ``-`` is standard
            input.

    Raises:
        TreebankError: with file and line, if a file is missing or damaged.
    """
    return read_treebank(files)


def stats(*files: str | Path) -> TreebankStatistics:
    """Count what treebanks hold, as one: Table 2 of the paper, and the counts around it.

    Args:
        *files: as those of ``read``; one sentence is in memory at a time.

    Raises:
        TreebankError: with file and line, if a file is missing or damaged.
    """
    return statistics(read_entries(files))
