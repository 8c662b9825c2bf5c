"""The interface of formats: a reader of entries, and a writer that reproduces them."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, Protocol, TextIO, TypeVar

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
        """The number of its first line, from 1."""
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
        suffix: appended to the id of the sentence, to distinguish several copies.
        replaces: prefixes of names: attributes and comments with these are removed first, so old
            annotations do not remain beside new ones.
    """

    attributes: Mapping[int, Mapping[str, str]] = field(default_factory=dict[int, dict[str, str]])
    comments: Mapping[str, str] = field(default_factory=dict[str, str])
    suffix: str = ""
    replaces: tuple[str, ...] = field(default=(), kw_only=True)


class Writer(ABC, Generic[R]):
    """A writer of the entries of one format, which preserves everything that is not changed."""

    @abstractmethod
    def annotate(self, entry: Entry[R], annotation: Annotation) -> str:
        """Return the text of an entry with annotations.

        Args:
            entry: the entry as read.
            annotation: the annotation to add.
        """

    @abstractmethod
    def punctuate(self, entry: Entry[R], slots: Sequence[Puncteme]) -> str:
        """Return the text of an entry with other punctuation.

        Args:
            entry: the entry as read.
            slots: ``[n + 1]`` strings of tokens.

        Raises:
            UsageError: if the number of slots is wrong or a token cannot be written.
        """

    @abstractmethod
    def text(self, entry: Entry[R], slots: Sequence[Puncteme]) -> str:
        """Write the sentence of an entry as plain text.

        Args:
            entry: the entry as read.
            slots: ``[n + 1]`` strings of tokens.
        """

    @abstractmethod
    def write(self, texts: Iterable[str], stream: TextIO) -> None:
        """Write the texts of entries, separated as the format requires.

        Args:
            texts: entries of one file or of several.
            stream: a stream that does not translate line ends.
        """

    def recase(self, entry: Entry[R], forms: Sequence[str]) -> Entry[R]:
        """Return an entry with other capitals.

        A format overrides this if it can write capitals.

        Args:
            entry: the entry as read.
            forms: ``[n]`` its words, which may differ only in the case of letters.

        Raises:
            UsageError: if words differ, or the format does not support changes of words.
        """
        raise UsageError(
            "the case of words of this file format cannot be changed; give text or CoNLL-U"
        )

    def rearrange(self, entry: Entry[R], words: Sequence[int], tree: DependencyTree) -> Entry[R]:
        """Return an entry with a subset of the words of another one, in any order.

        A format overrides this if its files contain words with trees.

        Args:
            entry: the entry as read.
            words: ``[m]`` the numbers of the remaining words in their new order.
            tree: the tree over these words.

        Raises:
            UsageError: if these are not words of the entry, or the format does not support changes
                of words.
        """
        raise UsageError("words of this file format cannot be rearranged; give CoNLL-U")

    def spell_marks(self, entry: Entry[R], slots: Sequence[Puncteme]) -> Sequence[Puncteme]:
        """Return slots with the characters that ``text`` writes for them.

        The default assumes that the format spells marks as models do.

        Args:
            entry: the entry as read.
            slots: ``[n + 1]`` strings of tokens.
        """
        return slots

    def surface(self, entry: Entry[R]) -> Sequence[str]:
        """Return the words of an entry with the characters that ``text`` writes for them.

        The characters of a multiword token belong to its first word; the string of the other words
        is empty. The dot of an abbreviation may be omitted.

        Args:
            entry: the entry as read.

        Returns:
            ``[n]`` a string for each word.
        """
        return () if isinstance(entry.content, Omitted) else entry.content.forms

    def source_text(self, entry: Entry[R]) -> str:
        """Return the text of an entry as read."""
        return self.annotate(entry, Annotation())

    def plain(self, entry: Entry[R]) -> str:
        """Return the sentence of an entry as plain text with its own punctuation.

        A format overrides this if its files have the text of omitted sentences.

        Args:
            entry: the entry as read.
        """
        content = entry.content
        return "" if isinstance(content, Omitted) else self.text(entry, content.slots)


class Format(ABC, Generic[R]):
    """A file format for sentences.

    Attributes:
        name: the name of the format for users.
        suffixes: suffixes of file names in this format, such as ``.conllu``.
    """

    name: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]]

    @abstractmethod
    def read(self, path: str | Path) -> Iterator[Entry[R]]:
        """Yield the sentences of a file in order, keeping one in memory.

        Args:
            path: a file, ``.gz`` or not, or ``-`` for standard input.

        Raises:
            TreebankError: with file and line, if the file is missing or not in this format.
        """

    def before_file(self) -> "Format[R]":
        """Return the format for a file that another file follows, from which it must be separated.

        A format overrides this if the last sentence of a file may be unterminated.
        """
        return self

    def read_words(self, path: str | Path) -> Iterator[Entry[R, Words | Omitted]]:
        """Yield the sentences of a file, like ``read``, as words without tags and trees.

        A format overrides this if its files may lack trees.

        Args:
            path: a file, ``.gz`` or not, or ``-`` for standard input.

        Raises:
            TreebankError: with file and line, if the file is missing or not in this format.
        """
        for entry in self.read(path):
            s = entry.content
            content = (
                Words(s.sentence_id, s.path, s.line, s.forms, s.slots, s.closed, s.source)
                if isinstance(s, Sentence)
                else s
            )
            yield Entry(content, entry.record, entry.word_ids, entry.notes)

    @abstractmethod
    def writer(self, like: Iterable[Entry[R]] = ()) -> Writer[R]:
        """Make a writer.

        Args:
            like: entries whose conventions it follows, where the format allows several.
        """


CommaPlace = Literal["paper", "better"]
"""The place of a comma: as high as possible, or as high as possible without a new rule."""


class Derived(Protocol):
    """A treebank of derivations that a format made."""

    @property
    def text(self) -> str:
        """The content of a file of the derivations."""
        ...

    def as_dict(self) -> dict[str, Any]:
        """Return a report as JSON-serialisable values."""
        ...

    def messages(self) -> Iterable[str]:
        """Return what users are told of."""
        ...


class DerivationFormat(Format[R]):
    """A format of derivations by a grammar, whose files can be made and compared.

    Attributes:
        grammar: its name in ``semipunct normalise --to`` and ``--commas``.
    """

    grammar: ClassVar[str]

    @abstractmethod
    def derive(self, files: Sequence[str | Path], **options: Any) -> Derived:
        """Convert phrases to derivations, or attach the commas of derivations, or both.

        Args:
            files: of derivations or, with ``to``, of phrases.
            **options: ``to`` and ``commas``, a grammar or None; ``rule``, the place of a comma; and
                ``quotes``, whether converted trees have quotation marks.

        Raises:
            UsageError: if the files are of another format.
            TreebankError: if a file is missing or damaged, or has nothing that can be used.
        """

    @abstractmethod
    def compare(self, parsed: str, tests: Sequence[str]) -> Any:
        """Compare derivations in a file with those of a treebank.

        Args:
            parsed: a file of derivations that a parser wrote.
            tests: files of the treebank.

        Returns:
            A ``semipunct.pipelines.assessment.Assessment``.

        Raises:
            UsageError: if sentences of the first file are not those of the treebank.
            TreebankError: if a file is missing or damaged.
        """
