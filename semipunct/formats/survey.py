"""Everything about treebanks that a page of statistics shows, read once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from semipunct.corpus import Omitted
from semipunct.corpus.mark_uses import MarkUses
from semipunct.corpus.statistics import TreebankStatistics, statistics
from semipunct.corpus.treebank import EMPTY, AnyEntry
from semipunct.formats.reading import omitted_line
from semipunct.formats.registry import read_entries


@dataclass(frozen=True, slots=True)
class Survey:
    """Statistics of treebanks, with examples.

    Attributes:
        counts: Table 2 of the paper, and related counts.
        uses: where the marks stand.
        omitted: a line for each sentence that models leave out, with its place and the reason.
    """

    counts: TreebankStatistics
    uses: MarkUses
    omitted: list[str]


def survey(files: Iterable[str | Path]) -> Survey:
    """Read files as one treebank, and count its marks.

    Args:
        files: treebanks, ``-`` for standard input; one sentence is kept in memory.

    Raises:
        TreebankError: with file and line, if a file is missing or damaged.
    """
    uses = MarkUses()
    omitted: list[str] = []

    def noted(entries: Iterable[AnyEntry]) -> Iterator[AnyEntry]:
        for entry in entries:
            if isinstance(entry.content, Omitted) and entry.content.reason != EMPTY:
                omitted.append(omitted_line(entry, entry.content))
            yield entry

    counts = statistics(noted(uses.note(read_entries(files))))
    return Survey(counts, uses, omitted)
