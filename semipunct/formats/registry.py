"""Formats by name and file suffix.

A new format is a module and a line here, or an entry point in the group ``semipunct.formats``.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, cast

from semipunct.corpus import Omitted, Sentence, Treebank
from semipunct.corpus.treebank import AnyEntry, WordsEntry, with_tree
from semipunct.errors import UsageError
from semipunct.files import beginning
from semipunct.formats.base import DerivationFormat, Format
from semipunct.formats.conllu import Conllu
from semipunct.formats.conllu.reading import to_entry
from semipunct.formats.lines import KIND
from semipunct.formats.m2 import M2
from semipunct.formats.subtitles import Subtitles
from semipunct.formats.text import Text
from semipunct.formats.transcripts import Transcripts
from semipunct.plugins import find_plugin, plugin_names

FORMATS: dict[str, Format[Any]] = {
    Conllu.name: Conllu(),
    M2.name: M2(),
    Text.name: Text(),
    Subtitles.name: Subtitles(),
    Transcripts.name: Transcripts(),
}

DEFAULT = Conllu.name
"""The format of standard input and of files with an unknown suffix."""


def format_of(*paths: str | Path, words: bool = False, default: str = DEFAULT) -> Format[Any]:
    """Determine the format of files by their suffixes, ignoring ``.gz``.

    Args:
        words: whether words without trees suffice. Files with an unknown suffix are then text,
            unless they begin like CoNLL-U, subtitles or a JSON transcript.
        default: the format of unknown files that cannot be inspected, such as named pipes.

    Raises:
        UsageError: if the formats differ.
    """
    path_of_format = {_name(path, words, default): path for path in paths}
    if len(path_of_format) > 1:
        listing = ", ".join(f"{path} is {name}" for name, path in path_of_format.items())
        raise UsageError(f"the files are of different formats ({listing}); give one at a time")
    name = next(iter(path_of_format), default)
    if name not in FORMATS:
        _add_installed()
    return FORMATS[name]


def format_of_grammar(grammar: str) -> DerivationFormat[Any]:
    """Return the format for derivations of a grammar."""
    _add_installed()
    for form in FORMATS.values():
        if isinstance(form, DerivationFormat) and form.grammar == grammar:
            return form
    raise UsageError(f"no format of derivations by the grammar {grammar} is installed")


def _name(path: str | Path, words: bool, default: str) -> str:
    ending = Path(str(path).removesuffix(".gz")).suffix.lower()
    by_suffix = _name_by_suffix(ending)
    if by_suffix is None and ending and _add_installed():
        by_suffix = _name_by_suffix(ending)
    return by_suffix or (_name_by_content(path, default) if words else default)


def _name_by_suffix(suffix: str) -> str | None:
    return next(
        (name for name, file_format in FORMATS.items() if suffix in file_format.suffixes), None
    )


def _add_installed() -> bool:
    """Add the formats of other distributions; return whether any were new."""
    names = [name for name in plugin_names("formats") if name not in FORMATS]
    for name in names:
        plugin: Format[Any] | None = find_plugin("formats", name, Format)
        if plugin is not None:
            FORMATS[name] = plugin
    return bool(names)


def _name_by_content(path: str | Path, default: str) -> str:
    first = beginning(path, KIND, _CONTENT.search)
    if first is None:
        return default
    content = _CONTENT.search(first + b"\n")
    if content is None:
        return Text.name
    for name, pattern in _FIRST_LINES.items():
        if pattern.match(content[0]):
            return name
    return Text.name


# A complete line that is not empty or a comment, with the number before it.
_CONTENT = re.compile(
    rb"^(?!\xef\xbb\xbf#|#|\s*$)(?:(?:\xef\xbb\xbf)?[0-9]+[ \t\r]*\n)?+[^\n]*\n", re.MULTILINE
)

_WORD_LINE = re.compile(rb"(\xef\xbb\xbf)?[0-9]+([-.][0-9]+)?(\t[^\t]*){2}")

_FIRST_LINES = {
    Conllu.name: _WORD_LINE,
    Subtitles.name: re.compile(
        rb"(?:\xef\xbb\xbf)?(?:WEBVTT\s|(?:\d+\s*\n)?\s*(?:\d+:)?\d+:\d\d[.,]\d+\s*-->"
        rb"\s*(?:\d+:)?\d+:\d\d[.,]\d+(?:[ \t]+[A-Za-z]\w*:\S+)*\s*$)"
    ),
    Transcripts.name: re.compile(rb"(?:\xef\xbb\xbf)?\s*\{\s*(?:\"|$)"),
}


def read_entries(paths: Iterable[str | Path]) -> Iterator[AnyEntry]:
    """Yield the sentences of files in order, each in its format, one at a time.

    Raises:
        TreebankError: if a file is missing, damaged or without trees.
    """
    return map(with_tree, chain.from_iterable(kind.read(path) for kind, path in _in_order(paths)))


def read_words(paths: Iterable[str | Path]) -> Iterator[WordsEntry]:
    """Yield the sentences of files, like ``read_entries``, without tags and trees."""
    formats = _in_order(paths, words=True)
    return chain.from_iterable(kind.read_words(path) for kind, path in formats)


def _in_order(
    paths: Iterable[str | Path], *, words: bool = False
) -> Iterator[tuple[Format[Any], str | Path]]:
    waiting = [*paths]
    for number, path in enumerate(waiting, start=1):
        kind = format_of(path, words=words)
        yield (kind if number == len(waiting) else kind.before_file()), path


def read_treebank(paths: Iterable[str | Path]) -> Treebank:
    """Read files into one treebank."""
    return Treebank.of(read_entries(paths))


def with_crossing_arcs(entry: AnyEntry) -> AnyEntry:
    """Return an entry with its tree as annotated, including crossing arcs."""
    if isinstance(entry.content, Omitted):
        return entry
    return cast(AnyEntry, to_entry(entry.record, lift=False))


def read_crossing_arcs(paths: Iterable[str | Path]) -> Treebank:
    """Read files into one treebank with trees as annotated, including crossing arcs."""
    return Treebank.of(map(with_crossing_arcs, read_entries(paths)))


def with_marks(entry: AnyEntry) -> Sentence:
    """Return a sentence with punctuation among its words, as in the file."""
    return cast(Sentence, to_entry(entry.record, "words").content)


def read_with_marks(paths: Iterable[str | Path]) -> Treebank:
    """Read files into one treebank, with punctuation among the words."""
    return Treebank.of(
        entry
        if isinstance(entry.content, Omitted) and entry.content.fault
        else to_entry(entry.record, "words")
        for entry in read_entries(paths)
    )
