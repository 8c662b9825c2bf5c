"""The formats by name and by the endings of file names; a new one is its file and one line here."""

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, cast

from semipunct.corpus import Entry, Omitted, Sentence, Treebank
from semipunct.corpus.treebank import AnyEntry, WordsEntry, with_tree
from semipunct.errors import TreebankError, UsageError
from semipunct.files import beginning
from semipunct.formats.base import Format
from semipunct.formats.ccgbank import Ccgbank
from semipunct.formats.conllu import Conllu
from semipunct.formats.dependencies import Dependencies
from semipunct.formats.lines import KIND
from semipunct.formats.m2 import M2
from semipunct.formats.ptb import Ptb, PtbRecord
from semipunct.formats.text import Text
from semipunct.trees.phrases import PhraseTree

FORMATS: dict[str, Format[Any]] = {
    Conllu.name: Conllu(),
    Dependencies.name: Dependencies(),
    Ptb.name: Ptb(),
    Ccgbank.name: Ccgbank(),
    M2.name: M2(),
    Text.name: Text(),
}

DEFAULT = Conllu.name
"""The format of standard input and of files whose name tells nothing."""


def format_of(*paths: str | Path, words: bool = False, default: str = DEFAULT) -> Format[Any]:
    """Find the format of files by the endings of their names; ``.gz`` is passed over.

    Args:
        paths: files, or ``-`` for standard input.
        words: whether only their words are wanted: then a file whose name tells nothing, such as
            standard input, is text unless its first lines are those of a CoNLL-U file.
        default: the name of the format of a file that nothing tells of: with ``words`` one that
            cannot be looked at before it is read, such as a pipe with a name.

    Raises:
        TreebankError: if a file that must be looked at cannot be read.
        UsageError: if they are of different formats.
    """
    found = {_name(path, words, default): path for path in paths}
    if len(found) > 1:
        told = ", ".join(f"{path} is {name}" for name, path in found.items())
        raise UsageError(f"the files are of different formats ({told}); give one at a time")
    return FORMATS[next(iter(found), default)]


def _name(path: str | Path, words: bool, default: str) -> str:
    ending = Path(str(path).removesuffix(".gz")).suffix.lower()
    told = next((name for name, known in FORMATS.items() if ending in known.suffixes), None)
    return told or (_name_by_content(path, default) if words else default)


def _name_by_content(path: str | Path, default: str) -> str:
    first = beginning(path, KIND, _CONTENT.search)
    if first is None:
        return default
    found = _CONTENT.search(first + b"\n")
    return Conllu.name if found and _WORD_LINE.match(found[0]) else Text.name


_CONTENT = re.compile(rb"^(?!\xef\xbb\xbf#|#|\s*$)[^\n]*\n", re.MULTILINE)
"""A whole line that is neither empty nor a comment of CoNLL-U."""

_WORD_LINE = re.compile(rb"(\xef\xbb\xbf)?[0-9]+([-.][0-9]+)?(\t[^\t]*){2}")
"""A line of CoNLL-U that is no comment: an ID and, whatever else is wrong, two columns more."""


def read_entries(paths: Iterable[str | Path]) -> Iterator[AnyEntry]:
    """Yield the sentences of files in order, one in memory at a time, in the format of each.

    Raises:
        TreebankError: with file and line, if a file is missing or damaged, or has no trees.
    """
    return map(with_tree, chain.from_iterable(kind.read(path) for kind, path in _in_order(paths)))


def read_words(paths: Iterable[str | Path]) -> Iterator[WordsEntry]:
    """Yield the sentences of files as ``read_entries`` does, without tags and trees.

    Raises:
        TreebankError: with file and line, if a file is missing or damaged.
    """
    found = _in_order(paths, words=True)
    return chain.from_iterable(kind.read_words(path) for kind, path in found)


def _in_order(
    paths: Iterable[str | Path], *, words: bool = False
) -> Iterator[tuple[Format[Any], str | Path]]:
    """Yield files, each with its format when its turn comes."""
    waiting = [*paths]
    for number, path in enumerate(waiting, start=1):
        kind = format_of(path, words=words)
        yield (kind if number == len(waiting) else kind.followed()), path


def read_treebank(paths: Iterable[str | Path]) -> Treebank:
    """Read files whole.

    Raises:
        TreebankError: with file and line, if a file is missing or damaged.
    """
    return Treebank.of(read_entries(paths))


def read_phrases(
    paths: Iterable[str | Path], mark_tags: Collection[str]
) -> Iterator[Entry[PtbRecord, Sentence[PhraseTree] | Omitted]]:
    """Yield the sentences of files with their phrases, in order, one in memory at a time.

    Args:
        paths: of files in brackets; of one whose name tells nothing, such as standard input, this
            is taken to be its format.
        mark_tags: parts of speech of the marks that are in slots; other marks are words.

    Raises:
        TreebankError: with file and line, if a file is missing or damaged, or has no phrases.
    """
    for path in paths:
        name = _name(path, False, Ptb.name)
        if name != Ptb.name and Path(str(path).removesuffix(".gz")).suffix:
            raise TreebankError(
                f"{path}: files of the format {name} have no phrases; give trees in brackets "
                f"({', '.join(Ptb.suffixes)})"
            )
        yield from Ptb(mark_tags=mark_tags).read_phrases(path)


COMMA_TAGS = frozenset((",",))
"""The tags of what models of commas predict; all other marks are words to them."""


def read_commas(paths: Iterable[str | Path]) -> Treebank:
    """Read files whole, with their phrases, and with no marks in slots but commas.

    Raises:
        TreebankError: with file and line, if a file is missing or damaged, or has no phrases.
    """
    return _with_phrases(paths, COMMA_TAGS)


def read_whole_phrases(paths: Iterable[str | Path]) -> Treebank:
    """Read files whole, with their phrases, and with all marks among the words.

    Raises:
        TreebankError: with file and line, if a file is missing or damaged, or has no phrases.
    """
    return _with_phrases(paths, ())


def _with_phrases(paths: Iterable[str | Path], mark_tags: Collection[str]) -> Treebank:
    # A treebank of trees of another kind.
    return Treebank.of(cast(Iterable[Any], read_phrases(paths, mark_tags)))
