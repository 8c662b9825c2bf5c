"""Trees in brackets, as those of the Penn Treebank, given back byte for byte."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NoReturn, TextIO

from semipunct.corpus import Entry, Omitted, Sentence
from semipunct.errors import TreebankError, UsageError
from semipunct.formats.base import Annotation, Format, Writer
from semipunct.formats.conllu.reading import Marks, to_entry
from semipunct.formats.conllu.records import Token
from semipunct.formats.penn_tokens import penn_tokens
from semipunct.formats.ptb.brackets import Bracketing, bracketed, read_bracketings
from semipunct.marks import Puncteme
from semipunct.marks.penn import MARK_TAGS, unescaped
from semipunct.marks.spacing import visible
from semipunct.trees import DependencyTree
from semipunct.trees.heads import COLLINS, HeadTable, dependencies, head_children
from semipunct.trees.labels import EMPTY
from semipunct.trees.phrases import PhraseTree
from semipunct.trees.pruning import pruned, tagged, without_empty

__all__ = ["Bracketing", "Ptb", "PtbRecord", "PtbWriter", "bracketed", "read_bracketings"]


@dataclass(frozen=True, slots=True)
class PtbRecord:
    """One tree of a file.

    Attributes:
        bracketing: as it was read, empty elements included.
        tokens: words and punctuation, with the heads that a table gives them.
    """

    bracketing: Bracketing
    tokens: tuple[Token, ...]

    @property
    def path(self) -> str:
        """The file."""
        return self.bracketing.path

    @property
    def line(self) -> int:
        """The line of its first bracket, from 1."""
        return self.bracketing.line

    @property
    def sentence_id(self) -> str:
        """Its name."""
        return self.bracketing.sentence_id


@dataclass(frozen=True)
class Ptb(Format[PtbRecord]):
    """Files of phrase-structure trees, read as dependency trees by the heads of phrases.

    The relation of a word is that of the largest phrase that it heads to the phrase around it, as
    ``NP-SBJ/S``.

    Attributes:
        marks: whether punctuation goes into slots, or stays among the words.
        mark_tags: parts of speech of what is punctuation; with ``{","}`` the other marks are words.
        table: of rules for heads.
    """

    name = "ptb"
    suffixes = (".mrg", ".ptb")

    marks: Marks = "slots"
    mark_tags: Collection[str] = MARK_TAGS
    table: HeadTable = COLLINS

    def read(self, path: str | Path) -> Iterator[Entry[PtbRecord]]:
        return (
            to_entry(_record(found, self.mark_tags, self.table), self.marks)
            for found in read_bracketings(path)
        )

    def read_phrases(
        self, path: str | Path
    ) -> Iterator[Entry[PtbRecord, Sentence[PhraseTree] | Omitted]]:
        """Yield the sentences of a file as ``read`` does, with their phrases.

        Labels are as they are in the file; empty elements are not there, and punctuation that is in
        slots is not.

        Args:
            path: a file, ``.gz`` or not, or ``-`` for standard input.

        Raises:
            TreebankError: with file and line, if the file is missing or not in this format.
        """
        for entry in self.read(path):
            content = entry.content
            if not isinstance(content, Sentence):
                yield Entry(content, entry.record, entry.word_ids, entry.notes)
                continue
            tree = without_empty(entry.record.bracketing.tree)
            if self.marks == "slots":
                tree = pruned(tree, tagged(tree, self.mark_tags))
            phrases: Sentence[PhraseTree] = Sentence(
                content.sentence_id,
                content.path,
                content.line,
                content.forms,
                content.lemmas,
                content.upos,
                content.xpos,
                content.feats,
                tree,
                content.slots,
            )
            yield Entry(phrases, entry.record, entry.word_ids, entry.notes)

    def writer(self, like: Iterable[Entry[PtbRecord]] = ()) -> "PtbWriter":
        return PtbWriter()


class PtbWriter(Writer[PtbRecord]):
    """A writer of trees in brackets, which have no place for annotations of words."""

    def annotated(self, entry: Entry[PtbRecord], annotation: Annotation) -> str:
        if annotation.attributes or annotation.comments:
            _refuse(entry, "annotations")
        return entry.record.bracketing.text

    def punctuated(self, entry: Entry[PtbRecord], slots: Sequence[Puncteme]) -> str:
        if isinstance(entry.content, Sentence) and tuple(slots) == entry.content.slots:
            return entry.record.bracketing.text
        _refuse(entry, "new punctuation, whose phrases would be guesses")

    def text(self, entry: Entry[PtbRecord], slots: Sequence[Puncteme]) -> str:
        words = [unescaped(entry.record.tokens[number - 1].form) for number in entry.word_ids]
        if len(slots) != len(words) + 1:
            raise UsageError(f"{len(slots)} slots for {len(words)} words; give one more than words")
        pairs = zip(("", *words), map(" ".join, visible(slots)), strict=True)
        return " ".join(filter(None, chain.from_iterable(pairs)))

    def write(self, texts: Iterable[str], stream: TextIO) -> None:
        stream.writelines(texts)


def _refuse(entry: Entry[PtbRecord], what: str) -> NoReturn:
    record = entry.record
    raise UsageError(
        f"{record.path}:{record.line}: sentence {record.sentence_id}: trees in brackets have no "
        f"place for {what}; give the treebank as CoNLL-U"
    )


def _record(found: Bracketing, mark_tags: Collection[str], table: HeadTable) -> PtbRecord:
    gone = set(tagged(found.tree, (EMPTY,)))
    if len(gone) == found.tree.words:
        raise TreebankError(
            f"{found.path}:{found.line}: sentence {found.sentence_id}: the tree has no word, only "
            "empty elements; leave it out"
        )
    tree = pruned(found.tree, gone)
    forms = [form for word, form in enumerate(found.forms, start=1) if word not in gone]
    return PtbRecord(found, penn_tokens(forms, tree.tags, _arcs(tree, table), mark_tags))


def _arcs(tree: PhraseTree, table: HeadTable) -> DependencyTree:
    return dependencies(tree, head_children(tree, table), labelled=True)
