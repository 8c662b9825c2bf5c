"""Measures of punctuation: log-likelihoods, edit distances, marks, pairs, exact matches.

Every figure of a corpus is a function of sums over its sentences.  What is summed, the
*sufficient statistics* of each sentence, is computed once; figures, permutation tests and
bootstraps need nothing else.  `marks.INITIAL` and `marks.FINAL` are nobody's achievement: slots
are measured without them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein

from semipunct.errors import UsageError
from semipunct.evaluation.figures import (
    PairingErrors,
    PerplexityFigures,
    RestorationFigures,
    Score,
    perplexity,
)
from semipunct.marks import FINAL, INITIAL, PAIRS, Puncteme

Counts = npt.NDArray[np.int64]
Slots = Sequence[Puncteme]
"""The slots of one sentence: n + 1 punctemes for n words."""

Pair = tuple[str, str]
Task = Literal["perplexity", "restoration"]
POSITIVE = 1e-3
"""How far above 0 rounding in float32 may lift the logarithm of a probability."""


@dataclass(frozen=True, slots=True, eq=False)
class RestorationStatistics:
    """What each sentence contributes to `RestorationFigures`, all of them counts.

    Attributes:
        marks: the marks that occur in gold or predicted slots, sorted.
        pairs: the pairs that were looked for in counting pairing errors.
        slots: ``[sentences]``, n + 1 each.
        edit_distance: ``[sentences]``, summed over the slots.
        exact_slots: ``[sentences]``.
        true_positives: ``[sentences, marks]``, multiset intersections of the slots.
        predicted: ``[sentences, marks]`` tokens.
        gold: ``[sentences, marks]`` tokens.
        predicted_pairing: ``[sentences, 2]``, as in `PairingErrors`.
        gold_pairing: ``[sentences, 2]``.

    Raises:
        ValueError: if the shapes or the counts contradict each other; names the sentence.
    """

    task: ClassVar[Task] = "restoration"
    marks: tuple[str, ...]
    pairs: frozenset[Pair]
    slots: Counts
    edit_distance: Counts
    exact_slots: Counts
    true_positives: Counts
    predicted: Counts
    gold: Counts
    predicted_pairing: Counts
    gold_pairing: Counts

    def __post_init__(self) -> None:
        length = _length({name: getattr(self, name) for name in COLUMNS})
        widths = dict.fromkeys(PER_MARK, len(self.marks)) | PER_ERROR
        for name, width in widths.items():
            if getattr(self, name).shape != (length, width):
                raise ValueError(f"{name} has shape {getattr(self, name).shape}")
        for name in COLUMNS:
            _refuse(getattr(self, name) < 0, f"{name} is negative")
        _refuse(self.slots < 1, "there is no slot")
        least = np.minimum(self.predicted, self.gold)
        _refuse(self.true_positives > least, "more true positives than tokens")
        wrong = self.slots - self.exact_slots
        _refuse(wrong < 0, "more exact slots than slots")
        _refuse((self.edit_distance == 0) != (wrong == 0), "exact slots against edit distance")
        _refuse(self.edit_distance < wrong, "fewer edits than wrong slots")

    def figures(self) -> RestorationFigures:
        """The figures of the corpus."""
        triples = zip(self.true_positives.T, self.predicted.T, self.gold.T, strict=True)
        scores = [Score(*(int(counts.sum()) for counts in triple)) for triple in triples]
        micro = (self.true_positives, self.predicted, self.gold)
        return RestorationFigures(
            sentences=len(self.slots),
            slots=int(self.slots.sum()),
            edit_distance=int(self.edit_distance.sum()),
            exact_slots=int(self.exact_slots.sum()),
            exact_sentences=int((self.exact_slots == self.slots).sum()),
            marks=dict(zip(self.marks, scores, strict=True)),
            micro=Score(*(int(counts.sum()) for counts in micro)),
            predicted_pairing=PairingErrors(*self.predicted_pairing.sum(0).tolist()),
            gold_pairing=PairingErrors(*self.gold_pairing.sum(0).tolist()),
        )


@dataclass(frozen=True, slots=True, eq=False)
class PerplexityStatistics:
    """What each sentence contributes to `PerplexityFigures`.

    Attributes:
        log_likelihood: ``[sentences]`` log p(x | T), natural logarithm; minus infinity for a
            sentence of probability zero.
        slots: ``[sentences]``, n + 1 each.

    Raises:
        ValueError: for NaN, a positive logarithm, or columns of different lengths.
    """

    task: ClassVar[Task] = "perplexity"
    log_likelihood: npt.NDArray[np.float64]
    slots: Counts

    def __post_init__(self) -> None:
        _length({"log_likelihood": self.log_likelihood, "slots": self.slots})
        _refuse(self.slots < 1, "there is no slot")
        _refuse(np.isnan(self.log_likelihood), "log_likelihood is NaN")
        _refuse(self.log_likelihood > POSITIVE, "log_likelihood is positive")

    def figures(self) -> PerplexityFigures:
        """The figures of the corpus."""
        scorable = ~np.isneginf(self.log_likelihood)
        total, slots = self.log_likelihood.sum(), self.slots.sum()
        rest = self.log_likelihood[scorable].sum(), self.slots[scorable].sum()
        return PerplexityFigures(
            sentences=len(self.slots),
            slots=int(slots),
            log_likelihood=float(total),
            unscorable=int((~scorable).sum()),
            perplexity=float(perplexity(total, slots)),
            perplexity_of_scorable=float(perplexity(*rest)),
        )


def visible(puncteme: Puncteme) -> Puncteme:
    """A slot without the marks of the sentence's ends."""
    return tuple(token for token in puncteme if token not in (INITIAL, FINAL))


def edit_distance(gold: Puncteme, predicted: Puncteme) -> int:
    """Levenshtein distance of two punctemes: single tokens inserted, deleted or substituted.

    "Edits operate on punctuation tokens" (Li, Wang and Eisner 2019, section 6.1); the paper
    gives no weights, so each edit costs 1.
    """
    return 0 if gold == predicted else Levenshtein.distance(gold, predicted)


def occurring_pairs(sentences: Iterable[Slots]) -> frozenset[Pair]:
    """The pairs of `marks.PAIRS` both of whose tokens occur in some sentences.

    *!* closes in Spanish and not in English; where no inverted mark occurs, it opens and closes
    nothing.  The same for quotation marks of other traditions.
    """
    seen = {token for sentence in sentences for slot in sentence for token in slot}
    return frozenset(pair for pair in PAIRS if seen.issuperset(pair))


def pairing_errors(slots: Slots, pairs: Set[Pair] = PAIRS) -> PairingErrors:
    """Count openings without closings and closings without openings in one sentence.

    All slots are read as one string, left to right, with a stack of what is open.  A token
    closes what was opened last if both are a pair.  Otherwise, if it opens in some pair, it is
    open from now on, so a mark that can do either (*«* in French and in German) closes when it
    can and opens when it cannot.  A token that only closes looks further down: what was opened
    after its partner has then lost its closing.  Tokens that occur in no pair are ignored.
    """
    openings = {opening for opening, _ in pairs}
    closings = {closing for _, closing in pairs}
    stack: list[str] = []
    unclosed = unopened = 0
    for token in chain.from_iterable(slots):
        if stack and (stack[-1], token) in pairs:
            stack.pop()
        elif token in openings:
            stack.append(token)
        elif token in closings:
            partners = [place for place, opened in enumerate(stack) if (opened, token) in pairs]
            if partners:
                unclosed += len(stack) - partners[-1] - 1
                del stack[partners[-1] :]
            else:
                unopened += 1
    return PairingErrors(unclosed + len(stack), unopened)


def restoration_statistics(
    gold: Sequence[Slots], predicted: Sequence[Slots], pairs: Set[Pair] | None = None
) -> RestorationStatistics:
    """Compare predicted punctuation with the truth, sentence by sentence.

    Slots correspond one to one, because restoring punctuation changes no word.  Per mark, a
    slot's true positives are the intersection of its gold and predicted tokens as multisets:
    their order in the slot counts for the edit distance only.  Rare tokens are compared as they
    are handed in: replace them by `marks.UNK` on both sides or on neither.

    Args:
        gold: the slots of each sentence.
        predicted: the same sentences with the punctuation of a system.
        pairs: what opens and closes.  By default the pairs both of whose tokens occur in
            ``gold``: not in ``predicted``, so that all systems are measured alike.

    Raises:
        UsageError: if the numbers of sentences or of a sentence's slots differ.
    """
    _check_slots(gold, predicted)
    truth, guess = ([[visible(slot) for slot in s] for s in side] for side in (gold, predicted))
    looked_for = frozenset(occurring_pairs(truth) if pairs is None else pairs)
    marks = sorted({token for side in (truth, guess) for s in side for slot in s for token in slot})
    number = {mark: place for place, mark in enumerate(marks)}
    right, predicted_tokens, gold_tokens = np.zeros((3, len(truth), len(marks)), np.int64)
    distance, exact = np.zeros((2, len(truth)), np.int64)
    for place, sentence in enumerate(zip(truth, guess, strict=True)):
        for true, guessed in zip(*sentence, strict=True):
            distance[place] += edit_distance(true, guessed)
            exact[place] += true == guessed
            for token, count in (Counter(true) & Counter(guessed)).items():
                right[place, number[token]] += count
            for token in guessed:
                predicted_tokens[place, number[token]] += 1
            for token in true:
                gold_tokens[place, number[token]] += 1
    pairing = [
        np.array([pairing_errors(s, looked_for) for s in side], np.int64).reshape(-1, 2)
        for side in (guess, truth)
    ]
    return RestorationStatistics(
        marks=tuple(marks),
        pairs=looked_for,
        slots=np.array([len(s) for s in truth], np.int64),
        edit_distance=distance,
        exact_slots=exact,
        true_positives=right,
        predicted=predicted_tokens,
        gold=gold_tokens,
        predicted_pairing=pairing[0],
        gold_pairing=pairing[1],
    )


PER_MARK = ("true_positives", "predicted", "gold")
PER_ERROR = dict.fromkeys(("predicted_pairing", "gold_pairing"), 2)
COLUMNS = ("slots", "edit_distance", "exact_slots", *PER_MARK, *PER_ERROR)
"""The arrays of `RestorationStatistics`."""


def _check_slots(gold: Sequence[Slots], predicted: Sequence[Slots]) -> None:
    if len(gold) != len(predicted):
        raise UsageError(
            f"{len(gold)} gold sentences and {len(predicted)} predicted ones: "
            "hand in the same sentences twice"
        )
    for number, (one, other) in enumerate(zip(gold, predicted, strict=True), 1):
        if len(one) != len(other):
            raise UsageError(
                f"sentence {number}: {len(one)} gold slots and {len(other)} predicted ones: "
                "restoring punctuation must not change the words"
            )


def _length(columns: Mapping[str, npt.NDArray[Any]]) -> int:
    (first, column), *others = columns.items()
    for name, other in others:
        if len(other) != len(column):
            raise ValueError(
                f"{first} is there for {len(column)} sentences and {name} for {len(other)}"
            )
    return len(column)


def _refuse(bad: npt.NDArray[np.bool_], what: str) -> None:
    if bad.any():
        raise ValueError(f"sentence {np.argwhere(bad)[0, 0] + 1}: {what}")
