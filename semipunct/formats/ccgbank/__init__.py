"""Derivations of Combinatory Categorial Grammar in CCGbank's ``.auto`` files, without loss."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from semipunct.corpus import Entry, Sentence
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
from semipunct.formats.verbatim import VerbatimRecord, VerbatimWriter
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


CcgbankRecord: TypeAlias = VerbatimRecord[AutoRecord]
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
        return (to_entry(_record(found), self.marks) for found in read_derivations(path))

    def read_derivations(
        self, path: str | Path
    ) -> Iterator[Entry[CcgbankRecord, Sentence[Derivation]]]:
        """Yield the sentences of a file with their derivations.

        Marks are words regardless of ``marks``, because they have their own categories and rules.

        Args:
            path: a file, ``.gz`` or not, or ``-`` for standard input.

        Raises:
            TreebankError: with file and line, if the file is missing or not in this format.
        """
        for entry in Ccgbank(marks="words").read(path):
            if isinstance(entry.content, Sentence):  # with marks among the words, all are
                found = over(entry.content, entry.record.source.derivation)
                yield Entry(found, entry.record, entry.word_ids, entry.notes)

    def writer(self, like: Iterable[Entry[CcgbankRecord]] = ()) -> VerbatimWriter[AutoRecord]:
        return VerbatimWriter("derivations", lines=True)


def read_derived_sentences(paths: Iterable[str | Path]) -> list[Sentence[Derivation]]:
    """Read the sentences of files with their derivations; marks are words.

    Args:
        paths: files of derivations.

    Raises:
        TreebankError: with file and line, if a file is missing or not in this format.
    """
    return [entry.content for path in paths for entry in Ccgbank().read_derivations(path)]


def _record(found: AutoRecord) -> CcgbankRecord:
    forms, tags = [leaf.form for leaf in found.leaves], [leaf.tag for leaf in found.leaves]
    tree = found.derivation.dependencies(labelled=True)
    return VerbatimRecord(found, penn_tokens(forms, tags, tree, _MARK_TAGS))
