"""The odds of other strings in a slot, given the strings of all other slots of the sentence.

By Bayes' rule, p(x' | T) / p(x | T), where x' differs from x in one slot, is the ratio of the
posterior probabilities of the two strings of that slot given all others. The likelihoods are exact;
the candidates are usual strings of the treebank at such a place, and the original string without
one token (docs/decisions/treebank-tools.md).

Models are overconfident about marks to varying degrees. Platt scaling (1999) replaces the log odds
o of a mark by a o + b that maximise the likelihood of the marks as written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from math import log
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.optimize import minimize  # pyright: ignore[reportMissingTypeStubs]
from scipy.special import expit  # pyright: ignore[reportMissingTypeStubs]

from semipunct.corpus.sentences import Sentence
from semipunct.marks import ABBREVIATION, Puncteme
from semipunct.marks.balance import encloses
from semipunct.marks.corrections import corrections
from semipunct.marks.matching import matched_pairs
from semipunct.models.punctuation.bottom_up import INSIDE
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.punctuation.variants import variant_log_likelihoods
from semipunct.models.scoring import Batches, log_likelihoods
from semipunct.pipelines.chunks import in_groups
from semipunct.pipelines.trained import Trained

Position = Literal["first", "inner", "last"]

# Sentences per batch, which bounds the memory.
CHUNK = 8_000

# Candidates for an empty slot.
_MISSING: dict[Position, int] = {"first": 1, "inner": 1, "last": 3}

# Candidates to replace a string.
_INSTEAD = 5


class SlotOdds(NamedTuple):
    """The most suspicious alternative to the string of a slot."""

    slot: int
    string: Puncteme
    log_odds: float
    score: float


@dataclass(frozen=True, slots=True)
class UsualStrings:
    """The most frequent strings of slots, by position in the sentence."""

    strings: dict[Position, tuple[Puncteme, ...]]
    tokens: Counter[str]
    slots: int

    @classmethod
    def of(cls, sentences: Iterable[Sentence]) -> UsualStrings:
        """Count the strings of a treebank, without dots of abbreviations."""
        counts: dict[Position, Counter[Puncteme]] = {name: Counter() for name in _MISSING}
        tokens: Counter[str] = Counter()
        for sentence in sentences:
            for slot, full_string in enumerate(sentence.slots):
                _, string = _without_dot(full_string)
                counts[_position(sentence, slot)][string] += 1
                tokens.update(string)
        strings: dict[Position, tuple[Puncteme, ...]] = {
            name: tuple(string for string, _ in count.most_common() if string)
            for name, count in counts.items()
        }
        return cls(strings, tokens, sum(map(Counter.total, counts.values())))

    def log_error(self, meant: Puncteme, written: Puncteme) -> float:
        """Return the log probability of writing a string by mistake, given one mistake.

        An inserted or substituted mark is drawn by frequency, and an insertion may be in any slot.
        """
        change = next(iter(corrections([written], [meant])), None)
        if change is None or change.kind in ("missing", "doubled", "moved"):
            return 0.0
        total = self.tokens.total()
        chosen = sum(log(max(self.tokens[token], 1) / total) for token in change.before)
        return chosen + (log(total / self.slots) if change.kind == "superfluous" else 0.0)

    def others(self, sentence: Sentence, slot: int) -> list[Puncteme]:
        """Return the candidates to replace the string of a slot."""
        if slot in sentence.closed:
            return []
        dot, string = _without_dot(sentence.slots[slot])
        partnered = Counter(
            sentence.slots[place][index]
            for pair in matched_pairs(sentence.slots)
            for place, index in pair
            if place == slot
        )
        position = _position(sentence, slot)
        usual = self.strings[position]
        if not string:
            strings = usual[: _MISSING[position]]
        else:
            shorter = (string[:i] + string[i + 1 :] for i in range(len(string)))
            strings = (*shorter, *usual[:_INSTEAD], ())
        # No candidate adds an unpaired bracket or quotation mark, or removes only one of a pair.
        return [
            dot + other
            for other in dict.fromkeys(strings)
            if other != string
            and partnered <= Counter(other)
            and not any(encloses((token,)) for token in (Counter(other) - Counter(string)))
        ]


# The position of a slot in its sentence, and candidate tokens.
Context: TypeAlias = tuple[str, Puncteme]

# Minimum counts as evidence: of slots, and of slots with and without the mark.
_LEAST, _RARER = 100, 20

# The precision of a normal prior around the uncalibrated odds.
_PRIOR = 5.0

# The bound on log odds, beyond which they are uninformative.
_CLIP = 30.0


@dataclass(frozen=True, slots=True)
class Calibration:
    """Slopes and intercepts of log odds."""

    lines: Mapping[Context, tuple[float, float]] = field(
        default_factory=dict[Context, tuple[float, float]]
    )

    @classmethod
    def of(cls, seen: Iterable[tuple[Context, float, bool]]) -> Calibration:
        rows: dict[Context, list[tuple[float, bool]]] = {}
        for context, log_odds, is_written in seen:
            rows.setdefault(context, []).append((log_odds, is_written))
        lines: dict[Context, tuple[float, float]] = {}
        for context, pairs in rows.items():
            odds, written = np.asarray(pairs, float).T
            if len(pairs) >= _LEAST and _RARER <= written.sum() <= len(pairs) - _RARER:
                slope, intercept = _fit(np.clip(odds, -_CLIP, _CLIP), written)
                if slope > 0:  # otherwise the model is uninformative about the mark
                    lines[context] = slope, intercept
        return cls(lines)

    def log_odds(self, context: Context, log_odds: float, *, is_written: bool) -> float:
        slope, intercept = self.lines.get(context, (1.0, 0.0))
        return slope * log_odds + (-intercept if is_written else intercept)


def _fit(odds: np.ndarray, written: np.ndarray) -> tuple[float, float]:
    """Maximise the concave posterior of slope and intercept."""
    inputs = np.stack([odds, np.ones_like(odds)])
    usual = np.array([1.0, 0.0])

    def loss(line: np.ndarray) -> tuple[float, np.ndarray]:
        scores, distance = line @ inputs, line - usual
        value = np.logaddexp(0, scores).sum() - written @ scores
        gradient = inputs @ (expit(scores) - written) + _PRIOR * distance
        return float(value + _PRIOR / 2 * distance @ distance), gradient

    slope, intercept = minimize(loss, usual, jac=True, method="BFGS").x
    return float(slope), float(intercept)


def _position(sentence: Sentence, slot: int) -> Position:
    return "first" if slot == 0 else "last" if slot == sentence.size else "inner"


def _without_dot(string: Puncteme) -> tuple[Puncteme, Puncteme]:
    """Separate the dot of an abbreviation, which belongs to a word, from the other tokens."""
    return (string[:1], string[1:]) if string[:1] == (ABBREVIATION,) else ((), string)


# Takes the number of scored strings, and of all.
Report = Callable[[int, int], None]


def slot_odds(
    model: Trained[Any],
    sentences: Sequence[Sentence],
    usual: UsualStrings,
    report: Report = lambda done, total: None,
) -> Iterator[list[SlotOdds]]:
    """Yield the most probable other string of each slot, by sentence."""
    odds_of_sentences = [*_candidates(model, sentences, usual, report)]
    pairs = [*zip(sentences, odds_of_sentences, strict=True)]
    calibration = Calibration.of(
        (context, -log_odds if is_written else log_odds, is_written)
        for sentence, candidates in pairs
        for slot, string, log_odds in candidates
        for context, is_written in _contexts(sentence, slot, string)
    )
    for sentence, candidates in pairs:
        rows: dict[int, list[SlotOdds]] = {}
        for slot, string, log_odds in candidates:
            fitted = log_odds
            for context, is_written in _contexts(sentence, slot, string):
                fitted = calibration.log_odds(context, log_odds, is_written=is_written)
            score = fitted + usual.log_error(string, sentence.slots[slot])
            rows.setdefault(slot, []).append(SlotOdds(slot, string, log_odds, score))
        yield [_best(row) for row in rows.values()]


def _best(row: Sequence[SlotOdds]) -> SlotOdds:
    best = max(row, key=lambda odds: odds.score)
    return best._replace(score=float(np.logaddexp.reduce([odds.score for odds in row])))


def _contexts(sentence: Sentence, slot: int, string: Puncteme) -> Iterator[tuple[Context, bool]]:
    for change in corrections([sentence.slots[slot]], [string]):
        if change.kind in ("missing", "superfluous"):
            tokens = change.before or change.after
            yield (_position(sentence, slot), tokens), bool(change.before)


def _with(sentence: Sentence, slot: int, string: Puncteme) -> Sentence:
    return replace(sentence, slots=(*sentence.slots[:slot], string, *sentence.slots[slot + 1 :]))


def _candidates(
    model: Trained[Any], sentences: Sequence[Sentence], usual: UsualStrings, report: Report
) -> Iterator[list[tuple[int, Puncteme, float]]]:
    fitted, weights = model.model, model.parameters
    others = [
        [
            (slot, string)
            for slot in range(len(sentence.slots))
            for string in usual.others(sentence, slot)
        ]
        for sentence in sentences
    ]
    done, total = 0, sum(map(len, others)) + len(others)

    def advance(number: int) -> None:
        nonlocal done
        done += number
        report(done, total)

    pairs = zip(sentences, others, strict=True)
    for chunk in in_groups(pairs, lambda pair: 1 + len(pair[1]), CHUNK):
        variants = [
            [sentence, *(_with(sentence, *place) for place in places)] for sentence, places in chunk
        ]
        if isinstance(fitted, PunctuationModel) and not fitted.features.uses(INSIDE):
            log_p = variant_log_likelihoods(fitted, weights, variants, advance)
        else:
            batches = Batches(fitted, fitted.encode([*chain.from_iterable(variants)]))
            log_p = log_likelihoods(fitted, weights, batches, advance=advance)
        scores = iter(log_p.tolist())
        for _, places in chunk:
            written = next(scores)
            odds = [next(scores) - written for _ in places]
            yield [
                (slot, string, float(np.clip(each, -_LARGEST, _LARGEST)))
                for (slot, string), each in zip(places, odds, strict=True)
            ]


# Finite odds against a string of probability zero, which hard sets can produce.
_LARGEST = 1e6
