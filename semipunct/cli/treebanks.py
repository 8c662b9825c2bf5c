"""Reading of treebanks for commands, and messages about sentences that models cannot process."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from semipunct.cli import console
from semipunct.errors import TreebankError
from semipunct.tasks import limits
from semipunct.wording import quantity

if TYPE_CHECKING:
    from semipunct.corpus import Entry, Omitted, Sentence, Treebank, Words
    from semipunct.corpus.examples import Example
    from semipunct.models.base import Model
    from semipunct.models.kind import Kind

T = TypeVar("T")

_LISTED = 8  # the maximum number of unseen relations or tags in a message


def usable(paths: Sequence[str]) -> "Treebank":
    """Read treebanks of which at least one sentence can be used.

    Raises:
        TreebankError: if none is left, and as ``formats.read_treebank`` does.
    """
    from semipunct.formats import read_treebank

    treebank = read_treebank(paths)
    check_any(treebank, paths, "sentence")
    return treebank


def examples(kind: "Kind", paths: Sequence[str]) -> "Sequence[Example]":
    """Read files of which at least one example can be used to train a kind of model.

    Args:
        kind: of model.
        paths: the files.

    Raises:
        TreebankError: if none is left, or a file is missing or damaged.
    """
    from semipunct.formats.examples import read_examples

    found = read_examples(kind.examples, paths)
    check_any(found, paths, kind.unit)
    return found


def check_any(found: "Sequence[Any]", paths: Sequence[str], unit: str) -> None:
    """Check that something usable was read.

    Args:
        found: what was read.
        paths: the files.
        unit: the word for one element.

    Raises:
        TreebankError: if nothing was; it says what was omitted.
    """
    if not found:
        told = omissions(found)
        raise TreebankError(
            f"{', '.join(paths)}: no usable {unit}{f' ({told})' if told else ''}; "
            "give a treebank or text with words in it"
        )


class Unseen:
    """Counts relations and tags that a model has never seen: they are valid, but uninformative."""

    def __init__(self, model: "Model[Any, Any, Any]") -> None:
        """Begin without counts, for a model."""
        self._model = model
        self._counts: dict[str, Counter[str]] = {}

    def look_at(self, sentences: "Sequence[Sentence]") -> None:
        """Add the counts of some sentences."""
        for kind, counts in self._model.unseen(sentences).items():
            self._counts.setdefault(kind, Counter()).update(counts)

    def say(self) -> None:
        """Print them, with the number of words that have each."""
        kinds = {"relation": "relations", "upos": "tags", "xpos": "language-specific tags"}
        for kind, name in kinds.items():
            counts = self._counts.get(kind)
            if not counts:
                continue
            listed = ", ".join(f"{value} ({n:,})" for value, n in counts.most_common(_LISTED))
            more = f" and {len(counts) - _LISTED:,} more" if len(counts) > _LISTED else ""
            console.say(
                f"{quantity(counts.total(), 'word')} with {name} that the model has never "
                f"seen: {listed}{more}"
            )


class LeftOut:
    """Counts sentences that cannot be processed, by reason; empty lines are not sentences."""

    def __init__(self, outcome: str) -> None:
        """Begin without counts.

        Args:
            outcome: what becomes of such sentences, for the messages.
        """
        self._outcome = outcome
        self._counts: Counter[str] = Counter()
        self._faults: dict[str, str] = {}

    def count(self, content: "Omitted") -> None:
        """Add a sentence that was omitted when it was read."""
        from semipunct.corpus.treebank import EMPTY

        if content.reason != EMPTY:
            self.count_reason(content.reason)
            if content.fault:
                self._faults.setdefault(content.reason, content.fault)

    def counted(
        self, outcomes: "Iterable[tuple[Entry[Any], T]]"
    ) -> "Iterator[tuple[Entry[Any], T]]":
        """Yield entries and what was restored, and count those that were omitted."""
        from semipunct.corpus import Omitted

        for entry, found in outcomes:
            if isinstance(entry.content, Omitted):
                self.count(entry.content)
            yield entry, found

    def count_reason(self, reason: str) -> None:
        """Add a sentence for another reason."""
        self._counts[reason] += 1

    def say(self) -> None:
        """Print their numbers, with the first fault of those that are not well-formed."""
        for reason, number in self._counts.items():
            first = f", first {self._faults[reason]}" if reason in self._faults else ""
            console.say(f"{quantity(number, 'sentence')} {self._outcome}: {reason}{first}")


class InPieces:
    """Counts sentences that are too long to be parsed as a whole."""

    def __init__(self) -> None:
        """Begin with a count of zero."""
        self._count = 0

    def look_at(self, sentences: "Sequence[Sentence | Words]") -> None:
        """Add the count of some sentences."""
        self._count += sum(len(s.forms) > limits.PARSED for s in sentences)

    def say(self) -> None:
        """Print their number, if there are any."""
        if self._count:
            console.say(
                f"{quantity(self._count, 'sentence')} of more than {limits.PARSED:,} words "
                "parsed in pieces, attached to the root of the first piece"
            )


def tell_unseen(model: "Model[Any, Any, Any]", sentences: "Sequence[Sentence]") -> None:
    """Print the relations and tags of sentences that a model has never seen.

    Args:
        model: a model with the relations and tags of its training data.
        sentences: all sentences of the input.
    """
    unseen = Unseen(model)
    unseen.look_at(sentences)
    unseen.say()


def in_chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of consecutive items, to limit the number of items in memory.

    Args:
        items: to divide.
        size: of every list but the last.
    """
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk


FOREIGN = 0.5
"""The share of unknown words from which a development text seems to be in another language."""


def tell_unknown_words(training: "Sequence[Any]", development: "Sequence[Any]") -> None:
    """Print which texts for development have hardly any words of the training text.

    Args:
        training: the training examples; nothing is printed unless they are passages of text.
        development: the development examples.
    """
    from semipunct.corpus.word_streams import TextPassages, unknown_shares

    if not (isinstance(training, TextPassages) and isinstance(development, TextPassages)):
        return
    shares = unknown_shares(training.streams, development.streams)
    for stream, share in zip(development.streams, shares, strict=True):
        if share >= FOREIGN:
            console.say(
                f"warning: {stream.path}: {share:.0%} of its {len(stream):,} words do not occur in "
                "the training text; is it in another language?"
            )


def omissions(treebank: "Sequence[Any]") -> str:
    """Return how many sentences were left out, and why; empty if none, or for other examples."""
    from semipunct.corpus import Treebank
    from semipunct.formats.parallel import Corrections

    if isinstance(treebank, Corrections) and treebank.omitted:
        first = treebank.omitted[0]
        return f"{quantity(len(treebank.omitted), 'sentence')} omitted, first {first}"
    if not isinstance(treebank, Treebank):
        return ""
    reasons = {reason: n for reason, n in treebank.omitted_by_reason().items() if n}
    if not reasons:
        return ""
    faults = treebank.first_faults()
    told = ", ".join(
        f"{n:,} with {reason}" + (f" (first {faults[reason]})" if reason in faults else "")
        for reason, n in reasons.items()
    )
    return f"{quantity(len(treebank.omitted), 'sentence')} omitted: {told}"
