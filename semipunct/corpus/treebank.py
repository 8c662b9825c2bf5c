"""Treebanks: the sentences read from files, omitted ones, and notes on reading."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, Never, TypeAlias, cast, overload

from typing_extensions import TypeVar

from semipunct.corpus.sentences import Named, Sentence, Words
from semipunct.errors import TreebankError
from semipunct.wording import quantity

Reason = Literal[
    "punctuation has dependents",
    "nothing but punctuation",
    "a malformed tree",
    "text outside of trees",
    "empty line",
    "not text",
]

REASONS: tuple[Reason, ...] = ("punctuation has dependents", "nothing but punctuation")

MALFORMED: Reason = "a malformed tree"

OUTSIDE: Reason = "text outside of trees"
"""The reason for omitting lines between the trees of a file."""

EMPTY: Reason = "empty line"

MARKUP: Reason = "not text"
"""The reason for omitting code, and lines outside of the cues of subtitles."""

# The universal tag and the relation of punctuation.
PUNCTUATION, RELATION = "PUNCT", "punct"

R = TypeVar("R", default=Any, covariant=True)


@dataclass(frozen=True, slots=True)
class Omitted(Named):
    """A sentence that models cannot process.

    Attributes:
        line: the first line, from 1.
        fault: file, line and problem, for text outside of trees and malformed trees.
    """

    reason: Reason
    sentence_id: str
    path: str
    line: int
    fault: str = ""


@dataclass(frozen=True, slots=True)
class ReadingNotes:
    """Counts of tokens, and of changes, in reading a sentence.

    Attributes:
        lifts: arcs lifted to make the tree projective.
        quotes_replaced: straight quotation marks converted to directional ones.
    """

    tokens: int = 0
    punctuation: int = 0
    lifts: int = 0
    quotes_replaced: int = 0
    quotes_straight: int = 0


C = TypeVar("C", default=Sentence | Words | Omitted, covariant=True)


@dataclass(frozen=True, slots=True)
class Entry(Generic[R, C]):
    """One sentence of a file.

    Attributes:
        content: the sentence, without a tree if it has none, or the reason for its omission.
        record: the data from which the format writes it.
        word_ids: ``[n]`` the number of each word in the file; empty for an omitted sentence.
    """

    content: C
    record: R
    word_ids: tuple[int, ...] = ()
    notes: ReadingNotes = ReadingNotes()


AnyEntry: TypeAlias = Entry[Any, Sentence | Omitted]

WordsEntry: TypeAlias = Entry[Any, Words | Omitted]


def with_tree(entry: Entry) -> AnyEntry:
    """Check that an entry has a tree."""
    if isinstance(entry.content, Words):
        raise TreebankError(f"{entry.content.where}: has no tree; parse it first (semipunct parse)")
    return cast(AnyEntry, entry)


@dataclass(frozen=True, slots=True, repr=False)
class Treebank(Sequence[Sentence]):
    """The sentences of files, with the omitted ones.

    Attributes:
        projectivised: the number of sentences with a non-projective arc.
    """

    sentences: tuple[Sentence, ...]
    omitted: tuple[Omitted, ...]
    projectivised: int = 0

    def __len__(self) -> int:
        return len(self.sentences)

    @overload
    def __getitem__(self, index: int) -> Sentence: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Sentence, ...]: ...
    def __getitem__(self, index: int | slice) -> Sentence | tuple[Sentence, ...]:
        return self.sentences[index]

    def __repr__(self) -> str:
        words = sum(len(sentence.forms) for sentence in self.sentences)
        return (
            f"<Treebank: {quantity(len(self.sentences), 'sentence')}, {quantity(words, 'word')}; "
            f"{quantity(len(self.omitted), 'sentence')} omitted, {self.projectivised:,} made "
            "projective>"
        )

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> "Treebank":
        """Collect the sentences of entries, without their records and without empty lines."""
        sentences: list[Sentence] = []
        omitted: list[Omitted] = []
        projectivised = 0
        for entry in entries:
            projectivised += entry.notes.lifts > 0
            content = with_tree(entry).content
            if isinstance(content, Sentence):
                sentences.append(content)
            elif content.reason != EMPTY:
                omitted.append(content)
        return cls(tuple(sentences), tuple(omitted), projectivised)

    def omitted_by_reason(self) -> dict[Reason, int]:
        """Count the omitted sentences by reason, including all of ``REASONS``."""
        counts = Counter[Reason](dict.fromkeys(REASONS, 0))
        counts.update(omitted.reason for omitted in self.omitted)
        return dict(counts)

    def first_faults(self) -> dict[Reason, str]:
        """Return the first fault, with file and line, for each reason that has faults."""
        faults: dict[Reason, str] = {}
        for omitted in self.omitted:
            if omitted.fault:
                faults.setdefault(omitted.reason, omitted.fault)
        return faults


S = TypeVar("S")
Result = TypeVar("Result", default=Any)

OmittedT = TypeVar("OmittedT", bound=Omitted, default=Never)
"""``Omitted`` if a call accepts omitted sentences; otherwise no type."""


def without_omitted(sentences: Sequence[S | Omitted]) -> list[S]:
    """Return the sentences that models can process."""
    return [s for s in sentences if not isinstance(s, Omitted)]


def with_omitted(
    sentences: Sequence[Sentence[Any] | Words | OmittedT], results: Sequence[Result]
) -> list[Result | OmittedT]:
    """Return one result for each sentence; an omitted sentence is its own result."""
    remaining = iter(results)
    places = [s if isinstance(s, Omitted) else next(remaining) for s in sentences]
    return cast(list[Result | OmittedT], places)
