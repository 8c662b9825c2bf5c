"""The formats by name and by the endings of file names; a new one is its file and one line here."""

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from semipunct.corpus import Treebank
from semipunct.corpus.treebank import AnyEntry
from semipunct.errors import UsageError
from semipunct.formats.base import Format
from semipunct.formats.conllu import Conllu
from semipunct.formats.dependencies import Dependencies

FORMATS: dict[str, Format[Any]] = {
    Conllu.name: Conllu(),
    Dependencies.name: Dependencies(),
}

DEFAULT = Conllu.name
"""The format of standard input and of files whose name tells nothing."""


def format_of(*paths: str | Path) -> Format[Any]:
    """Find the format of files by the endings of their names; ``.gz`` is passed over.

    Args:
        paths: files, or ``-`` for standard input.

    Raises:
        UsageError: if they are of different formats.
    """
    found = {_name(path): path for path in paths}
    if len(found) > 1:
        told = ", ".join(f"{path} is {name}" for name, path in found.items())
        raise UsageError(f"the files are of different formats ({told}); give one at a time")
    return FORMATS[next(iter(found), DEFAULT)]


def _name(path: str | Path) -> str:
    ending = Path(str(path).removesuffix(".gz")).suffix.lower()
    return next((name for name, known in FORMATS.items() if ending in known.suffixes), DEFAULT)


def read_entries(paths: Iterable[str | Path]) -> Iterator[AnyEntry]:
    """Yield the sentences of files in order, one in memory at a time, in the format of each.

    Raises:
        TreebankError: with file and line, if a file is missing or damaged.
    """
    return chain.from_iterable(format_of(path).read(path) for path in paths)


def read_treebank(paths: Iterable[str | Path]) -> Treebank:
    """Read files whole.

    Raises:
        TreebankError: with file and line, if a file is missing or damaged.
    """
    return Treebank.of(read_entries(paths))
