"""Derivations of Combinatory Categorial Grammar in CCGbank's ``.auto`` files, without loss."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, cast

from semipunct.corpus import Entry, Omitted, Sentence, Treebank
from semipunct.formats.base import Format
from semipunct.formats.ccgbank.converted import auto_record
from semipunct.formats.ccgbank.derivations import (
    AutoRecord,
    Leaf,
    auto_line,
    read_derivations,
    with_derivation,
)
from semipunct.formats.conllu.reading import Marks, to_entry
from semipunct.formats.penn_tokens import over, penn_tokens
from semipunct.formats.verbatim import (
    Malformed,
    VerbatimRecord,
    VerbatimWriter,
    malformed_entry,
)
from semipunct.marks.penn import MARK_TAGS
from semipunct.trees.derivations import Derivation

__all__ = [
    "AutoRecord",
    "Ccgbank",
    "CcgbankRecord",
    "Leaf",
    "auto_line",
    "auto_record",
    "read_derivations",
    "read_derived_sentences",
    "with_derivation",
]

_MARK_TAGS = MARK_TAGS | {"LRB", "RRB", ";"}  # CCGbank spells some tags differently


CcgbankRecord: TypeAlias = VerbatimRecord[AutoRecord | Malformed]
"""One derivation of a file, with tokens and their heads from its nodes."""


@dataclass(frozen=True)
class Ccgbank(Format[CcgbankRecord]):
    """Files of derivations, read as dependency trees by the heads that nodes specify.

    The relation of a word combines the category of the largest constituent that it heads and that
    of the constituent around it, such as ``NP/S[dcl]``.

    Attributes:
        marks: whether punctuation is in slots or among the words.
    """

    name = "ccgbank"
    suffixes = (".auto",)

    marks: Marks = "slots"

    def read(self, path: str | Path) -> Iterator[Entry[CcgbankRecord]]:
        for parsed in read_derivations(path):
            if isinstance(parsed, Malformed):
                yield malformed_entry(parsed)
            else:
                yield to_entry(_record(parsed), self.marks)

    def read_derivations(
        self, path: str | Path
    ) -> Iterator[Entry[CcgbankRecord, Sentence[Derivation] | Omitted]]:
        """Yield the sentences of a file with their derivations, and omitted ones.

        Marks are words regardless of ``marks``, because they have their own categories and rules.

        Args:
            path: a file, ``.gz`` or not, or ``-`` for standard input.

        Raises:
            TreebankError: with file and line, if the file is missing or not in this format.
        """
        for entry in Ccgbank(marks="words").read(path):
            content, source = entry.content, entry.record.source
            if isinstance(content, Sentence) and isinstance(source, AutoRecord):
                sentence = over(content, source.derivation)
                yield Entry(sentence, entry.record, entry.word_ids, entry.notes)
            elif isinstance(content, Omitted):
                yield Entry(content, entry.record)

    def writer(
        self, like: Iterable[Entry[CcgbankRecord]] = ()
    ) -> VerbatimWriter[AutoRecord | Malformed]:
        return VerbatimWriter("derivations", lines=True)


def read_derived_sentences(paths: Iterable[str | Path]) -> Treebank:
    """Read the sentences of files with their derivations; marks are words.

    Args:
        paths: files of derivations.

    Raises:
        TreebankError: with file and line, if a file is missing or not in this format.
    """
    entries = (entry for path in paths for entry in Ccgbank().read_derivations(path))
    return Treebank.of(cast(Iterable[Any], entries))  # with another kind of trees


def _record(source: AutoRecord) -> VerbatimRecord[AutoRecord]:
    forms, tags = [leaf.form for leaf in source.leaves], [leaf.tag for leaf in source.leaves]
    tree = source.derivation.dependencies(labelled=True)
    return VerbatimRecord(source, penn_tokens(forms, tags, tree, _MARK_TAGS))
