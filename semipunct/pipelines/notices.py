"""Counts for messages after a run: omitted or split sentences, unseen values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from semipunct.corpus import Entry, Treebank
from semipunct.corpus.examples import Example
from semipunct.corpus.sentences import Sentence, Words
from semipunct.corpus.treebank import EMPTY, MARKUP, Omitted
from semipunct.errors import TreebankError
from semipunct.formats.parallel import Corrections
from semipunct.formats.reading import read_examples
from semipunct.pipelines import limits
from semipunct.wording import quantity

E = TypeVar("E", bound=Entry[Any, Any])

# The least number of words for a judgement of the language, and the share of unknown words from
# which a text seems to be in another language.
_JUDGED, _FOREIGN = 12, 0.4

_LISTED = 8  # the maximum number of unseen relations or tags in a message

_NOUNS = {"relation": "relations", "upos": "tags", "xpos": "language-specific tags"}


class UnseenValues:
    """Counts relations and tags unseen in training: valid, but uninformative."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._counts: dict[str, Counter[str]] = {}

    def count(self, sentences: Sequence[Sentence]) -> None:
        for attribute, counts in self._model.unseen(sentences).items():
            self._counts.setdefault(attribute, Counter()).update(counts)

    def messages(self) -> Iterator[str]:
        """Yield a message per attribute, with the number of words for each value."""
        for attribute, noun in _NOUNS.items():
            counts = self._counts.get(attribute)
            if not counts:
                continue
            listed = ", ".join(f"{value} ({n:,})" for value, n in counts.most_common(_LISTED))
            more = f" and {len(counts) - _LISTED:,} more" if len(counts) > _LISTED else ""
            yield (
                f"{quantity(counts.total(), 'word')} with {noun} that the model has never "
                f"seen: {listed}{more}"
            )


class ForeignWords:
    """Counts unknown words, which abound in a text of another language.

    A model of English knows nine in ten words of English text, but half of a Spanish one.
    """

    def __init__(self, vocabulary: Container[str]) -> None:
        self._vocabulary = vocabulary
        self._words = self._unknown = 0

    def watch(self, entries: Iterable[E]) -> Iterator[E]:
        """Count the words of entries while yielding them."""
        for entry in entries:
            if not isinstance(entry.content, Omitted):
                words = [form.lower() for form in entry.content.forms if form.isalpha()]
                self._words += len(words)
                self._unknown += sum(word not in self._vocabulary for word in words)
            yield entry

    def messages(self) -> Iterator[str]:
        if self._words >= _JUDGED and self._unknown >= _FOREIGN * self._words:
            yield (
                f"warning: the model does not know {self._unknown / self._words:.0%} of the "
                f"{quantity(self._words, 'word')}; is the text in another language? (semipunct "
                "models list shows the models that are installed)"
            )


class Omissions:
    """Counts omitted sentences by reason, without empty lines."""

    def __init__(self, outcome: str, *, keeps_markup: bool = True) -> None:
        self._outcome = outcome
        self._uncounted = {EMPTY, MARKUP} if keeps_markup else {EMPTY}
        self._counts: Counter[str] = Counter()
        self._faults: dict[str, str] = {}

    def count(self, content: Omitted) -> None:
        """Count a sentence that was omitted by its reader."""
        if content.reason not in self._uncounted:
            self.count_reason(content.reason)
            if content.fault:
                self._faults.setdefault(content.reason, content.fault)

    def count_reason(self, reason: str) -> None:
        self._counts[reason] += 1

    def messages(self) -> Iterator[str]:
        """Yield the count of each reason, with the first fault of malformed sentences."""
        for reason, number in self._counts.items():
            fault = f", first {self._faults[reason]}" if reason in self._faults else ""
            unit = "line" if reason == MARKUP else "sentence"
            yield f"{quantity(number, unit)} {self._outcome}: {reason}{fault}"


class LongSentences:
    """Counts sentences that are parsed in pieces because of their length."""

    def __init__(self) -> None:
        self._count = 0

    def count(self, sentences: Sequence[Sentence[Any] | Words]) -> None:
        self._count += sum(len(s.forms) > limits.PARSED for s in sentences)

    def messages(self) -> Iterator[str]:
        if self._count:
            yield (
                f"{quantity(self._count, 'sentence')} of more than {limits.PARSED:,} words "
                "parsed in pieces, attached to the root of the first piece"
            )


def read_usable_examples(examples: str, paths: Sequence[str], unit: str) -> Sequence[Example]:
    """Read files with at least one usable example for training or evaluation."""
    usable = read_examples(examples, paths)
    check_any(usable, paths, unit)
    return usable


def check_any(examples: Sequence[Any], paths: Sequence[str], unit: str) -> None:
    """Raise an error unless a usable example was read."""
    if not examples:
        omitted = omissions(examples)
        raise TreebankError(
            f"{', '.join(paths)}: no usable {unit}{f' ({omitted})' if omitted else ''}; "
            "give a treebank or text with words in it"
        )


def omissions(examples: Sequence[Any]) -> str:
    """Describe how many sentences were omitted, and why; empty if none were."""
    if isinstance(examples, Corrections) and examples.omitted:
        first = examples.omitted[0]
        return f"{quantity(len(examples.omitted), 'sentence')} omitted, first {first}"
    if not isinstance(examples, Treebank):
        return ""
    reasons = {reason: n for reason, n in examples.omitted_by_reason().items() if n}
    if not reasons:
        return ""
    faults = examples.first_faults()
    listed = ", ".join(
        f"{n:,} with {reason}" + (f" (first {faults[reason]})" if reason in faults else "")
        for reason, n in reasons.items()
    )
    return f"{quantity(len(examples.omitted), 'sentence')} omitted: {listed}"
