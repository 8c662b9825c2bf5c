"""Paired significance tests of two stored results.

Every measure is a function of sums over sentences, so no system needs to be run again.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats  # pyright: ignore[reportMissingTypeStubs]

from semipunct.errors import ResultError, UsageError
from semipunct.evaluation.figures import finite_values
from semipunct.evaluation.metric import Floats, Measure, Statistics
from semipunct.evaluation.results import Result, join_signature, read_result, split_signature
from semipunct.wording import quantity

OWN = ("seed", "model")
"""Parts of a signature that may differ between runs of one system."""


def aggregate(runs: Sequence[Result]) -> Result:
    """Sum the runs of a system, sentence by sentence, into one result.

    Figures are then averages over runs (of perplexities, the geometric mean), and ``compare`` swaps
    all runs of a sentence together.
    """
    if not runs:
        raise ValueError("there are no runs to aggregate")
    if len(runs) == 1:
        return runs[0]
    parts = [split_signature(run.signature) for run in runs]
    shared = [{key: p for key, p in some.items() if key not in OWN} for some in parts]
    marks = sorted({mark for run in runs for mark in run.statistics.marks})
    statistics = [run.statistics.on_marks(marks) for run in runs]
    for run, some, statistics_of_run in zip(runs, shared, statistics, strict=True):
        if some != shared[0] or not _of_the_same(statistics[0], statistics_of_run):
            raise ResultError(
                f"{runs[0].system} and {run.system} are not runs of one system on the same "
                f"sentences: {runs[0].signature} and {run.signature}"
            )
        for name, kind in statistics_of_run.settings.items():
            if getattr(statistics_of_run, name) != getattr(statistics[0], name):
                raise ResultError(
                    f"the {kind.counted} of the runs were counted with different {name}"
                )
    systems_of_runs = {key: "+".join(some[key] for some in parts) for key in OWN if key in parts[0]}
    sums = {
        name: np.sum([statistics_of_run.column(name) for statistics_of_run in statistics], 0)
        for name in statistics[0].columns
    }
    signature = join_signature({**shared[0], **systems_of_runs})
    return Result(runs[0].system, signature, replace(statistics[0], **sums))


def _of_the_same(a: Statistics, b: Statistics) -> bool:
    fixed_columns = [name for name, kind in a.columns.items() if kind.given]
    return all(np.array_equal(a.column(name), b.column(name)) for name in fixed_columns)


CONFIDENCE = 0.95

MUST_AGREE = ("task", "treebank")
"""Parts of a signature that define the prediction task, beside the ``conditions`` of the metric."""

# Sentences times resamples per batch: about 100 megabytes.
_CELLS = 1 << 20


@dataclass(frozen=True, slots=True)
class Difference:
    """One measure of two systems, A and B.

    Attributes:
        low: the lower end of the bootstrap confidence interval; NaN if undefined.
        p: the p-value of the two-sided paired permutation test; NaN if the difference is infinite,
            or undefined in a permutation.
    """

    measure: str
    label: str
    a: float
    b: float
    difference: float
    low: float
    high: float
    p: float


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """The comparison of two results.

    Attributes:
        resamples: the number of permutations (each is used once if fewer exist), and of bootstrap
            samples.
    """

    a: Result
    b: Result
    sentences: int
    resamples: int
    seed: int
    confidence: float
    differences: tuple[Difference, ...]

    def __repr__(self) -> str:
        rows = (
            f"{row.label.strip()} {row.a:.4f} and {row.b:.4f} (p = {row.p:.2g})"
            for row in self.differences
        )
        return f"<Comparison of {self.a.system} and {self.b.system}: {', '.join(rows)}>"

    def as_dict(self) -> dict[str, Any]:
        """Return all but the statistics for JSON."""
        values = {
            "task": self.a.task,
            "a": {"system": self.a.system, "signature": self.a.signature},
            "b": {"system": self.b.system, "signature": self.b.signature},
            "sentences": self.sentences,
            "resamples": self.resamples,
            "seed": self.seed,
            "confidence": self.confidence,
            "measures": {
                d.measure: {
                    **{name: getattr(d, name) for name in ("a", "b", "difference")},
                    **{"interval": [d.low, d.high], "p": d.p},
                }
                for d in self.differences
            },
        }
        return finite_values(values)


def _compared(a: Result, b: Result, resamples: int, seed: int) -> Comparison:
    if resamples < 1 or seed < 0:
        raise UsageError(
            f"{quantity(resamples, 'resample')} with seed {seed}: give at least 1, and a seed "
            "from 0"
        )
    _check_signatures(a, b)
    _check_statistics(a.statistics, b.statistics)
    differing = (_pair(measure, a.statistics, b.statistics) for measure in a.statistics.measures)
    pairs = [pair for pair in differing if pair is not None]
    p, ends = np.full(len(pairs), np.nan), np.full((len(pairs), 2), np.nan)
    tested = [number for number, pair in enumerate(pairs) if np.isfinite(pair.sides).all()]
    if tested:
        p[tested] = _permuted([pairs[number] for number in tested], resamples, seed)
        ends[tested] = _bootstrapped([pairs[number] for number in tested], resamples, seed)
    tests = zip(pairs, p.tolist(), ends.tolist(), strict=True)
    differences = tuple(_difference(pair, chance, interval) for pair, chance, interval in tests)
    return Comparison(a, b, len(a.statistics), resamples, seed, CONFIDENCE, differences)


@dataclass(frozen=True, slots=True)
class _Pair:
    """A measure with its summands.

    Attributes:
        sides: ``[2, sentences, columns]`` of each system.
        shared: ``[sentences]`` of both systems.
    """

    measure: Measure
    sides: Floats
    shared: Floats


def _pair(measure: Measure, a: Statistics, b: Statistics) -> _Pair | None:
    sides, shared = np.stack([a.sums(measure), b.sums(measure)]), a.shared(measure)
    if measure.of_finite:
        counted = np.all(np.isfinite(sides), axis=(0, 2), keepdims=True)
        if counted.all():
            return None
        sides, shared = np.where(counted, sides, 0), np.where(counted[0, :, 0], shared, 0)
    return _Pair(measure, sides, shared)


def _difference(pair: _Pair, p: float, interval: Sequence[float]) -> Difference:
    measure, (low, high) = pair.measure, interval
    a, b = measure.figure(pair.sides.sum(1), pair.shared.sum()).tolist()
    return Difference(measure.name, measure.label, a, b, a - b, low, high, p)


def _permuted(pairs: Sequence[_Pair], resamples: int, seed: int) -> Floats:
    """Return the p-value of each measure, ``[measures]``."""
    # SciPy permutes a single sample by changing signs. Our sample is a vector of ones whose signs
    # encode swapped sentences: half the differences between A and B, weighted by the signs, are
    # added to half the total for A, and subtracted for B.
    half = [_exactly_summable((pair.sides[0] - pair.sides[1]) / 2) for pair in pairs]
    columns = np.concatenate(half, -1)
    ends = np.cumsum([part.shape[1] for part in half])[:-1]
    middles = [(pair.sides[0].sum(0) + pair.sides[1].sum(0)) / 2 for pair in pairs]

    def differences(signs: Floats, axis: int) -> Floats:
        offsets = np.split(signs @ columns, ends, -1)
        differences: list[Floats] = []
        for pair, middle, offset in zip(pairs, middles, offsets, strict=True):
            score, shared = pair.measure.score, pair.shared.sum()
            differences.append(score(middle + offset, shared) - score(middle - offset, shared))
        return np.stack(differences, -1)

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
    # NaN compares as false with the observed difference, so p would be too small.
    undefined = np.isnan(tested.statistic) | np.isnan(tested.null_distribution).any(0)
    return np.where(undefined, np.nan, tested.pvalue)


def _exactly_summable(values: Floats) -> Floats:
    """Round ``[sentences, columns]`` so that sums with any signs are exact."""
    # Equivalent permutations then give equal or opposite numbers, so SciPy's comparison with the
    # observed difference is exact.
    exponent = np.frexp(np.abs(values).sum(0))[1] - 52
    grid = np.ldexp(1.0, np.maximum(exponent, -1000))  # nonzero for sums near 1e-300
    return np.rint(values / grid) * grid


def _bootstrapped(pairs: Sequence[_Pair], resamples: int, seed: int) -> Floats:
    """Return the confidence interval of the difference of each measure, ``[measures, 2]``."""
    # Sentence indices are sampled, which keeps both systems paired. Bias correction (BCa) would
    # require a jackknife over all sentences, and fails if the systems never differ.
    parts = [np.c_[pair.sides[0], pair.sides[1], pair.shared] for pair in pairs]
    table = np.concatenate(parts, -1)
    ends = np.cumsum([part.shape[1] for part in parts])[:-1]

    def differences(numbers: npt.NDArray[np.int64], axis: int) -> Floats:
        # Multiplying by the count of each sentence in a sample is faster than summing its rows.
        totals = np.split(_occurrences(numbers) @ table, ends, -1)
        differences: list[Floats] = []
        for pair, sums in zip(pairs, totals, strict=True):
            width, figure = pair.sides.shape[-1], pair.measure.figure
            sums_of_a, sums_of_b, shared = sums[..., :width], sums[..., width:-1], sums[..., -1]
            differences.append(figure(sums_of_a, shared) - figure(sums_of_b, shared))
        return np.stack(differences)

    quiet = np.errstate(divide="ignore", invalid="ignore", over="ignore")
    with quiet, warnings.catch_warnings():
        # A measure may be undefined (NaN) in a sample, for example without any mark.
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)
        # A single sample has no standard error, but it is not used.
        warnings.filterwarnings("ignore", "Degrees of freedom", RuntimeWarning)
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


def _occurrences(numbers: npt.NDArray[np.int64]) -> Floats:
    """Count the numbers 0 to n - 1 in samples ``[..., n]``."""
    rows = numbers.reshape(-1, numbers.shape[-1])
    places = rows + rows.shape[1] * np.arange(len(rows))[:, None]
    counts = np.bincount(places.ravel(), minlength=numbers.size)
    return counts.reshape(numbers.shape).astype(np.float64)


def _check_signatures(a: Result, b: Result) -> None:
    parts, parts_of_b = split_signature(a.signature), split_signature(b.signature)
    for part in (*MUST_AGREE, *a.statistics.conditions):
        value_of_a, value_of_b = (side.get(part, "not given") for side in (parts, parts_of_b))
        if value_of_a != value_of_b:
            raise ResultError(
                f"A ({a.system}) and B ({b.system}) cannot be compared: the {part} of their "
                f"signatures is {value_of_a} for A and {value_of_b} for B; measure both with the "
                f"same {part}"
            )


def _check_statistics(a: Statistics, b: Statistics) -> None:
    if len(a) != len(b):
        raise ResultError(f"A has {quantity(len(a), 'sentence')} and B {len(b)}; {_AGAIN}")
    if len(a) < 2:
        raise ResultError(f"a test needs at least 2 sentences, not {len(a)}; evaluate more")
    marks = sorted({*a.marks, *b.marks})
    columns_of_a, columns_of_b = a.on_marks(marks), b.on_marks(marks)
    for name, column in a.columns.items():
        disagreement = column.given and column.disagreement(
            name, columns_of_a.column(name), columns_of_b.column(name), marks
        )
        if disagreement:
            raise ResultError(f"{disagreement}; {_AGAIN}")
    for name, setting in a.settings.items():
        if getattr(a, name) != getattr(b, name):
            raise ResultError(
                f"{setting.counted} were counted with different {name} in A and B; store both "
                f"results again with the same {name}"
            )


_AGAIN = "store the results of both on the same treebank again"


System = Result | str | Path
"""A result in memory, or the path of a stored result or of a folder of results."""


def compare(a: System, b: System, *, resamples: int = 10_000, seed: int = 0) -> Comparison:
    """Test whether two systems differ significantly, without running them again.

    Under the null hypothesis the systems are exchangeable: a permutation swaps the outputs of A and
    B in a subset of the sentences. p is twice the proportion of permutations at least as extreme on
    the side of the observed difference, which is included (``scipy.stats.permutation_test``; Li,
    Wang and Eisner 2019, tables 3 and 6, figure 4). The interval contains the middle 95% of the
    differences, A minus B, in bootstrap samples of the sentences.

    Args:
        a: a system; ``-`` is standard input. Several runs, such as three seeds, are aggregated.
        b: another system, evaluated on the same sentences in the same number of runs.
        resamples: the number of permutations, and of bootstrap samples.

    Raises:
        ResultError: if a result is missing or damaged, or the two cannot be compared.
        UsageError: if the numbers of runs differ, or ``resamples`` or the seed is out of range.
    """
    runs_of_a, runs_of_b = _runs(a), _runs(b)
    names = [side.system if isinstance(side, Result) else str(side) for side in (a, b)]
    if len(runs_of_a) != len(runs_of_b):
        raise UsageError(
            f"A = {names[0]} has {quantity(len(runs_of_a), 'run')}, B = {names[1]} has "
            f"{len(runs_of_b)}; give the same number of runs"
        )
    try:
        return _compared(aggregate(runs_of_a), aggregate(runs_of_b), resamples, seed)
    except ResultError as error:
        raise ResultError(f"A = {names[0]}, B = {names[1]}: {error}") from error


def _runs(side: System) -> list[Result]:
    if isinstance(side, Result):
        return [side]
    folder = Path(side)
    if not folder.is_dir():
        return [read_result(side)]
    files = sorted(f for f in folder.iterdir() if f.name.endswith((".json", ".json.gz")))
    if not files:
        raise ResultError(f"{side}: a folder without results (.json or .json.gz); name another one")
    return [read_result(file) for file in files]
