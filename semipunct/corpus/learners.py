"""Punctuation errors of learners of English: counting them, and inserting them in other text.

Each slot of a corrected sentence has a correct string of tokens and a context; the string that was
written there may be an error. Errors are counted in corrected text, and sampled, slot by slot, for
correct text. Contexts depend only on words (their order, and three closed classes of English), so
text without trees can be used.
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
"""The context of a slot is the first of these that applies.

Before the first word; after the last; before a conjunction
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
"""A string that is rarer in a context between words has rates pooled over these contexts."""

SEEN_AT_ALL = 8
"""A string with fewer occurrences between words, or at sentence edges, has no errors."""

SLIPS = 2
"""An error that occurs in fewer slots is regarded as a slip of one writer and not sampled."""

TABLE = "learner_errors.json"
"""The file of counts in ``semipunct.data``."""


class Made(NamedTuple):
    """Counts of an error.

    Attributes:
        times: occurrences, counted for each reference that corrects the error.
        slots: slots with the error, regardless of the number of references.
    """

    times: int
    slots: int

    def plus(self, counts: "Made") -> "Made":
        """Return the sums of two counts."""
        return Made(self.times + counts.times, self.slots + counts.slots)


class Situation(NamedTuple):
    """A correct string and its context.

    Attributes:
        right: the tokens of the slot.
        context: the context of the slot.
    """

    right: Puncteme
    context: Context


def contexts(forms: Sequence[str], slots: Sequence[Puncteme]) -> list[Context]:
    """Return the context of each slot of a sentence, ``[n + 1]``.

    Args:
        forms: ``[n]`` words.
        slots: ``[n + 1]`` correct punctuation without dots of abbreviations.
    """
    contexts_of_slots: list[Context] = []
    marked = False
    for slot, tokens in enumerate(slots):
        contexts_of_slots.append(_context(forms, slot, marked))
        marked = marked or bool(tokens)
    return contexts_of_slots


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
    """Counts of written strings for each correct string.

    Attributes:
        occurrences: the count of each situation, once for each reference.
        errors: the counts of each other string written in these.

    Raises:
        UsageError: if there are more errors than occurrences, or an error equals the correct
            string.
    """

    occurrences: Mapping[Situation, int]
    errors: Mapping[Situation, Mapping[Puncteme, Made]]

    def __post_init__(self) -> None:
        for situation, written in self.errors.items():
            seen, times = self.occurrences.get(situation, 0), sum(e.times for e in written.values())
            possible = all(0 < error.slots <= error.times for error in written.values())
            if situation.right in written or times > seen or not possible:
                raise UsageError(
                    f"errors where {' '.join(situation.right) or 'nothing'!r} is right "
                    f"({situation.context}): {times} of {seen}; the string of an error must be "
                    "wrong, its slots at most its times, and errors at most the occurrences"
                )

    def rates(self) -> dict[Situation, dict[Puncteme, float]]:
        """Return the probabilities of the errors of each situation; the rest is correct.

        Errors with too few counts are omitted or pooled: see ``SEEN``, ``SEEN_AT_ALL`` and
        ``SLIPS``. Situations without errors are left out.
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
        """Return the pooled occurrences and errors of some situations."""
        errors: dict[Puncteme, Made] = {}
        for situation in situations:
            for string, error in self.errors.get(situation, {}).items():
                errors[string] = errors.get(string, Made(0, 0)).plus(error)
        return sum(self.occurrences.get(situation, 0) for situation in situations), errors

    @classmethod
    def from_dict(cls, rows: Iterable[Mapping[str, Any]]) -> "LearnerErrors":
        """Build counts from JSON rows, as ``experiments/learner_errors.py`` writes them."""
        occurrences: dict[Situation, int] = {}
        errors: dict[Situation, dict[Puncteme, Made]] = {}
        for row in rows:
            situation = Situation(tuple(row["right"].split()), row["context"])
            occurrences[situation] = row["occurrences"]
            if row["errors"]:
                errors[situation] = {tuple(s.split()): Made(*n) for s, n in row["errors"].items()}
        return cls(occurrences, errors)


def count_errors(pairs: Iterable[ParallelSentence[Sentence | Words]]) -> LearnerErrors:
    """Count the errors of corrected sentences against each of their references.

    A sentence with four references counts four times: rates are means over the references, weighted
    by the number of slots that they cover.

    Args:
        pairs: sentences with their corrected versions.
    """
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
    """Return the counts of the development part of JFLEG (Napoles, Sakaguchi and Tetreault 2017).

    754 sentences of learners of English, each with four corrected versions; slots between words
    that the sentence and the version share. ``experiments/learner_errors.py`` counted them.
    """
    text = files("semipunct.data").joinpath(TABLE).read_text("utf-8")
    return LearnerErrors.from_dict(json.loads(text)["counts"])


def erroneous(
    sentences: Iterable[Sentence], errors: LearnerErrors, seed: int
) -> Iterator[Sentence]:
    """Yield sentences with punctuation errors; words, tags and trees are unchanged.

    Slots are drawn independently of each other, by the rates of their situations. The same seed
    gives the same errors on every machine. The errors of a sentence depend on previous sentences
    only through their number of slots. Dots of abbreviations, which are parts of words, are kept.

    Args:
        sentences: sentences with correct punctuation.
        errors: the errors to sample.
        seed: a number.
    """
    # Only random() is guaranteed to be stable across Python versions, so nothing else is called.
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
    """Return the string at a quantile of a distribution; errors come first."""
    for string, rate in rates.items():
        place -= rate
        if place < 0:
            return string
    return right
