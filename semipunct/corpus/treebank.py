"""Treebanks: the sentences read from files, omitted ones, and notes on reading."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, Never, TypeAlias, cast, overload

from typing_extensions import TypeVar

from semipunct.corpus.sentences import Sentence, Words
from semipunct.errors import TreebankError
from semipunct.wording import quantity

Reason = Literal[
    "punctuation has dependents",
    "nothing but punctuation",
    "a malformed tree",
    "text outside of trees",
    "empty line",
    "not text",
    "not the words of a segment",
]

REASONS: tuple[Reason, ...] = ("punctuation has dependents", "nothing but punctuation")
"""The reasons why well-formed sentences of treebanks are omitted."""

MALFORMED: Reason = "a malformed tree"
"""The reason why a sentence is omitted whose tree cannot be read."""

OUTSIDE: Reason = "text outside of trees"
"""The reason why lines of a file of trees are omitted that are not part of a tree."""

EMPTY: Reason = "empty line"
"""The reason why a line of text without words or marks is omitted."""

MARKUP: Reason = "not text"
"""The reason why a line of subtitles is omitted that is not the text of a cue."""

PUNCTUATION = "PUNCT"
"""The universal tag of punctuation."""

R = TypeVar("R", default=Any, covariant=True)


@dataclass(frozen=True, slots=True)
class Omitted:
    """A sentence that models cannot process.

    Attributes:
        reason: the reason.
        sentence_id: its name in the file.
        path: the file.
        line: its first line there, from 1.
        fault: for a malformed tree or text outside of trees, file, line and what was found there.
    """

    reason: Reason
    sentence_id: str
    path: str
    line: int
    fault: str = ""


@dataclass(frozen=True, slots=True)
class ReadingNotes:
    """Notes on reading a sentence: counts of tokens and of changes.

    Attributes:
        tokens: words and punctuation of the sentence.
        punctuation: punctuation tokens among these.
        lifts: arcs lifted to make the tree projective.
        quotes_replaced: straight quotation marks converted to directional ones.
        quotes_straight: straight quotation marks left unchanged.
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
        content: the sentence as models see it, without a tree if it has none, or the reason for its
            omission.
        record: the data from which its format writes it; used only by that format.
        word_ids: ``[n]`` the number of each word in the file; empty for an omitted sentence.
        notes: notes on reading the sentence.
    """

    content: C
    record: R
    word_ids: tuple[int, ...] = ()
    notes: ReadingNotes = ReadingNotes()


AnyEntry: TypeAlias = Entry[Any, Sentence | Omitted]
"""An entry of a file of trees in any format."""

WordsEntry: TypeAlias = Entry[Any, Words | Omitted]
"""An entry for which only words are needed."""


def with_tree(entry: Entry) -> AnyEntry:
    """Return an entry after checking that it has a tree.

    Raises:
        TreebankError: if it has no tree.
    """
    if isinstance(entry.content, Words):
        raise TreebankError(f"{entry.content.where}: has no tree; parse it first (semipunct parse)")
    return cast(AnyEntry, entry)


@dataclass(frozen=True, slots=True, repr=False)
class Treebank(Sequence[Sentence]):
    """A sequence of the sentences of files, with the list of omitted ones.

    Attributes:
        sentences: the sentences that models can process.
        omitted: the other sentences.
        projectivised: the number of sentences with a non-projective arc.
    """

    sentences: tuple[Sentence, ...]
    omitted: tuple[Omitted, ...]
    projectivised: int = 0

    def __len__(self) -> int:
        """Return the number of sentences that models can process."""
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
        """Collect the sentences of entries, without their records and without empty lines.

        Raises:
            TreebankError: for a sentence without a tree.
        """
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
        """Count the omitted sentences.

        Every reason of ``REASONS`` is a key, and others for which sentences were omitted.
        """
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
"""``Omitted`` where the sentences of a call may be omitted ones, otherwise no type at all, so that
results for sentences alone are results alone."""


def without_omitted(sentences: Sequence[S | Omitted]) -> list[S]:
    """Return the sentences that models can process.

    Args:
        sentences: the contents of entries.
    """
    return [s for s in sentences if not isinstance(s, Omitted)]


def with_omitted(
    sentences: Sequence[Sentence[Any] | Words | OmittedT], results: Sequence[Result]
) -> list[Result | OmittedT]:
    """Return one result for each sentence; an omitted sentence stands for itself.

    Args:
        sentences: the contents of entries.
        results: the results for the sentences that are not omitted, in order.
    """
    remaining = iter(results)
    places = [s if isinstance(s, Omitted) else next(remaining) for s in sentences]
    return cast(list[Result | OmittedT], places)
