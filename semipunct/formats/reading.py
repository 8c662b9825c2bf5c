"""Reading of treebanks, and of their statistics, in any format."""

from pathlib import Path

from semipunct.corpus import Treebank
from semipunct.corpus.statistics import TreebankStatistics, statistics
from semipunct.formats.registry import read_entries, read_treebank


def read(*files: str | Path) -> Treebank:
    """Read files into one treebank.

    Args:
        *files: names, whose suffixes determine their formats; ``.gz`` is decompressed, ``-`` is
            standard input.

    Raises:
        TreebankError: with file and line, if a file is missing or damaged.
    """
    return read_treebank(files)


def stats(*files: str | Path) -> TreebankStatistics:
    """Compute statistics of files as one treebank: Table 2 of the paper, and related counts.

    Args:
        *files: as for ``read``; one sentence is kept in memory.

    Raises:
        TreebankError: with file and line, if a file is missing or damaged.
    """
    return statistics(read_entries(files))
