"""Errors of punctuation as learners of English make them: counted, and made again elsewhere.

A slot of a corrected sentence has a string of tokens and a context, which are what its writer had
to get right; what was written there is an error or it is not. Errors are counted in text that was
corrected, and drawn, slot by slot, where only correct text is at hand. Contexts look at words
alone, so that text without trees can be counted: its order, and three closed classes of English.
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
from semipunct.errors import UsageError
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
"""The first of these that fits a slot: before the first word; after the last; before a conjunction
that coordinates (*and, but*), a relative pronoun (*which, who*), one that subordinates (*because,
when*); at the end of the first 1, 2 to 4, or 5 to 7 words if no mark is before it; elsewhere."""

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
"""A string that stands in a context between words fewer times has the rates of all of these."""

SEEN_AT_ALL = 8
"""A string that stands between words, or at an edge of sentences, fewer times is never mistaken."""

SLIPS = 2
"""An error that was made in fewer slots is a slip of one writer, and not made again."""

TABLE = "learner_errors.json"
"""The file of counts in ``semipunct.data``."""


class Made(NamedTuple):
    """Counts of an error.

    Attributes:
        times: once for each reference that corrects it.
        slots: once for each slot that was written, however many references it has.
    """

    times: int
    slots: int

    def plus(self, other: "Made") -> "Made":
        """Return the sums of two counts."""
        return Made(self.times + other.times, self.slots + other.slots)


class Situation(NamedTuple):
    """The string that a writer had to get right, and where.

    Attributes:
        right: the tokens of the slot.
        context: of the slot.
    """

    right: Puncteme
    context: Context


def contexts(forms: Sequence[str], slots: Sequence[Puncteme]) -> list[Context]:
    """Return the context of each slot of a sentence, ``[n + 1]``.

    Args:
        forms: ``[n]`` words.
        slots: ``[n + 1]`` correct punctuation without dots of abbreviations.
    """
    found: list[Context] = []
    marked = False
    for slot, tokens in enumerate(slots):
        found.append(_context(forms, slot, marked))
        marked = marked or bool(tokens)
    return found


def _context(forms: Sequence[str], slot: int, marked: bool) -> Context:
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
    """Counts of what was written where something else, or the same, was right.

    Attributes:
        occurrences: of each situation, once for each reference.
        errors: of these, how often each other string was written.

    Raises:
        UsageError: if there are more errors than occurrences, or an error writes what is right.
    """

    occurrences: Mapping[Situation, int]
    errors: Mapping[Situation, Mapping[Puncteme, Made]]

    def __post_init__(self) -> None:
        for situation, written in self.errors.items():
            seen, made = self.occurrences.get(situation, 0), sum(e.times for e in written.values())
            possible = all(0 < error.slots <= error.times for error in written.values())
            if situation.right in written or made > seen or not possible:
                raise UsageError(
                    f"errors where {' '.join(situation.right) or 'nothing'!r} is right "
                    f"({situation.context}): {made} of {seen}; an error writes another string, in "
                    "no more slots than times, and there are no more errors than occurrences"
                )

    def rates(self) -> dict[Situation, dict[Puncteme, float]]:
        """Return the probabilities of the errors of each situation; the rest is right.

        What the counts are too few for is not invented: see ``SEEN``, ``SEEN_AT_ALL`` and
        ``SLIPS``. Situations in which no error is made are left out.
        """
        found: dict[Situation, dict[Puncteme, float]] = {}
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
                    found[situation] = rates
        return found

    def _pooled(self, situations: Sequence[Situation]) -> tuple[int, dict[Puncteme, Made]]:
        """Return the occurrences and errors of some situations together."""
        errors: dict[Puncteme, Made] = {}
        for situation in situations:
            for string, made in self.errors.get(situation, {}).items():
                errors[string] = errors.get(string, Made(0, 0)).plus(made)
        return sum(self.occurrences.get(situation, 0) for situation in situations), errors

    def as_dict(self) -> list[dict[str, Any]]:
        """Return the counts for JSON, a row for each situation, the most frequent first."""
        rows = sorted(self.occurrences.items(), key=lambda item: (-item[1], item[0]))
        return [
            {
                "right": " ".join(situation.right),
                "context": situation.context,
                "occurrences": seen,
                "errors": {
                    " ".join(string): list(made)
                    for string, made in sorted(
                        self.errors.get(situation, {}).items(),
                        key=lambda item: (-item[1].times, item[0]),
                    )
                },
            }
            for situation, seen in rows
        ]

    @classmethod
    def from_dict(cls, rows: Iterable[Mapping[str, Any]]) -> "LearnerErrors":
        """Return the counts of rows from JSON; the inverse of ``as_dict``."""
        occurrences: dict[Situation, int] = {}
        errors: dict[Situation, dict[Puncteme, Made]] = {}
        for row in rows:
            situation = Situation(tuple(row["right"].split()), row["context"])
            occurrences[situation] = row["occurrences"]
            if row["errors"]:
                errors[situation] = {tuple(s.split()): Made(*n) for s, n in row["errors"].items()}
        return cls(occurrences, errors)


def count_errors(pairs: Iterable[ParallelSentence[Sentence | Words]]) -> LearnerErrors:
    """Count the errors of sentences that were corrected, against each of their references.

    A sentence with four references counts four times: rates are means over the references,
    weighed by what they judge.

    Args:
        pairs: sentences with their corrected versions.
    """
    occurrences: Counter[Situation] = Counter()
    times: Counter[tuple[Situation, Puncteme]] = Counter()
    slots: defaultdict[tuple[Situation, Puncteme], set[tuple[int, int]]] = defaultdict(set)
    for number, pair in enumerate(pairs):
        before = spacing.visible(pair.source.slots)
        for reference in pair.references:
            both = list(zip(before, reference, strict=True))
            after = [old if new is None else new for old, new in both]
            found = zip(contexts(pair.source.forms, after), both, strict=True)
            for slot, (context, (old, new)) in enumerate(found):
                if new is None:
                    continue
                situation = Situation(new, context)
                occurrences[situation] += 1
                if old != new:
                    times[situation, old] += 1
                    slots[situation, old].add((number, slot))
    errors: defaultdict[Situation, dict[Puncteme, Made]] = defaultdict(dict)
    for (situation, old), made in times.items():
        errors[situation][old] = Made(made, len(slots[situation, old]))
    return LearnerErrors(occurrences, errors)


def english_learner_errors() -> LearnerErrors:
    """Return the counts of the development part of JFLEG (Napoles, Sakaguchi and Tetreault 2017).

    754 sentences of learners of English, each with four corrected versions; slots between words
    that the sentence and the version share. ``experiments/learner_errors.py`` counted them.
    """
    text = files("semipunct.data").joinpath(TABLE).read_text("utf-8")
    return LearnerErrors.from_dict(json.loads(text)["counts"])


def erroneous(
    sentences: Iterable[Sentence], errors: LearnerErrors, seed: int
) -> Iterator[Sentence]:
    """Yield sentences with errors of punctuation; words, tags and trees stay as they are.

    Slots are drawn independently of each other, by the rates of their situations. The same seed
    gives the same errors on every machine; of those before it a sentence's errors depend on the
    number of slots alone. Dots of abbreviations, which are parts of words, stay.

    Args:
        sentences: with correct punctuation.
        errors: that are to be made.
        seed: a number.
    """
    # Only random() of this generator is promised never to change, so nothing else is called.
    source, rates = random.Random(seed), errors.rates()
    for sentence in sentences:
        slots = spacing.visible(sentence.slots)
        drawn = [
            _written(right, rates.get(Situation(right, context), {}), source.random())
            for right, context in zip(slots, contexts(sentence.forms, slots), strict=True)
        ]
        dots = (tuple(t for t in slot if t == ABBREVIATION) for slot in sentence.slots)
        yield replace(
            sentence, slots=tuple((*dot, *new) for dot, new in zip(dots, drawn, strict=True))
        )


def _written(right: Puncteme, rates: Mapping[Puncteme, float], place: float) -> Puncteme:
    """Return the string at a place between 0 and 1 of a distribution; errors come first."""
    for string, rate in rates.items():
        place -= rate
        if place < 0:
            return string
    return right
