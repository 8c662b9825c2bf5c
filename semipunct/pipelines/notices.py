"""Counts that users are told of after a run: sentences left out or cut, values never seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from semipunct.corpus import Entry, Treebank
from semipunct.corpus.examples import Example
from semipunct.corpus.sentences import Sentence, Words
from semipunct.corpus.treebank import EMPTY, MARKUP, Omitted
from semipunct.errors import TreebankError
from semipunct.formats import read_treebank
from semipunct.formats.parallel import Corrections
from semipunct.formats.reading import read_examples
from semipunct.pipelines import limits
from semipunct.wording import quantity

E = TypeVar("E", bound=Entry[Any, Any])

_JUDGED, _FOREIGN = 12, 0.4
"""The least number of words of which the language is judged, and the share of unknown ones from
which it seems to be another."""

_LISTED = 8  # the maximum number of unseen relations or tags in a message

_NOUNS = {"relation": "relations", "upos": "tags", "xpos": "language-specific tags"}


class HasVocabulary(Protocol):
    """A model that counts the relations and tags that did not occur in its training data."""

    def unseen(self, sentences: Sequence[Sentence]) -> Any:
        """Return counters of values by attribute, as ``models.base.Model.unseen`` does."""
        ...


class UnseenValues:
    """Counts relations and tags that a model has never seen: they are valid, but uninformative."""

    def __init__(self, model: HasVocabulary) -> None:
        """Begin without counts, for a model."""
        self._model = model
        self._counts: dict[str, Counter[str]] = {}

    def count(self, sentences: Sequence[Sentence]) -> None:
        """Add the counts of some sentences."""
        for attribute, counts in self._model.unseen(sentences).items():
            self._counts.setdefault(attribute, Counter()).update(counts)

    def messages(self) -> Iterator[str]:
        """Yield a message for each attribute, with the number of words that have each value."""
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
    """Counts words that a model does not know, which are many in a text of another language.

    A model of English knows nine in ten words of any English text, but half of a Spanish
    one, and fewer of more distant languages.
    """

    def __init__(self, vocabulary: Container[str]) -> None:
        """Begin without counts."""
        self._vocabulary = vocabulary
        self._counts = np.zeros(2, np.int64)

    def watch(self, entries: Iterable[E]) -> Iterator[E]:
        """Yield entries, and count their words."""
        for entry in entries:
            if not isinstance(entry.content, Omitted):
                known = [
                    form.lower() in self._vocabulary
                    for form in entry.content.forms
                    if form.isalpha()
                ]
                self._counts += len(known), len(known) - sum(known)
            yield entry

    def messages(self) -> Iterator[str]:
        """Yield a warning if the text seems to be in another language."""
        words, unknown = self._counts.tolist()
        if words >= _JUDGED and unknown >= _FOREIGN * words:
            yield (
                f"warning: the model does not know {unknown / words:.0%} of the "
                f"{quantity(words, 'word')}; is the text in another language? (semipunct models "
                "list shows the models that are installed)"
            )


class Omissions:
    """Counts sentences that cannot be processed, by reason; empty lines are none."""

    def __init__(self, outcome: str, *, keeps_markup: bool = True) -> None:
        """Begin without counts."""
        self._outcome = outcome
        self._uncounted = {EMPTY, MARKUP} if keeps_markup else {EMPTY}
        self._counts: Counter[str] = Counter()
        self._faults: dict[str, str] = {}

    def count(self, content: Omitted) -> None:
        """Add a sentence that was omitted when it was read."""
        if content.reason not in self._uncounted:
            self.count_reason(content.reason)
            if content.fault:
                self._faults.setdefault(content.reason, content.fault)

    def count_reason(self, reason: str) -> None:
        """Add a sentence for another reason."""
        self._counts[reason] += 1

    def messages(self) -> Iterator[str]:
        """Yield the number for each reason, with the first fault of malformed sentences."""
        for reason, number in self._counts.items():
            fault = f", first {self._faults[reason]}" if reason in self._faults else ""
            unit = "line" if reason == MARKUP else "sentence"
            yield f"{quantity(number, unit)} {self._outcome}: {reason}{fault}"


class LongSentences:
    """Counts sentences that are too long to be parsed as a whole."""

    def __init__(self) -> None:
        """Begin with a count of zero."""
        self._count = 0

    def count(self, sentences: Sequence[Sentence[Any] | Words]) -> None:
        """Add the count of some sentences."""
        self._count += sum(len(s.forms) > limits.PARSED for s in sentences)

    def messages(self) -> Iterator[str]:
        """Yield their number, if there are any."""
        if self._count:
            yield (
                f"{quantity(self._count, 'sentence')} of more than {limits.PARSED:,} words "
                "parsed in pieces, attached to the root of the first piece"
            )


def read_usable(paths: Sequence[str]) -> Treebank:
    """Read treebanks of which at least one sentence can be used."""
    treebank = read_treebank(paths)
    check_any(treebank, paths, "sentence")
    return treebank


def read_usable_examples(examples: str, paths: Sequence[str], unit: str) -> Sequence[Example]:
    """Read files of which at least one example can be used to train or assess a model."""
    usable = read_examples(examples, paths)
    check_any(usable, paths, unit)
    return usable


def check_any(examples: Sequence[Any], paths: Sequence[str], unit: str) -> None:
    """Check that something usable was read."""
    if not examples:
        omitted = omissions(examples)
        raise TreebankError(
            f"{', '.join(paths)}: no usable {unit}{f' ({omitted})' if omitted else ''}; "
            "give a treebank or text with words in it"
        )


def omissions(examples: Sequence[Any]) -> str:
    """Return how many sentences were left out, and why; empty if none, or for other examples."""
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
