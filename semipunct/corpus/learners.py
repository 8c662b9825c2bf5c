"""Punctuation errors of learners of English: counts, and insertion into other text.

Errors depend on the correct string of a slot and its context, which needs no tree.
"""

import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any, Literal, NamedTuple, get_args

from semipunct.corpus.parallel import ParallelSentence
from semipunct.corpus.sentences import Sentence, Words
from semipunct.marks import ABBREVIATION, Puncteme, spacing

Context = Literal[
    "initial",
    "final",
    "coordinator",
    "relative",
    "subordinator",
    "opening word",
    "opening phrase",
    "opening clause",
    "medial",
]
"""The context of a slot: the first of these that applies.

Opening contexts are after the first 1, 2 to 4, or 5 to 7 words, if no mark is before.
"""

CONTEXTS: tuple[Context, ...] = get_args(Context)

_EDGES: tuple[Context, ...] = ("initial", "final")
_CLASSES: dict[Context, frozenset[str]] = {
    "coordinator": frozenset(("and", "but", "nor", "or", "yet")),
    "relative": frozenset(("which", "who", "whom", "whose")),
    "subordinator": frozenset((
        "after", "although", "as", "because", "before", "if", "since", "so", "that", "though",
        "unless", "until", "when", "where", "whereas", "while",
    )),
}  # fmt: skip
_OPENINGS: tuple[tuple[int, Context], ...] = (
    (1, "opening word"),
    (4, "opening phrase"),
    (7, "opening clause"),
)

SEEN = 20
"""A string that is rarer in a context has rates pooled over the contexts between words."""

SEEN_AT_ALL = 8
"""A string that is rarer has no errors."""

SLIPS = 2
"""An error in fewer slots is regarded as a slip and not sampled."""

TABLE = "learner_errors.json"


class Made(NamedTuple):
    """Counts of an error.

    Attributes:
        times: occurrences, counted for each reference that corrects the error.
        slots: slots with the error.
    """

    times: int
    slots: int

    def plus(self, counts: "Made") -> "Made":
        return Made(self.times + counts.times, self.slots + counts.slots)


class Situation(NamedTuple):
    """A correct string and its context."""

    right: Puncteme
    context: Context


def contexts(forms: Sequence[str], slots: Sequence[Puncteme]) -> list[Context]:
    """Return the context of each slot of a correct sentence, ``[n + 1]``."""
    first = next((slot for slot, tokens in enumerate(slots) if tokens), len(slots))
    return [_context(forms, slot, marked=first < slot) for slot in range(len(slots))]


def _context(forms: Sequence[str], slot: int, *, marked: bool) -> Context:
    if slot == 0:
        return "initial"
    if slot == len(forms):
        return "final"
    following = forms[slot].lower()
    for context, members in _CLASSES.items():
        if following in members:
            return context
    for words, context in _OPENINGS:
        if slot <= words and not marked:
            return context
    return "medial"


@dataclass(frozen=True, slots=True)
class LearnerErrors:
    """Counts of correct strings, once per reference, and of the errors written instead."""

    occurrences: Mapping[Situation, int]
    errors: Mapping[Situation, Mapping[Puncteme, Made]]

    def rates(self) -> dict[Situation, dict[Puncteme, float]]:
        """Return the probability of each error in each situation.

        Rare errors are omitted or pooled: see ``SEEN``, ``SEEN_AT_ALL`` and ``SLIPS``.
        """
        rates_of: dict[Situation, dict[Puncteme, float]] = {}
        for right in dict.fromkeys(situation.right for situation in self.occurrences):
            between = self._pooled([Situation(right, c) for c in CONTEXTS if c not in _EDGES])
            for context in CONTEXTS:
                situation = Situation(right, context)
                seen, errors = self._pooled([situation])
                if context not in _EDGES and seen < SEEN:
                    seen, errors = between
                if seen < SEEN_AT_ALL:
                    continue
                rates = {s: e.times / seen for s, e in errors.items() if e.slots >= SLIPS}
                if rates:
                    rates_of[situation] = rates
        return rates_of

    def _pooled(self, situations: Sequence[Situation]) -> tuple[int, dict[Puncteme, Made]]:
        errors: dict[Puncteme, Made] = {}
        for situation in situations:
            for string, error in self.errors.get(situation, {}).items():
                errors[string] = errors.get(string, Made(0, 0)).plus(error)
        return sum(self.occurrences.get(situation, 0) for situation in situations), errors

    @classmethod
    def from_dict(cls, rows: Iterable[Mapping[str, Any]]) -> "LearnerErrors":
        """Build counts from the JSON rows of ``experiments/learner_errors.py``."""
        occurrences: dict[Situation, int] = {}
        errors: dict[Situation, dict[Puncteme, Made]] = {}
        for row in rows:
            situation = Situation(tuple(row["right"].split()), row["context"])
            occurrences[situation] = row["occurrences"]
            if row["errors"]:
                errors[situation] = {tuple(s.split()): Made(*n) for s, n in row["errors"].items()}
        return cls(occurrences, errors)


def count_errors(pairs: Iterable[ParallelSentence[Sentence | Words]]) -> LearnerErrors:
    """Count the errors of corrected sentences, once for each of their references."""
    occurrences: Counter[Situation] = Counter()
    times: Counter[tuple[Situation, Puncteme]] = Counter()
    slots: defaultdict[tuple[Situation, Puncteme], set[tuple[int, int]]] = defaultdict(set)
    for number, pair in enumerate(pairs):
        before = spacing.visible(pair.source.slots)
        for reference in pair.references:
            slots_of_pair = list(zip(before, reference, strict=True))
            after = [written if right is None else right for written, right in slots_of_pair]
            occurrences_of_pair = zip(
                contexts(pair.source.forms, after), slots_of_pair, strict=True
            )
            for slot, (context, (written, right)) in enumerate(occurrences_of_pair):
                if right is None:
                    continue
                situation = Situation(right, context)
                occurrences[situation] += 1
                if written != right:
                    times[situation, written] += 1
                    slots[situation, written].add((number, slot))
    errors: defaultdict[Situation, dict[Puncteme, Made]] = defaultdict(dict)
    for (situation, written), count in times.items():
        errors[situation][written] = Made(count, len(slots[situation, written]))
    return LearnerErrors(occurrences, errors)


def english_learner_errors() -> LearnerErrors:
    """Return the counts of the development part of JFLEG.

    Napoles, Sakaguchi and Tetreault (2017).
    """
    text = files("semipunct.data").joinpath(TABLE).read_text("utf-8")
    return LearnerErrors.from_dict(json.loads(text)["counts"])


def erroneous(
    sentences: Iterable[Sentence], errors: LearnerErrors, seed: int
) -> Iterator[Sentence]:
    """Yield sentences with punctuation errors; words, tags and trees are unchanged.

    Slots are drawn independently. The same seed gives the same errors on every machine.
    """
    # Only random() is guaranteed to be stable across Python versions.
    source, rates = random.Random(seed), errors.rates()
    for sentence in sentences:
        slots = spacing.visible(sentence.slots)
        drawn = [
            _written(right, rates.get(Situation(right, context), {}), source.random())
            for right, context in zip(slots, contexts(sentence.forms, slots), strict=True)
        ]
        dots = (tuple(t for t in slot if t == ABBREVIATION) for slot in sentence.slots)
        yield replace(
            sentence, slots=tuple((*dot, *string) for dot, string in zip(dots, drawn, strict=True))
        )


def _written(right: Puncteme, rates: Mapping[Puncteme, float], place: float) -> Puncteme:
    for string, rate in rates.items():
        place -= rate
        if place < 0:
            return string
    return right
