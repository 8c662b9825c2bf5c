"""Trigrams of words and commas: counts, and the table entries that score the steps of a chain.

The string of a sentence consists of its words with the commas between them, followed by END. Each
symbol is predicted from the two preceding symbols and the constituents that end at its slot: for a
comma, the slot that contains it; for a word, the slot before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from semipunct.corpus.sentences import Sentence, dotted_forms
from semipunct.papers.commas.katz import Katz
from semipunct.papers.commas.options import CommaOptions
from semipunct.papers.commas.trees import PhraseTree, constituent_counts

Ints = npt.NDArray[np.int64]

MARK = ","

COMMA, END, START, UNKNOWN = range(4)
"""Special symbols of words and of parts of speech; the known values follow."""

QUERIES = 6
"""The queries at each position i, where word i stands between slots i - 1 and i: the log
probabilities of word i after words i - 2 and i - 1, after word i - 1 and a comma, and after a comma
and word i - 1; and of a comma after words i - 1 and i, after a comma and word i, and after word i
and a comma. Position 0 is START, and END follows the last word."""

WORD, AFTER_COMMA, AFTER_COMMA_WORD, COMMA_NEXT, COMMA_AGAIN, COMMA_TWICE = range(QUERIES)


class Symbols(msgspec.Struct, frozen=True):
    """The known values of a stream: value i has the symbol i + 4."""

    words: tuple[str, ...]
    tags: tuple[str, ...]

    @classmethod
    def of(cls, sentences: Sequence[Sentence[PhraseTree]], minimum: int) -> Symbols:
        """Collect the words and tags of training sentences.

        Args:
            sentences: training sentences.
            minimum: minimum count of a word.
        """
        words = Counter(form for s in sentences for form in dotted_forms(s))
        tags = {tag for s in sentences for tag in s.tree.tags}
        return cls(tuple(sorted(w for w, n in words.items() if n >= minimum)), tuple(sorted(tags)))

    def streams(self, sentences: Sequence[Sentence[PhraseTree]]) -> dict[str, list[Ints]]:
        """Return for each sentence ``[n + 3]`` symbols: START twice, its words or tags, END."""
        streams: dict[str, list[Ints]] = {}
        for stream, values in (("words", self.words), ("tags", self.tags)):
            number = {value: i for i, value in enumerate(values, UNKNOWN + 1)}
            streams[stream] = [
                np.array(
                    [START, START, *(number.get(v, UNKNOWN) for v in _values(s, stream)), END],
                    np.int64,
                )
                for s in sentences
            ]
        return streams


def _values(sentence: Sentence[PhraseTree], stream: str) -> Sequence[str]:
    return dotted_forms(sentence) if stream == "words" else sentence.tree.tags


class Component(NamedTuple):
    """One of the back-off models whose probabilities are multiplied.

    Attributes:
        name: name of its counts.
        stream: the stream whose symbols it predicts.
        context: the elements of its context, the most important first: the last symbol (1), the one
            before it (2), the constituents that end (0).
    """

    name: str
    stream: Literal["words", "tags"]
    context: tuple[int, ...]


def components(options: CommaOptions) -> tuple[Component, ...]:
    """List the back-off models of a configuration.

    With ``ends="counts"``, p(y | y' y'' e) is p(y | y' y'') p(y | y' e) / p(y); the divisor is the
    probability of y under the first model without a context.

    Args:
        options: options of the model.
    """
    if not options.ngrams:
        return ()
    listed = [Component("words", "words", (0, 1, 2) if options.ends == "bit" else (1, 2))]
    if options.ends == "counts":
        listed.append(Component("ends", "words", (1, 0)))
    if options.tags:
        listed.append(Component("tags", "tags", (1, 2)))
    return tuple(listed)


@dataclass(frozen=True, eq=False)
class Trigrams:
    """The counts of all components.

    Attributes:
        options: the options, which determine the components.
        symbols: known words and tags.
        counts: the counts of each component by its name.
    """

    options: CommaOptions
    symbols: Symbols
    counts: dict[str, Katz]

    @classmethod
    def of(cls, sentences: Sequence[Sentence[PhraseTree]], options: CommaOptions) -> Trigrams:
        """Count the n-grams of training sentences.

        Args:
            sentences: sentences with commas in their slots.
            options: options of the model.
        """
        symbols = Symbols.of(sentences, options.minimum_word_count)
        streams = symbols.streams(sentences)
        ends = ended_constituents(sentences, options)
        counts: dict[str, Katz] = {}
        for component in components(options):
            events = [
                _events(string, has_comma(s), e)
                for string, s, e in zip(streams[component.stream], sentences, ends, strict=True)
            ]
            table = np.concatenate(events)  # outcome, ends, the last symbol, the one before it
            codes = len(getattr(symbols, component.stream)) + UNKNOWN + 1
            base = max(codes, int(table[:, 1].max()) + 1)
            possible = np.setdiff1d(np.arange(codes), [START])
            contexts = table[:, [1 + part for part in component.context]]
            counts[component.name] = Katz.of(contexts, table[:, 0], base, possible)
        return cls(options, symbols, counts)

    def table(self) -> npt.NDArray[np.float32]:
        """Return the log weights from counts: the concatenated tables of all components."""
        tables = [model.table() for model in self.counts.values()]
        return np.concatenate([*tables, np.zeros(0)]).astype(np.float32)

    def terms(self, sentences: Sequence[Sentence[PhraseTree]]) -> list[npt.NDArray[np.int32]]:
        """Find the table entries whose sums answer the queries.

        Args:
            sentences: the sentences to score.

        Returns:
            For each sentence ``[n + 2, QUERIES, terms]``: i + 1 for entry i of ``table``, which has
            ``w`` entries, w + i + 1 for its negative, 0 for none.
        """
        streams = self.symbols.streams(sentences)
        ends = ended_constituents(sentences, self.options)
        lengths = [s.size + 2 for s in sentences]
        total = sum(model.size for model in self.counts.values())
        columns: list[Ints] = [np.zeros((sum(lengths) * QUERIES, 0), np.int64)]
        offset = 0
        for component in components(self.options):
            queries = [
                _queries(string, e)
                for string, e in zip(streams[component.stream], ends, strict=True)
            ]
            rows = np.concatenate(queries)
            model = self.counts[component.name]
            # Counts of ends larger than those in training all become the same unseen context.
            rows[:, 1] = np.minimum(rows[:, 1], model.base - 1)
            contexts = rows[:, [1 + part for part in component.context]]
            entries = model.entries(contexts, rows[:, 0])
            columns.append(np.where(entries >= 0, entries + offset + 1, 0))
            if component.name == "words" and self.options.ends == "counts":
                alone = np.searchsorted(model.keys[0], rows[:, 0])  # without a context
                columns.append(alone[:, None] + total + offset + 1)
            offset += model.size
        whole = np.concatenate(columns, 1).reshape(sum(lengths), QUERIES, -1).astype(np.int32)
        return np.split(whole, np.cumsum(lengths)[:-1])


def has_comma(sentence: Sentence[Any]) -> npt.NDArray[np.bool_]:
    """Tell for each slot whether it contains a comma, ``[n + 1]``."""
    return np.array([MARK in slot for slot in sentence.slots])


def ended_constituents(
    sentences: Sequence[Sentence[PhraseTree]], options: CommaOptions
) -> list[Ints]:
    """Return the information on the constituents that end at each slot, ``[n + 1]``.

    Args:
        sentences: sentences with their phrases.
        options: options of the model.
    """
    if options.ends == "none":
        return [np.zeros(s.size + 1, np.int64) for s in sentences]
    counts = [np.array(constituent_counts(s.tree)[1], np.int64) for s in sentences]
    if options.ends == "bit":
        return [(count >= options.threshold).astype(np.int64) for count in counts]
    return counts


def _events(string: Ints, commas: npt.NDArray[np.bool_], ends: Ints) -> Ints:
    """List the events of a string with commas: outcome, ends, and the two preceding symbols.

    Args:
        string: ``[n + 3]`` from ``Symbols.streams``.
        commas: ``[n + 1]``.
        ends: ``[n + 1]``.
    """
    rows: list[tuple[int, int, int, int]] = []
    last = before = START
    for slot, symbol in enumerate(string[2:].tolist()):
        end = int(ends[slot])
        for outcome in (COMMA, symbol) if commas[slot] else (symbol,):
            rows.append((outcome, end, last, before))
            last, before = outcome, last
    return np.array(rows, np.int64)


def _queries(string: Ints, ends: Ints) -> Ints:
    """List the queries of all positions in the format of ``_events``, ``[(n + 2) * QUERIES, 4]``.

    The answers for START as an outcome, and for a comma after END, are not used.
    """
    last, previous = string[1:], string[:-1]
    older = np.concatenate([[START], string[:-2]])
    outcome = np.where(last == START, END, last)  # START is never an outcome
    at, arrived = np.append(ends, 0), np.concatenate([[0], ends])
    comma = np.full_like(outcome, COMMA)
    rows = np.empty((len(outcome), QUERIES, 4), np.int64)
    rows[:, WORD] = np.stack([outcome, arrived, previous, older], 1)
    rows[:, AFTER_COMMA] = np.stack([outcome, arrived, comma, previous], 1)
    rows[:, AFTER_COMMA_WORD] = np.stack([outcome, arrived, previous, comma], 1)
    rows[:, COMMA_NEXT] = np.stack([comma, at, last, previous], 1)
    rows[:, COMMA_AGAIN] = np.stack([comma, at, last, comma], 1)
    rows[:, COMMA_TWICE] = np.stack([comma, at, comma, last], 1)
    return rows.reshape(-1, 4)
