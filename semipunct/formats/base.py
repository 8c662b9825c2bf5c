"""The interface of formats: a reader of entries, and a writer that gives them back."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Generic, Protocol, TextIO, TypeVar

from semipunct.corpus import Entry, Omitted, Sentence, Words
from semipunct.errors import UsageError
from semipunct.marks import Puncteme
from semipunct.trees import DependencyTree

R = TypeVar("R")


class FromFile(Protocol):
    """A sentence that was read from a file."""

    @property
    def path(self) -> str:
        """The file."""
        ...

    @property
    def line(self) -> int:
        """Its first line there, from 1."""
        ...

    @property
    def sentence_id(self) -> str:
        """Its name."""
        ...


@dataclass(frozen=True, slots=True)
class Annotation:
    """Attributes and comments for a writer to add to a sentence.

    Attributes:
        attributes: names and values by word, 1 to n.
        comments: names and values that belong to the sentence as a whole.
        suffix: makes the sentence's id another one, where a sentence is written several times.
        replaces: beginnings of names: attributes and comments that have them go first, so that
            a sentence that was annotated before has no old ones beside the new.
    """

    attributes: Mapping[int, Mapping[str, str]] = field(default_factory=dict[int, dict[str, str]])
    comments: Mapping[str, str] = field(default_factory=dict[str, str])
    suffix: str = ""
    replaces: tuple[str, ...] = field(default=(), kw_only=True)


class Writer(ABC, Generic[R]):
    """A writer of the entries of one format; whatever is not asked to change stays as it was."""

    @abstractmethod
    def annotated(self, entry: Entry[R], annotation: Annotation) -> str:
        """Return the text of an entry with annotations.

        Args:
            entry: as it was read.
            annotation: to be added.
        """

    @abstractmethod
    def punctuated(self, entry: Entry[R], slots: Sequence[Puncteme]) -> str:
        """Return the text of an entry with other punctuation.

        Args:
            entry: as it was read.
            slots: ``[n + 1]`` strings of tokens.

        Raises:
            UsageError: if the number of slots is wrong or a token cannot be written.
        """

    @abstractmethod
    def text(self, entry: Entry[R], slots: Sequence[Puncteme]) -> str:
        """Write the sentence of an entry as plain text.

        Args:
            entry: as it was read.
            slots: ``[n + 1]`` strings of tokens.
        """

    @abstractmethod
    def write(self, texts: Iterable[str], stream: TextIO) -> None:
        """Write the texts of entries, separated as the format demands.

        Args:
            texts: entries of one file or of several.
            stream: which must not translate line ends.
        """

    def cased(self, entry: Entry[R], forms: Sequence[str]) -> Entry[R]:
        """Spell the words of an entry with other capitals.

        A format overrides this if capitals can be given back in it.

        Args:
            entry: as it was read.
            forms: ``[n]`` its words, of which nothing but the case of letters is another.

        Raises:
            UsageError: if there are other words, or the format keeps them as they are.
        """
        raise UsageError(
            "the words of files of this format stay as they are spelt; leave out --case, or give "
            "text or CoNLL-U"
        )

    def rearranged(self, entry: Entry[R], words: Sequence[int], tree: DependencyTree) -> Entry[R]:
        """Return an entry with some of the words of another one, in an order of their own.

        A format overrides this if its files hold words with trees.

        Args:
            entry: as it was read.
            words: ``[m]`` the numbers of the words that are left, as they shall stand.
            tree: over these.

        Raises:
            UsageError: if these are no words of the entry, or the format keeps words as they are.
        """
        raise UsageError("the words of files of this format stay as they are; give CoNLL-U")

    def spelt(self, entry: Entry[R], slots: Sequence[Puncteme]) -> Sequence[Puncteme]:
        """Return slots with the characters that ``text`` writes for them.

        A format whose files spell marks as models know them, as this default takes it to be, has
        nothing to do.

        Args:
            entry: as it was read.
            slots: ``[n + 1]`` strings of tokens.
        """
        return slots

    def surface(self, entry: Entry[R]) -> Sequence[str]:
        """Return the words of an entry with the characters that ``text`` writes for them.

        A word is empty that has none of its own: those of a token that stands for several words
        belong to the first of them. The dot of an abbreviation may be left out.

        Args:
            entry: as it was read.

        Returns:
            ``[n]`` a string for each word.
        """
        return () if isinstance(entry.content, Omitted) else entry.content.forms

    def unchanged(self, entry: Entry[R]) -> str:
        """Return the text of an entry as it was read."""
        return self.annotated(entry, Annotation())

    def plain(self, entry: Entry[R]) -> str:
        """Return the sentence of an entry as plain text with the punctuation that it has.

        A format overrides this if its files tell the text of what is no sentence to models.

        Args:
            entry: as it was read.
        """
        content = entry.content
        return "" if isinstance(content, Omitted) else self.text(entry, content.slots)


class Format(ABC, Generic[R]):
    """A format of files that hold sentences.

    Attributes:
        name: by which users call it.
        suffixes: endings of file names that tell it, such as ``.conllu``.
    """

    name: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]]

    @abstractmethod
    def read(self, path: str | Path) -> Iterator[Entry[R]]:
        """Yield the sentences of a file in order, one in memory at a time.

        Args:
            path: a file, ``.gz`` or not, or ``-`` for standard input.

        Raises:
            TreebankError: with file and line, if the file is missing or not in this format.
        """

    def followed(self) -> "Format[R]":
        """Return the format of a file that another one follows, into which it must not run.

        A format overrides this if the last sentence of a file may lack an end.
        """
        return self

    def read_words(self, path: str | Path) -> Iterator[Entry[R, Words | Omitted]]:
        """Yield the sentences of a file as ``read`` does, as words without tags and trees.

        A format overrides this if its files may lack trees.

        Args:
            path: a file, ``.gz`` or not, or ``-`` for standard input.

        Raises:
            TreebankError: with file and line, if the file is missing or not in this format.
        """
        for entry in self.read(path):
            s = entry.content
            found = (
                Words(s.sentence_id, s.path, s.line, s.forms, s.slots)
                if isinstance(s, Sentence)
                else s
            )
            yield Entry(found, entry.record, entry.word_ids, entry.notes)

    @abstractmethod
    def writer(self, like: Iterable[Entry[R]] = ()) -> Writer[R]:
        """Make a writer.

        Args:
            like: entries whose conventions it keeps, where the format leaves a choice.
        """
