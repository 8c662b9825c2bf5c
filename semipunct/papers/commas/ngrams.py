"""Trigrams of words and commas with Katz smoothing.

Each symbol of a sentence is predicted from the two preceding symbols and the constituents that end
at its slot (for a word, the slot before it).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from semipunct.corpus.sentences import Sentence, dotted_forms
from semipunct.errors import UsageError
from semipunct.papers.commas.options import CommaOptions
from semipunct.papers.commas.trees import PhraseTree, constituent_counts
from semipunct.wording import quantity

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

CUTOFF = 7
"""Larger counts are not discounted (5 in Katz 1987, section 2; 7 in the CMU toolkit)."""

_NOTHING = 1e-9


@dataclass(frozen=True, eq=False)
class Katz:
    """Counts of outcomes after contexts of up to ``order`` symbols, for Katz back-off.

    Attributes:
        base: number of symbols.
        keys: for each context length from 0, ascending n-grams, as numbers in base ``base`` with
            the digits of the context and the outcome.
        counts: counts of the n-grams.
    """

    base: int
    keys: tuple[Ints, ...]
    counts: tuple[Ints, ...]

    def __post_init__(self) -> None:
        if not self.keys or len(self.keys) != len(self.counts) or self.base < 1:
            raise ValueError("there are no n-grams, or some have no counts")
        for order, (keys, counts) in enumerate(zip(self.keys, self.counts, strict=True)):
            sound = keys.ndim == 1 and keys.shape == counts.shape and len(keys) > 0
            sound = sound and keys.dtype == counts.dtype == np.int64
            if not sound or (np.diff(keys) <= 0).any() or keys[0] < 0 or (counts < 1).any():
                raise ValueError(
                    f"n-grams after {quantity(order, 'part')} are not in order, or lack counts"
                )
            if order and (_places(self.keys[order - 1], self._shorter(keys)) < 0).any():
                raise ValueError(
                    f"n-grams after {quantity(order, 'part')} have ends that are not n-grams"
                )

    @classmethod
    def of(cls, contexts: Any, outcomes: Any, base: int, possible: Any) -> Katz:
        """Count outcomes ``[events]`` after contexts ``[events, order]``, in order of importance.

        Possible outcomes without an event get a count of one.
        """
        contexts, outcomes = np.asarray(contexts, np.int64), np.asarray(outcomes, np.int64)
        order = contexts.shape[1]
        if base ** (order + 1) >= 2**63:
            raise UsageError(
                f"{base:,} symbols are too many for contexts of {quantity(order, 'part')}; raise "
                "the minimum count of frequent words"
            )
        possible = np.asarray(possible, np.int64)
        unseen = np.setdiff1d(possible, outcomes)
        counted = [np.unique(np.concatenate([outcomes, unseen]), return_counts=True)]
        for parts in range(1, order + 1):
            keys = _folded(contexts[:, :parts], base) * base + outcomes
            counted.append(np.unique(keys, return_counts=True))
        return cls(
            base,
            tuple(keys.astype(np.int64) for keys, _ in counted),
            tuple(counts.astype(np.int64) for _, counts in counted),
        )

    @property
    def order(self) -> int:
        return len(self.keys) - 1

    @property
    def size(self) -> int:
        return sum(map(len, (*self.keys, *self.contexts)))

    @cached_property
    def contexts(self) -> tuple[Ints, ...]:
        return tuple(np.unique(keys // self.base) for keys in self.keys[1:])

    @cached_property
    def _offsets(self) -> tuple[int, ...]:
        """Offsets of the log probabilities of each order, then of the log back-off weights."""
        sizes = list(map(len, (*self.keys, *self.contexts)))
        return tuple(sum(sizes[:i]) for i in range(len(sizes)))

    def table(self) -> Floats:
        """Compute the log probabilities and the log back-off weights, ``[size]``."""
        lower = self.counts[0] / self.counts[0].sum()
        probabilities, backoffs = [np.log(lower)], []
        for order in range(1, self.order + 1):
            keys, counts = self.keys[order], self.counts[order]
            group = _places(self.contexts[order - 1], keys // self.base)
            total = np.bincount(group, counts)
            discounted = _discounts(counts)[counts] * counts / total[group]
            left = 1 - np.bincount(group, discounted)
            # If all counts are large, no mass is left for backing off: count one more event.
            full = left < _NOTHING
            discounted = np.where(full[group], counts / (total[group] + 1), discounted)
            left = np.where(full, 1 / (total + 1), left)
            below = lower[_places(self.keys[order - 1], self._shorter(keys))]
            backoff_mass = 1 - np.bincount(group, below)
            # If all outcomes were seen, there is nothing to back off to.
            whole = backoff_mass < _NOTHING
            discounted = np.where(whole[group], discounted / (1 - left)[group], discounted)
            backoffs.append(np.log(np.where(whole, 1.0, left / np.where(whole, 1.0, backoff_mass))))
            probabilities.append(np.log(discounted))
            lower = discounted
        return np.concatenate([*probabilities, *backoffs])

    def entries(self, contexts: Any, outcomes: Any) -> Ints:
        """Find the table entries, ``[queries, order + 1]`` or -1, that sum to log probabilities."""
        contexts, outcomes = np.asarray(contexts, np.int64), np.asarray(outcomes, np.int64)
        places = np.full((len(outcomes), self.order + 1), -1, np.int64)
        open_ = np.ones(len(outcomes), bool)
        for order in range(self.order, -1, -1):
            context = _folded(contexts[:, :order], self.base)
            place = _places(self.keys[order], context * self.base + outcomes)
            is_here = open_ & (place >= 0)
            places[is_here, 0] = self._offsets[order] + place[is_here]
            open_ &= ~is_here
            if order:
                place = _places(self.contexts[order - 1], context)
                passed = open_ & (place >= 0)
                places[passed, order] = self._offsets[self.order + order] + place[passed]
        return places

    def to_data(self) -> dict[str, Any]:
        arrays = {f"keys{i}": keys for i, keys in enumerate(self.keys)}
        return {"base": self.base, **arrays, **{f"counts{i}": c for i, c in enumerate(self.counts)}}

    @classmethod
    def from_data(cls, data: Any) -> Katz:
        orders = sum(name.startswith("keys") for name in data)
        names = [[f"{part}{i}" for i in range(orders)] for part in ("keys", "counts")]
        keys, counts = (tuple(np.asarray(data[name]) for name in part) for part in names)
        return cls(int(data["base"]), keys, counts)

    def _shorter(self, keys: Ints) -> Ints:
        return keys // self.base // self.base * self.base + keys % self.base


def _discounts(counts: Ints) -> Floats:
    """Return the Good-Turing or absolute (Ney, Essen and Kneser 1994) discount of each count."""
    largest = int(counts.max())
    of = np.bincount(counts, minlength=CUTOFF + 2).astype(np.float64)
    for cutoff in range(CUTOFF, 0, -1):
        r = np.arange(1, cutoff + 1)
        if (of[1 : cutoff + 2] == 0).any():
            continue
        common = (cutoff + 1) * of[cutoff + 1] / of[1]
        if common >= 1:
            continue
        ratio = ((r + 1) * of[r + 1] / (r * of[r]) - common) / (1 - common)
        if (ratio > 0).all() and (ratio <= 1).all():
            discounts = np.ones(max(largest, cutoff) + 1)
            discounts[r] = ratio
            return discounts
    discount = of[1] / (of[1] + 2 * of[2]) if of[1] and of[2] else 0.5
    return np.append(1.0, 1 - discount / np.arange(1, largest + 1))


def _folded(parts: Ints, base: int) -> Ints:
    numbers = np.zeros(len(parts), np.int64)
    for column in parts.T:
        numbers = numbers * base + column
    return numbers


def _places(ascending: Ints, numbers: Ints) -> Ints:
    """Return the index of each number in an ascending array, or -1."""
    place = np.minimum(np.searchsorted(ascending, numbers), len(ascending) - 1)
    return np.where(ascending[place] == numbers, place, -1)


MARK = ","

COMMA, END, START, UNKNOWN = range(4)
"""The special symbols; words and tags have larger numbers."""

QUERIES = 6
"""Number of queries at each position.

Word i lies between slots i - 1 and i; word 0 is START, and END follows the last word. The queries
are the log probabilities of word i after words i - 2 and i - 1, after word i - 1 and a comma, and
after a comma and word i - 1; and of a comma after words i - 1 and i, after a comma and word i, and
after word i and a comma.
"""

WORD, AFTER_COMMA, AFTER_COMMA_WORD, COMMA_NEXT, COMMA_AGAIN, COMMA_TWICE = range(QUERIES)


class Symbols(msgspec.Struct, frozen=True):
    """The known words and tags; value i has the symbol i + 4."""

    words: tuple[str, ...]
    tags: tuple[str, ...]

    @classmethod
    def of(cls, sentences: Sequence[Sentence[PhraseTree]], minimum: int) -> Symbols:
        words = Counter(form for s in sentences for form in dotted_forms(s))
        tags = {tag for s in sentences for tag in s.tree.tags}
        return cls(tuple(sorted(w for w, n in words.items() if n >= minimum)), tuple(sorted(tags)))

    def streams(self, sentences: Sequence[Sentence[PhraseTree]]) -> dict[str, list[Ints]]:
        """Return ``[n + 3]`` symbols for each sentence: START twice, its words or tags, END."""
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
        name: the key of its counts.
        context: 1 for the last symbol, 2 for the symbol before it, 0 for the constituents that end,
            the most important first.
    """

    name: str
    stream: Literal["words", "tags"]
    context: tuple[int, ...]


def components(options: CommaOptions) -> tuple[Component, ...]:
    """List the back-off models of a configuration.

    With ``ends="counts"``, p(y | y' y'' e) is p(y | y' y'') p(y | y' e) / p(y).
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
    """The counts of all components, by name."""

    options: CommaOptions
    symbols: Symbols
    counts: dict[str, Katz]

    @classmethod
    def of(cls, sentences: Sequence[Sentence[PhraseTree]], options: CommaOptions) -> Trigrams:
        symbols = Symbols.of(sentences, options.minimum_word_count)
        streams = symbols.streams(sentences)
        ends = ended_constituents(sentences, options)
        counts: dict[str, Katz] = {}
        for component in components(options):
            events = [
                _events(string, has_comma(s), e)
                for string, s, e in zip(streams[component.stream], sentences, ends, strict=True)
            ]
            table = np.concatenate(events)  # outcome, ends, last symbol, the symbol before it
            codes = len(getattr(symbols, component.stream)) + UNKNOWN + 1
            base = max(codes, int(table[:, 1].max()) + 1)
            possible = np.setdiff1d(np.arange(codes), [START])
            contexts = table[:, [1 + part for part in component.context]]
            counts[component.name] = Katz.of(contexts, table[:, 0], base, possible)
        return cls(options, symbols, counts)

    def table(self) -> npt.NDArray[np.float32]:
        tables = [model.table() for model in self.counts.values()]
        return np.concatenate([*tables, np.zeros(0)]).astype(np.float32)

    def terms(self, sentences: Sequence[Sentence[PhraseTree]]) -> list[npt.NDArray[np.int32]]:
        """Find the table entries whose sums answer the queries, ``[n + 2, QUERIES, terms]``.

        0 is none, i + 1 entry i, and i + 1 plus the size of the table its negative.
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
            # All counts of ends above the largest in training become one unseen context.
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
    """Return ``[n + 1]`` whether each slot contains a comma."""
    return np.array([MARK in slot for slot in sentence.slots])


def ended_constituents(
    sentences: Sequence[Sentence[PhraseTree]], options: CommaOptions
) -> list[Ints]:
    """Return a count, a bit or 0 for the constituents that end at each slot."""
    if options.ends == "none":
        return [np.zeros(s.size + 1, np.int64) for s in sentences]
    counts = [np.array(constituent_counts(s.tree)[1], np.int64) for s in sentences]
    if options.ends == "bit":
        return [(count >= options.threshold).astype(np.int64) for count in counts]
    return counts


def _events(string: Ints, commas: npt.NDArray[np.bool_], ends: Ints) -> Ints:
    """List the events of a string: outcome, ends, last symbol, the symbol before it."""
    rows: list[tuple[int, int, int, int]] = []
    last = before = START
    for slot, symbol in enumerate(string[2:].tolist()):
        end = int(ends[slot])
        for outcome in (COMMA, symbol) if commas[slot] else (symbol,):
            rows.append((outcome, end, last, before))
            last, before = outcome, last
    return np.array(rows, np.int64)


def _queries(string: Ints, ends: Ints) -> Ints:
    """List the queries of all positions, ``[(n + 2) * QUERIES, 4]``, as in ``_events``."""
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
