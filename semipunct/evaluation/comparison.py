"""Whether one system is better than another: paired tests on two stored results.

Both results are of the same sentences, and every measure is a function of sums over sentences, so
nothing is run again.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from scipy import stats  # pyright: ignore[reportMissingTypeStubs]

from semipunct.errors import ResultError, UsageError
from semipunct.evaluation.figures import finite, perplexity
from semipunct.evaluation.measures import PerplexityStatistics, RestorationStatistics
from semipunct.evaluation.results import Result, split_signature

Floats = npt.NDArray[np.float64]

CONFIDENCE = 0.95

MUST_AGREE = ("task", "treebank", "tokens", "final")
"""Parts of a signature that decide what is predicted; the others say by which system."""

_CELLS = 1 << 20
"""Sentences times resamples in one batch: with all copies that are made, about 100 megabytes."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One measure of two systems, A and B.

    Attributes:
        measure: its name.
        a: the figure of A; infinite where A has a sentence of probability zero.
        b: the figure of B.
        difference: a - b.
        low: lower end of the bootstrap confidence interval of the difference; NaN if undefined.
        high: its upper end.
        p: of the paired permutation test, two-sided; NaN where the difference is undefined or
            infinite, or becomes so in a permutation.
    """

    measure: str
    a: float
    b: float
    difference: float
    low: float
    high: float
    p: float

    def as_dict(self) -> dict[str, Any]:
        """All of it for JSON; null stands for an infinite or undefined figure."""
        return {
            "a": finite(self.a),
            "b": finite(self.b),
            "difference": finite(self.difference),
            "interval": [finite(self.low), finite(self.high)],
            "p": finite(self.p),
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two results side by side.

    Attributes:
        a: one result.
        b: another one, of the same sentences.
        sentences: how many.
        resamples: permutations, and bootstrap samples, that were asked for.  With so few
            sentences that there are no more permutations than that, each is taken once.
        seed: what they were drawn with.
        confidence: the probability that the intervals cover.
        differences: the measures.
    """

    a: Result
    b: Result
    sentences: int
    resamples: int
    seed: int
    confidence: float
    differences: tuple[Difference, ...]

    def as_dict(self) -> dict[str, Any]:
        """All of it but the statistics, for JSON."""
        return {
            "task": self.a.task,
            "a": {"system": self.a.system, "signature": self.a.signature},
            "b": {"system": self.b.system, "signature": self.b.signature},
            "sentences": self.sentences,
            "resamples": self.resamples,
            "seed": self.seed,
            "confidence": self.confidence,
            "measures": {found.measure: found.as_dict() for found in self.differences},
        }


def compare(a: Result, b: Result, resamples: int = 10_000, seed: int = 0) -> Comparison:
    """Test whether two systems differ.

    The null hypothesis is that the systems are exchangeable: within each sentence, either might
    have given either answer.  A permutation swaps the answers in some of the sentences; p is twice
    the part of the permutations whose difference is as far out on the side of the observed one,
    which is counted among them (`scipy.stats.permutation_test`; two-sided).  Li, Wang and Eisner
    (2019) test so in tables 3 and 6 and figure 4.  All measures see the same permutations.  The
    interval holds the middle 95% of the differences in bootstrap samples of the sentences.

    Perplexity is tested by the log-likelihood per slot.  The slots are shared and a swap leaves
    the sum of both log-likelihoods as it is, so the difference of the perplexities grows with
    that of the log-likelihoods, and p is the same.

    Measures, A minus B: for perplexity `perplexity` and, where it is infinite,
    `perplexity_of_scorable` over the sentences that both systems can score; for restoration
    `average_edit_distance` per slot, `micro_f1`, and `pairing_errors` per sentence.

    Args:
        a: a result.
        b: a result of the same task on the same sentences.
        resamples: how many permutations, and how many bootstrap samples.
        seed: fixes both.

    Raises:
        ResultError: if the two cannot be compared; names the part of the signatures, or the
            sentence, in which they differ.
        UsageError: for fewer than 1 resample or a negative seed.
    """
    if resamples < 1 or seed < 0:
        raise UsageError(f"{resamples} resamples with seed {seed}: give at least 1 and at least 0")
    _check_signatures(a, b)
    measures = _measures(a, b)
    p, ends = np.full(len(measures), np.nan), np.full((len(measures), 2), np.nan)
    tested = [number for number, m in enumerate(measures) if np.isfinite(m.sides).all()]
    if tested:
        p[tested] = _permuted([measures[number] for number in tested], resamples, seed)
        ends[tested] = _bootstrapped([measures[number] for number in tested], resamples, seed)
    differences: list[Difference] = []
    for measure, chance, (low, high) in zip(measures, p.tolist(), ends.tolist(), strict=True):
        one, other = measure.figures().tolist()
        differences.append(Difference(measure.name, one, other, one - other, low, high, chance))
    sentences = len(a.statistics.slots)
    return Comparison(a, b, sentences, resamples, seed, CONFIDENCE, tuple(differences))


def _identity(values: Floats) -> Floats:
    return values


def _quotient(totals: Floats, shared: Floats) -> Floats:
    return totals[..., 0] / shared


def _f1(totals: Floats, gold: Floats) -> Floats:
    return 2 * totals[..., 0] / (totals[..., 1] + gold)


def _surprise(totals: Floats, slots: Floats) -> Floats:
    return -totals[..., 0] / slots


def _exponential(surprise: Floats) -> Floats:
    return perplexity(-surprise, np.ones(()))


@dataclass(frozen=True, slots=True)
class _Measure:
    """A measure as a function of sums over sentences.

    `sides` are A and B, ``[2, sentences, columns]``, `shared` ``[sentences]`` is what is the same
    for both (slots, gold tokens); `score` takes sums ``[..., columns]`` and ``[...]`` to ``[...]``
    and is what permutations are tested on; `link`, which must grow, takes it to the figure.
    """

    name: str
    sides: Floats
    shared: Floats
    score: Callable[[Floats, Floats], Floats] = _quotient
    link: Callable[[Floats], Floats] = _identity

    def figures(self) -> Floats:
        """Those of A and B, ``[2]``."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.link(self.score(self.sides.sum(1), self.shared.sum()))


def _measures(a: Result, b: Result) -> list[_Measure]:
    one, other = a.statistics, b.statistics
    _check_slots(one.slots, other.slots)
    if isinstance(one, PerplexityStatistics):
        return _perplexities(one, cast(PerplexityStatistics, other))
    return _restorations(one, cast(RestorationStatistics, other))


def _perplexities(a: PerplexityStatistics, b: PerplexityStatistics) -> list[_Measure]:
    sides = np.stack([a.log_likelihood, b.log_likelihood])[..., None]
    slots = a.slots.astype(np.float64)
    measures = [_Measure("perplexity", sides, slots, _surprise, _exponential)]
    scorable = np.isfinite(a.log_likelihood) & np.isfinite(b.log_likelihood)
    if not scorable.all():
        sides, slots = np.where(scorable[:, None], sides, 0), np.where(scorable, slots, 0)
        measures.append(_Measure("perplexity_of_scorable", sides, slots, _surprise, _exponential))
    return measures


def _restorations(a: RestorationStatistics, b: RestorationStatistics) -> list[_Measure]:
    _check_gold(a, b)
    edits, found, errors = (
        np.stack([np.stack(columns(side), -1) for side in (a, b)]).astype(np.float64)
        for columns in (_edits, _found, _errors)
    )
    slots, gold = a.slots.astype(np.float64), a.gold.sum(1).astype(np.float64)
    return [
        _Measure("average_edit_distance", edits, slots),
        _Measure("micro_f1", found, gold, _f1),
        _Measure("pairing_errors", errors, np.ones_like(slots)),
    ]


def _edits(side: RestorationStatistics) -> Sequence[npt.NDArray[np.int64]]:
    return (side.edit_distance,)


def _found(side: RestorationStatistics) -> Sequence[npt.NDArray[np.int64]]:
    return (side.true_positives.sum(1), side.predicted.sum(1))


def _errors(side: RestorationStatistics) -> Sequence[npt.NDArray[np.int64]]:
    return (side.predicted_pairing.sum(1),)


def _permuted(measures: Sequence[_Measure], resamples: int, seed: int) -> Floats:
    """The p of each measure, ``[measures]``.

    One sample of ones, whose permutations scipy defines to be changes of sign, stands for who is
    who in each sentence: with half the difference of A and B weighted by it, half the sum plus
    this is the total of the one and half the sum minus this that of the other.
    """
    half = [_exactly_summable((m.sides[0] - m.sides[1]) / 2) for m in measures]
    columns = np.concatenate(half, -1)
    ends = np.cumsum([part.shape[1] for part in half])[:-1]
    middles = [(m.sides[0].sum(0) + m.sides[1].sum(0)) / 2 for m in measures]

    def differences(signs: Floats, axis: int) -> Floats:
        offsets = np.split(signs @ columns, ends, -1)
        found = [
            m.score(middle + offset, m.shared.sum()) - m.score(middle - offset, m.shared.sum())
            for m, middle, offset in zip(measures, middles, offsets, strict=True)
        ]
        return np.stack(found, -1)

    with np.errstate(divide="ignore", invalid="ignore"):
        tested = stats.permutation_test(
            (np.ones(len(columns)),),
            differences,
            permutation_type="samples",
            vectorized=True,
            n_resamples=resamples,
            batch=max(1, _CELLS // len(columns)),
            rng=seed,
        )
    # NaN is on neither side of the observed difference: p would come out too small.
    undefined = np.isnan(tested.null_distribution).any(0)
    return np.where(undefined, np.nan, tested.pvalue)


def _exactly_summable(values: Floats) -> Floats:
    """Round ``[sentences, columns]`` so that sums with any signs are exact in any order.

    Then equal permutations give equal numbers, opposite ones opposite numbers, and what scipy
    counts as equal to the observed difference is equal.  The grid is as fine as 53 bits allow.
    """
    exponent = np.frexp(np.abs(values).sum(0))[1] - 52
    grid = np.ldexp(1.0, np.maximum(exponent, -1000))  # sums near 1e-300 would leave it zero
    return np.rint(values / grid) * grid


def _bootstrapped(measures: Sequence[_Measure], resamples: int, seed: int) -> Floats:
    """The interval of the difference of each measure, ``[measures, 2]``.

    What is sampled is the numbers of sentences, which keeps both systems paired.  Percentiles
    and not the corrected ones (BCa), which leave out every sentence once and fail where the
    systems never differ.
    """
    parts = [np.c_[m.sides[0], m.sides[1], m.shared] for m in measures]
    table = np.concatenate(parts, -1)
    ends = np.cumsum([part.shape[1] for part in parts])[:-1]

    def differences(numbers: npt.NDArray[np.int64], axis: int) -> Floats:
        # How often each sentence is in a sample, which costs less to sum with than its rows.
        rows, size = numbers.reshape(-1, len(table)), numbers.size
        places = rows + len(table) * np.arange(len(rows))[:, None]
        times = (
            np.bincount(places.ravel(), minlength=size).reshape(numbers.shape).astype(np.float64)
        )
        totals = np.split(times @ table, ends, -1)
        found: list[Floats] = []
        for m, sums in zip(measures, totals, strict=True):
            width = m.sides.shape[-1]
            one, other, shared = sums[..., :width], sums[..., width:-1], sums[..., -1]
            found.append(m.link(m.score(one, shared)) - m.link(m.score(other, shared)))
        return np.stack(found)

    quiet = np.errstate(divide="ignore", invalid="ignore", over="ignore")
    with quiet, warnings.catch_warnings():
        # Said where a sample has no measure, such as one without any mark: NaN says it, too.
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)
        sampled = stats.bootstrap(
            (np.arange(len(table)),),
            differences,
            vectorized=True,
            paired=True,
            axis=-1,
            confidence_level=CONFIDENCE,
            n_resamples=resamples,
            batch=max(1, _CELLS // len(table)),
            method="percentile",
            rng=seed,
        )
    return np.stack(sampled.confidence_interval, -1)


def _check_signatures(a: Result, b: Result) -> None:
    parts, others = split_signature(a.signature), split_signature(b.signature)
    for part in MUST_AGREE:
        one, other = (side.get(part, "not given") for side in (parts, others))
        if one != other:
            raise ResultError(
                f"A ({a.system}) and B ({b.system}) cannot be compared: the {part} of their "
                f"signatures is {one} for A and {other} for B; measure both with the same {part}"
            )


def _check_slots(a: npt.NDArray[np.int64], b: npt.NDArray[np.int64]) -> None:
    if len(a) != len(b):
        raise ResultError(f"A has {len(a)} sentences and B {len(b)}; {_AGAIN}")
    if len(a) < 2:
        raise ResultError(f"a test needs 2 sentences, and there are {len(a)}; measure more")
    for number in np.flatnonzero(a != b)[:1]:
        raise ResultError(
            f"sentence {number + 1} has {a[number]} slots in A and {b[number]} in B; {_AGAIN}"
        )


def _check_gold(a: RestorationStatistics, b: RestorationStatistics) -> None:
    marks = sorted({*a.marks, *b.marks})
    gold = np.zeros((2, len(a.slots), len(marks)), np.int64)
    for table, side in zip(gold, (a, b), strict=True):
        table[:, [marks.index(mark) for mark in side.marks]] = side.gold
    differing = np.argwhere(gold[0] != gold[1])
    for number, mark in differing[:1].tolist():
        raise ResultError(
            f"sentence {number + 1} has the mark {marks[mark]} {gold[0, number, mark]} times in "
            f"the gold punctuation of A and {gold[1, number, mark]} times in that of B; {_AGAIN}"
        )
    if a.pairs != b.pairs:
        raise ResultError(
            "pairing errors were counted with different pairs in A and B; store both results "
            "again with the same pairs"
        )


_AGAIN = "store the results of both on the same treebank again"
