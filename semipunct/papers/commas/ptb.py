"""Bracketed trees, as in the Penn Treebank, reproduced byte for byte."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, cast

from semipunct.corpus import Entry, Omitted, Sentence, Treebank
from semipunct.errors import TreebankError
from semipunct.formats.base import Format
from semipunct.formats.conllu.reading import Marks, to_entry
from semipunct.formats.registry import format_of
from semipunct.marks.penn import MARK_TAGS
from semipunct.papers.commas.brackets import Bracketing, read_bracketings
from semipunct.papers.commas.punctuation import punctuate_entry
from semipunct.papers.commas.trees import (
    COLLINS,
    EMPTY,
    HeadTable,
    PhraseTree,
    dependencies,
    head_children,
    prune_words,
    without_empty,
    words_with_tags,
)
from semipunct.papers.commas.verbatim import (
    Malformed,
    VerbatimRecord,
    VerbatimWriter,
    malformed_entry,
    over,
    penn_tokens,
)
from semipunct.trees import DependencyTree

PtbRecord: TypeAlias = VerbatimRecord[Bracketing | Malformed]
"""One tree of a file, with tokens and their heads by a head table."""


@dataclass(frozen=True)
class Ptb(Format[PtbRecord]):
    """Files of phrase-structure trees, read as dependency trees by the heads of phrases.

    The relation of a word combines the labels of the largest phrase that it heads and of the phrase
    around it, such as ``NP-SBJ/S``.

    Attributes:
        marks: whether punctuation is in slots or among the words.
        mark_tags: parts of speech of punctuation; with ``{","}`` other marks are words.
        table: the head rules.
    """

    name = "ptb"
    suffixes = (".mrg", ".ptb")

    marks: Marks = "slots"
    mark_tags: Collection[str] = MARK_TAGS
    table: HeadTable = COLLINS

    def read(self, path: str | Path) -> Iterator[Entry[PtbRecord]]:
        for parsed in map(_with_words, read_bracketings(path)):
            if isinstance(parsed, Malformed):
                yield malformed_entry(parsed)
            else:
                yield to_entry(_record(parsed, self.mark_tags, self.table), self.marks)

    def read_phrases(
        self, path: str | Path
    ) -> Iterator[Entry[PtbRecord, Sentence[PhraseTree] | Omitted]]:
        """Yield the sentences of a file, like ``read``, with their phrases.

        Labels are those of the file; empty elements, and punctuation in slots, are removed.

        Args:
            path: a file, ``.gz`` or not, or ``-`` for standard input.

        Raises:
            TreebankError: with file and line, if the file is missing or not in this format.
        """
        for entry in self.read(path):
            content, source = entry.content, entry.record.source
            if isinstance(content, Sentence) and isinstance(source, Bracketing):
                tree = without_empty(source.tree)
                if self.marks == "slots":
                    tree = prune_words(tree, words_with_tags(tree, self.mark_tags))
                yield Entry(over(content, tree), entry.record, entry.word_ids, entry.notes)
            elif isinstance(content, Omitted):
                yield Entry(content, entry.record, entry.word_ids, entry.notes)

    def writer(
        self, like: Iterable[Entry[PtbRecord]] = ()
    ) -> VerbatimWriter[Bracketing | Malformed]:
        return VerbatimWriter("trees in brackets", lines=False, rewrite=punctuate_entry)


def _with_words(parsed: Bracketing | Malformed) -> Bracketing | Malformed:
    """Return a tree, as malformed if all its leaves are empty elements."""
    if isinstance(parsed, Malformed) or set(parsed.tree.tags) != {EMPTY}:
        return parsed
    fault = (
        f"{parsed.path}:{parsed.line}: sentence {parsed.sentence_id}: the tree has no word, only "
        "empty elements; leave it out"
    )
    return Malformed(parsed.path, parsed.line, parsed.sentence_id, parsed.text, fault)


def _record(
    parsed: Bracketing, mark_tags: Collection[str], table: HeadTable
) -> VerbatimRecord[Bracketing]:
    gone = set(words_with_tags(parsed.tree, (EMPTY,)))
    tree = prune_words(parsed.tree, gone)
    forms = [form for word, form in enumerate(parsed.forms, start=1) if word not in gone]
    return VerbatimRecord(parsed, penn_tokens(forms, tree.tags, _arcs(tree, table), mark_tags))


def _arcs(tree: PhraseTree, table: HeadTable) -> DependencyTree:
    return dependencies(tree, head_children(tree, table), labelled=True)


PTB = Ptb()
"""The format as it is registered."""


def read_phrases(
    paths: Iterable[str | Path], mark_tags: Collection[str]
) -> Iterator[Entry[PtbRecord, Sentence[PhraseTree] | Omitted]]:
    """Yield the sentences of files with their phrases, in order, keeping one in memory.

    Args:
        paths: files of bracketed trees; a file with an unknown suffix, such as standard input, is
            assumed to be one.
        mark_tags: parts of speech of the marks in slots; other marks are words.

    Raises:
        TreebankError: with file and line, if a file is missing or damaged, or has no phrases.
    """
    for path in paths:
        name = format_of(path, default=PTB.name).name
        if name != PTB.name and Path(str(path).removesuffix(".gz")).suffix:
            raise TreebankError(
                f"{path}: files of the format {name} have no phrases; give trees in brackets "
                f"({', '.join(PTB.suffixes)})"
            )
        yield from Ptb(mark_tags=mark_tags).read_phrases(path)


COMMA_TAGS = frozenset((",",))
"""The tags of the marks that comma models predict; all other marks are words."""


def read_commas(paths: Iterable[str | Path]) -> Treebank:
    """Read files with phrases, with only commas in slots.

    Raises:
        TreebankError: with file and line, if a file is missing or damaged, or has no phrases.
    """
    return _with_phrases(paths, COMMA_TAGS)


def read_whole_phrases(paths: Iterable[str | Path]) -> Treebank:
    """Read files with phrases, with all marks among the words.

    Raises:
        TreebankError: with file and line, if a file is missing or damaged, or has no phrases.
    """
    return _with_phrases(paths, ())


def _with_phrases(paths: Iterable[str | Path], mark_tags: Collection[str]) -> Treebank:
    # A treebank with another kind of trees.
    return Treebank.of(cast(Iterable[Any], read_phrases(paths, mark_tags)))
