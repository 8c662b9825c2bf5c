"""Interface of file formats: a reader of entries, and a writer that reproduces them."""

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
    """A sentence read from a file."""

    @property
    def path(self) -> str: ...

    @property
    def line(self) -> int:
        """The first line, from 1."""
        ...

    @property
    def sentence_id(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Annotation:
    """Attributes and comments for a writer to add to a sentence.

    Attributes:
        attributes: names and values by word, 1 to n.
        replaces: prefixes of the attributes and comments to remove first.
    """

    attributes: Mapping[int, Mapping[str, str]] = field(default_factory=dict[int, dict[str, str]])
    comments: Mapping[str, str] = field(default_factory=dict[str, str])
    suffix: str = ""
    replaces: tuple[str, ...] = field(default=(), kw_only=True)


class Writer(ABC, Generic[R]):
    """A writer of the entries of one format, which preserves everything else in the file."""

    @abstractmethod
    def annotate(self, entry: Entry[R], annotation: Annotation) -> str:
        """Return the text of an entry with annotations."""

    @abstractmethod
    def punctuate(self, entry: Entry[R], slots: Sequence[Puncteme]) -> str:
        """Return the text of an entry with other punctuation, ``[n + 1]``.

        Raises:
            UsageError: if a token cannot be written.
        """

    @abstractmethod
    def text(self, entry: Entry[R], slots: Sequence[Puncteme]) -> str:
        """Return the sentence of an entry as plain text, with the punctuation in ``slots``."""

    @abstractmethod
    def write(self, texts: Iterable[str], stream: TextIO) -> None:
        """Write the texts of entries to a stream that does not translate line ends."""

    def recase(self, entry: Entry[R], forms: Sequence[str]) -> Entry[R]:
        """Return an entry with other capitals, if the format can write them."""
        raise UsageError(
            "the case of words of this file format cannot be changed; give text or CoNLL-U"
        )

    def rearrange(self, entry: Entry[R], words: Sequence[int], tree: DependencyTree) -> Entry[R]:
        """Return an entry with a subset of its words in a new order, if the format has trees."""
        raise UsageError("words of this file format cannot be rearranged; give CoNLL-U")

    def spell_marks(self, entry: Entry[R], slots: Sequence[Puncteme]) -> Sequence[Puncteme]:
        """Return slots with the characters that ``text`` writes for them."""
        return slots

    def surface(self, entry: Entry[R]) -> Sequence[str]:
        """Return the words of an entry, ``[n]``, as ``text`` writes them.

        Only the first word of a multiword token has characters.
        """
        return () if isinstance(entry.content, Omitted) else entry.content.forms

    def source_text(self, entry: Entry[R]) -> str:
        return self.annotate(entry, Annotation())

    def plain(self, entry: Entry[R]) -> str:
        """Return the sentence of an entry as plain text with its own punctuation."""
        content = entry.content
        return "" if isinstance(content, Omitted) else self.text(entry, content.slots)


class Format(ABC, Generic[R]):
    """A file format for sentences."""

    name: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]]

    @abstractmethod
    def read(self, path: str | Path) -> Iterator[Entry[R]]:
        """Yield the sentences of a file in order, one at a time.

        Args:
            path: a file, ``.gz`` or not, or ``-`` for standard input.

        Raises:
            TreebankError: if the file is missing or not in this format.
        """

    def before_file(self) -> "Format[R]":
        """Return a format that terminates the last sentence, for a file that another follows."""
        return self

    def read_words(self, path: str | Path) -> Iterator[Entry[R, Words | Omitted]]:
        """Yield the sentences of a file, like ``read``, without tags and trees."""
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
        """Make a writer that follows the conventions of the entries in ``like``."""


CommaPlace = Literal["paper", "better"]
"""As high as possible, or as high as possible without a new rule."""


class Derived(Protocol):
    """A treebank of derivations made by a format."""

    @property
    def text(self) -> str:
        """The content of a file of the derivations."""
        ...

    def as_dict(self) -> dict[str, Any]: ...

    def messages(self) -> Iterable[str]:
        """Return messages for the user."""
        ...


class DerivationFormat(Format[R]):
    """A format for derivations of a grammar.

    Attributes:
        grammar: its name in ``semipunct normalise --to`` and ``--commas``.
    """

    grammar: ClassVar[str]

    @abstractmethod
    def derive(self, files: Sequence[str | Path], **options: Any) -> Derived:
        """Convert phrases to derivations, or attach the commas of derivations.

        Args:
            **options: ``to`` and ``commas``, a grammar or None; ``rule``, a ``CommaPlace``; and
                ``quotes``, whether to keep quotation marks.
        """

    @abstractmethod
    def compare(self, parsed: str, tests: Sequence[str]) -> Any:
        """Compare a parser's derivations with a treebank (``pipelines.assessment.Assessment``)."""
