"""Readers of treebanks and other training data, in any format."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Literal, cast, overload

from semipunct.corpus import Entry, Omitted, Treebank
from semipunct.corpus.examples import Example, ExampleType
from semipunct.corpus.statistics import TreebankStatistics, statistics
from semipunct.corpus.treebank import PUNCTUATION
from semipunct.formats.conllu.passages import read_passages
from semipunct.formats.registry import (
    read_crossing_arcs,
    read_entries,
    read_treebank,
    read_with_marks,
)
from semipunct.formats.running_text import read_running_text


def omitted_lines(paths: Iterable[str | Path]) -> Iterator[str]:
    """Yield file, line, sentence and reason for each omitted sentence."""
    for entry in read_entries(paths):
        if isinstance(entry.content, Omitted):
            yield _omitted_line(entry, entry.content)


def _omitted_line(entry: Entry[Any, Any], omitted: Omitted) -> str:
    if omitted.fault:
        return f"{omitted.fault} ({omitted.reason})"
    tokens = getattr(entry.record, "tokens", ())
    marks = {token.word_id: token.form for token in tokens if token.upos == PUNCTUATION}
    governed = next((token for token in tokens if token.head in marks), None)
    detail = ""
    if governed is not None:
        head = f"{governed.head} ({marks[governed.head]})"
        detail = f": {governed.word_id} ({governed.form}) depends on {head}"
    return f"{omitted.where}: {omitted.reason}{detail}"


READERS: Mapping[ExampleType, Callable[[Sequence[str | Path]], Sequence[Example]]] = {
    "sentences": read_treebank,
    "sentences with crossing arcs": read_crossing_arcs,
    "sentences with marks as words": read_with_marks,
    "passages": read_passages,
    "running text": read_running_text,
}


def read_examples(examples: str, paths: Sequence[str | Path]) -> Sequence[Example]:
    """Read files of training examples.

    Args:
        examples: an ``ExampleType``, or ``module:function`` of a reader.
    """
    reader = resolve_name(examples) if ":" in examples else READERS[cast(ExampleType, examples)]
    return reader(paths)


@overload
def read(*files: str | Path, examples: Literal["sentences"] = "sentences") -> Treebank: ...
@overload
def read(*files: str | Path, examples: ExampleType) -> Sequence[Example]: ...
def read(*files: str | Path, examples: ExampleType = "sentences") -> Sequence[Example]:
    """Read files into one treebank, or into other training examples.

    Args:
        *files: names, whose suffixes determine the formats; ``.gz`` is decompressed, ``-`` is
            standard input.
        examples: the examples that a kind of model learns from: the attribute ``examples`` of
            ``semipunct.models.registry.find_kind(kind)``. A parser with
            ``model.trees=nonprojective`` learns from "sentences with crossing arcs".

    Raises:
        TreebankError: with file and line, if a file is missing or damaged.
    """
    return read_examples(examples, files)


def stats(*files: str | Path) -> TreebankStatistics:
    """Compute statistics of files as one treebank: Table 2 of the paper, and related counts.

    Args:
        *files: as for ``read``; only one sentence is kept in memory.
    """
    return statistics(read_entries(files))
