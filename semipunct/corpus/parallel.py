"""Parallel sentences: a sentence as written with one or more corrected versions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Generic, Literal

from typing_extensions import TypeVar

from semipunct.corpus.sentences import Sentence, Words, Written, unfillable
from semipunct.errors import TreebankError
from semipunct.marks import ABBREVIATION, Puncteme, spacing
from semipunct.wording import quantity

Alignment = Literal["words", "trees", "shared"]
"""Methods to align the slots of a corrected sentence with its source.

``words``: all words agree, ignoring case. ``trees``: only the number of words and their heads agree
(Li, Wang and Eisner 2019, section 6.2). ``shared``: slots are aligned if the words on both sides
agree and are adjacent in both sentences.
"""

Judged = tuple[Puncteme | None, ...]
"""``[n + 1]`` the corrected string of each slot of a source; None if unknown."""

S = TypeVar("S", bound=Sentence | Words, default=Sentence, covariant=True)


@dataclass(frozen=True, slots=True)
class ParallelSentence(Generic[S]):
    """A sentence as written, with corrected versions.

    Attributes:
        references: ``[references, n + 1]`` the punctuation of the versions at the slots of the
            source, without abbreviation dots.
    """

    source: S
    corrected: tuple[S, ...]
    references: tuple[Judged, ...]

    def target(self) -> S:
        """Return the source with the punctuation of the first reference, where it is known."""
        pairs = zip(self.source.slots, self.references[0], strict=True)
        slots = tuple(
            written if corrected is None else _dotted(written, corrected)
            for written, corrected in pairs
        )
        return replace(self.source, slots=slots)


def to_learn_from(pair: ParallelSentence[Sentence]) -> Sentence:
    """Return a source with corrected punctuation, and the original punctuation as ``written``."""
    return replace(pair.target(), written=Written(pair.source.slots))


def as_written(sentence: Sentence) -> Sentence:
    """Return a sentence with its punctuation as ``written``, to be corrected."""
    return replace(sentence, written=Written(sentence.slots))


def _dotted(written: Puncteme, corrected: Puncteme) -> Puncteme:
    return (*(token for token in written if token == ABBREVIATION), *corrected)


def align_versions(
    source: S, corrected: Sequence[S], alignment: Alignment = "words"
) -> ParallelSentence[S]:
    """Align corrected versions with a sentence, slot by slot.

    Raises:
        TreebankError: if words, or with ``trees`` heads, do not agree.
    """
    return ParallelSentence(
        source,
        tuple(corrected),
        tuple(_judged(source, version, alignment) for version in corrected),
    )


def _judged(source: Sentence | Words, corrected: Sentence | Words, alignment: Alignment) -> Judged:
    slots = spacing.visible(corrected.slots)
    if alignment == "shared":
        return _open(source, shared_slots(source.forms, corrected.forms, slots))
    problem = _disagreement(source, corrected, alignment)
    if problem:
        raise TreebankError(
            f"{source.where}: {problem} ({corrected.where}); give versions that differ in their "
            "punctuation, or align the words that both share"
        )
    return _open(source, slots)


def _open(source: Sentence | Words, judged: Sequence[Puncteme | None]) -> Judged:
    """Leave out corrections within orthographic words of the source."""
    closed = unfillable(source) if source.source == "text" else source.closed
    return tuple(None if i in closed else right for i, right in enumerate(judged))


def _disagreement(
    source: Sentence | Words, corrected: Sentence | Words, alignment: Alignment
) -> str | None:
    length, corrected_length = len(source.forms), len(corrected.forms)
    if alignment == "words":
        pairs = zip(source.forms, corrected.forms, strict=False)
        for number, (a, b) in enumerate(pairs, 1):
            if a.lower() != b.lower():
                return f"word {number} is {a!r}, and {b!r} in the corrected sentence"
    if length != corrected_length:
        longer = source if length > corrected_length else corrected
        number = min(length, corrected_length) + 1
        return (
            f"{quantity(length, 'word')}, and {corrected_length} in the corrected sentence; "
            f"word {number} of the longer one is {longer.forms[number - 1]!r}"
        )
    if alignment == "trees":
        if not (isinstance(source, Sentence) and isinstance(corrected, Sentence)):
            return "a sentence without a tree cannot be aligned by its tree"
        heads = zip(source.tree.heads, corrected.tree.heads, strict=True)
        for number, (a, b) in enumerate(heads, 1):
            if a != b:
                return f"the head of word {number} is {a}, and {b} in the corrected sentence"
    return None


def shared_slots(
    source: Sequence[str], corrected: Sequence[str], slots: Sequence[Puncteme]
) -> Judged:
    """Return the corrected string of each slot whose adjacent words are in both sentences.

    Words are aligned by longest common runs (``difflib``), ignoring case.
    """
    # Tuples, which equal no word, mark sentence ends.
    source_words, corrected_words = (
        [("first",), *map(str.lower, words), ("last",)] for words in (source, corrected)
    )
    judged: list[Puncteme | None] = [None] * (len(source) + 1)
    matcher = SequenceMatcher(None, source_words, corrected_words, autojunk=False)
    for first, place, size in matcher.get_matching_blocks():
        for step in range(size - 1):
            judged[first + step] = slots[place + step]
    return tuple(judged)
