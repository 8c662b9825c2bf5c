import itertools
import json
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import cast

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from semipunct.errors import ResultError, UsageError
from semipunct.evaluation.comparison import Comparison, Difference, compare
from semipunct.evaluation.restoration import RestorationStatistics, restoration_statistics
from semipunct.marks import Puncteme
from tests.evaluation.cases import GOLD, PREDICTED, restored, scored

SIX_A = scored([-1.0, -2.5, -0.5, -4.0, -1.5, -2.0], [3, 5, 2, 7, 4, 4])
SIX_B = scored([-1.5, -2.0, -1.0, -5.0, -1.5, -2.5], [3, 5, 2, 7, 4, 4])


def found(comparison: Comparison) -> dict[str, Difference]:
    return {difference.measure: difference for difference in comparison.differences}


def enumerated(
    a: Sequence[Sequence[float]],
    b: Sequence[Sequence[float]],
    measure: Callable[[Sequence[float]], float | Fraction],
) -> Fraction:
    """Compute p from its definition: every way of swapping rows of A and B, one by one."""

    def difference(swaps: Sequence[bool]) -> float | Fraction:
        pairs = [(y, x) if s else (x, y) for x, y, s in zip(a, b, swaps, strict=True)]
        one, other = (
            measure([sum(column) for column in zip(*(pair[side] for pair in pairs), strict=True)])
            for side in (0, 1)
        )
        return one - other

    observed = abs(difference([False] * len(a)))
    every = [abs(difference(s)) for s in itertools.product([False, True], repeat=len(a))]
    return Fraction(sum(value >= observed for value in every), len(every))


def test_p_of_perplexity_is_that_of_all_permutations():
    # Multiples of a half, so that sums are exact here as well.
    def log_likelihood(sums: Sequence[float]) -> float:
        return sums[0]

    sides = [cast(list[float], r.statistics.log_likelihood.tolist()) for r in (SIX_A, SIX_B)]
    one, other = ([[value] for value in side] for side in sides)
    expected = enumerated(one, other, log_likelihood)
    difference = found(compare(SIX_A, SIX_B))["perplexity"]
    assert difference.a == pytest.approx(math.exp(11.5 / 25))
    assert difference.b == pytest.approx(math.exp(13.5 / 25))
    assert difference.difference == difference.a - difference.b
    # The sentences differ by 1/2, -1/2, 1/2, 1, 0, 1/2, together 2. With signs, four halves and 1
    # make 2 or more if 1 is positive and at most one half negative: 5 ways of 32; -2 the same.
    assert expected == Fraction(5 + 5, 32)
    assert difference.p == expected


@given(st.lists(st.sampled_from([3, 7777, -3, -7777]), min_size=8, max_size=8))
@example([-3, -3, 3, -3, 7777, 3, -7777, -3])
def test_ties_are_ties_whatever_the_rounding(tenths: list[int]):
    # When large differences cancel, their last bits exceed a tolerance relative to the remainder:
    # the example fails if sums depend on their order.
    slots = [2] * len(tenths)
    a, b = (scored([min(side * t, 0) / 10 for t in tenths], slots) for side in (1, -1))
    one, other = ([[min(side * t, 0)] for t in tenths] for side in (1, -1))

    def log_likelihood(sums: Sequence[float]) -> float:
        return sums[0]

    assert found(compare(a, b))["perplexity"].p == enumerated(one, other, log_likelihood)


def test_a_perplexity_beyond_the_numbers_is_infinite():
    a, b = scored([-9000.0, -1.0], [2, 2]), scored([-1.0, -1.0], [2, 2])
    difference = found(compare(a, b))["perplexity"]
    assert (difference.a, difference.difference, difference.p) == (math.inf, math.inf, 1)


SIX_GOLD: list[list[Puncteme]] = [
    [(), (",",), (".",)],
    [("(",), (",",), (")",), ()],
    [(), (".",)],
    [(), (), (".",)],
    [("“",), ("”",), (".",)],
    [(), (",",), (",",), (".",)],
]
SIX_PREDICTED: list[list[list[Puncteme]]] = [
    [
        [(), (), (".",)],
        [("(",), (), (), ()],
        [(), (",",)],
        [(), ("(",), (".",)],
        [("“",), ("”",), (".",)],
        [(), (",",), (), (".",)],
    ],
    [
        [(",",), (",",), (".",)],
        [("(",), (",",), (")",), ()],
        [(), (".",)],
        [(), (), (".",)],
        [("“",), (".", "”"), (".",)],
        [(), (",",), (",",), (".",)],
    ],
]


def rows(statistics: RestorationStatistics) -> list[list[int]]:
    """For each sentence: edits, true positives, predicted marks, pairing errors, exact match."""
    columns = [
        statistics.edit_distance,
        statistics.true_positives.sum(1),
        statistics.predicted.sum(1),
        statistics.predicted_pairing.sum(1),
        statistics.exact_slots,
        statistics.exact_slots == statistics.slots,
    ]
    return np.stack(columns, -1).tolist()


def test_p_of_restoration_is_that_of_all_permutations():
    one, other = (rows(restoration_statistics(SIX_GOLD, side)) for side in SIX_PREDICTED)
    gold, slots = 13, 19
    measures: dict[str, Callable[[Sequence[float]], Fraction]] = {
        "average_edit_distance": lambda sums: Fraction(int(sums[0]), slots),
        "micro_f1": lambda sums: Fraction(2 * int(sums[1]), int(sums[2]) + gold),
        "micro_precision": lambda sums: Fraction(int(sums[1]), int(sums[2])),
        "micro_recall": lambda sums: Fraction(int(sums[1]), gold),
        "slot_accuracy": lambda sums: Fraction(int(sums[4]), slots),
        "sentence_accuracy": lambda sums: Fraction(int(sums[5]), 6),
        "pairing_errors": lambda sums: Fraction(int(sums[3]), 6),
    }
    a, b = (restored(SIX_GOLD, side) for side in SIX_PREDICTED)
    differences = found(compare(a, b))
    assert list(differences) == list(measures)
    for name, measure in measures.items():
        expected = enumerated(one, other, measure)
        assert 0 < expected < 1, name  # otherwise the case would prove little
        assert differences[name].p == expected, name
        for side, data in (("a", one), ("b", other)):
            figure = measure([sum(column) for column in zip(*data, strict=True)])
            assert getattr(differences[name], side) == pytest.approx(float(figure))


def drawn(random: np.random.Generator, number: int) -> list[list[Puncteme]]:
    """Sentences with random slots."""
    strings: list[Puncteme] = [(), (), (), (",",), (".",), ("(",), (")",), (",", "(")]
    return [
        [strings[random.integers(len(strings))] for _ in range(random.integers(2, 8))]
        for _ in range(number)
    ]


def changed(
    random: np.random.Generator, gold: list[list[Puncteme]], share: float
) -> list[list[Puncteme]]:
    """Return a copy with a fraction of the slots emptied or filled."""
    return [
        [(slot if random.random() > share else (".",)[bool(slot) :]) for slot in s] for s in gold
    ]


def test_a_planted_difference_is_found():
    random = np.random.default_rng(1)
    gold = drawn(random, 150)
    a, b = (restored(gold, changed(random, gold, share)) for share in (0.1, 0.25))
    differences = found(compare(a, b, resamples=999))
    edits, f1 = differences["average_edit_distance"], differences["micro_f1"]
    assert edits.p == f1.p == 2 / 1000  # no permutation is as extreme
    assert edits.low < edits.difference < edits.high < 0
    assert 0 < f1.low < f1.difference < f1.high


def test_sentences_of_probability_zero():
    a = scored([-1.0, -math.inf, -0.5, -4.0], [3, 5, 2, 7])
    b = scored([-1.5, -2.0, -1.0, -5.0], [3, 5, 2, 7])
    differences = found(compare(a, b))
    everything, rest = differences["perplexity"], differences["perplexity_of_scorable"]
    assert (everything.a, everything.difference) == (math.inf, math.inf)
    assert everything.b == pytest.approx(math.exp(9.5 / 17))
    assert math.isnan(everything.p)
    assert math.isnan(everything.low)
    without = (scored(s, [3, 2, 7]) for s in ([-1.0, -0.5, -4.0], [-1.5, -1.0, -5.0]))
    alone = found(compare(*without))["perplexity"]
    assert (rest.a, rest.b, rest.p) == (alone.a, alone.b, alone.p)
    assert rest.p == 2 / 8
    both = found(compare(a, a))["perplexity"]
    assert math.isnan(both.difference)
    json.dumps(compare(a, b).as_dict(), allow_nan=False)


def test_without_any_mark_f1_is_undefined():
    gold: list[list[Puncteme]] = [[(), ()]] * 3
    some: list[list[Puncteme]] = [[(), (".",)], [(), ()], [(), ()]]
    nothing = found(compare(restored(gold, gold), restored(gold, gold)))
    assert math.isnan(nothing["micro_f1"].a)
    assert math.isnan(nothing["micro_f1"].p)
    assert nothing["average_edit_distance"].p == 1
    # One system writes no mark, and in some permutations neither does.
    differences = found(compare(restored(gold, gold), restored(gold, some)))
    assert math.isnan(differences["micro_f1"].p)
    assert differences["average_edit_distance"].p == 1
    json.dumps(compare(restored(gold, gold), restored(gold, some)).as_dict(), allow_nan=False)
    # Each writes one mark; some permutations assign both to the same system.
    others = found(compare(restored(gold, some), restored(gold, some[::-1])))
    assert (others["micro_f1"].a, others["micro_f1"].b) == (0, 0)
    assert math.isnan(others["micro_f1"].p)


@pytest.mark.parametrize(
    "parts, complaint",
    [
        ({"treebank": "t2"}, "treebank .*is t1 for A and t2 for B.*with the same treebank"),
        ({"tokens": ">=2"}, "tokens .*>=5 for A and >=2 for B"),
    ],
)
def test_results_over_different_data_are_refused(parts: dict[str, str], complaint: str):
    other = scored([-1.0, -2.0], [2, 3], **parts)
    with pytest.raises(ResultError, match=complaint):
        compare(scored([-1.0, -2.0], [2, 3]), other)


def test_other_sentences_are_refused():
    a = scored([-1.0, -2.0], [2, 3])
    cases = [
        (a, restored(GOLD, PREDICTED), "task .*perplexity for A and restoration for B"),
        (a, scored([-1.0], [2]), "A has 2 sentences and B 1"),
        (a, scored([-1.0, -2.0], [2, 4]), "sentence 2 has 3 slots in A and 4 in B"),
        (scored([-1.0], [2]), scored([-1.0], [2]), "needs at least 2 sentences, not 1; evaluate"),
        (scored([], []), scored([], []), "needs at least 2 sentences, not 0; evaluate"),
        (
            restored(GOLD, PREDICTED),
            restored([*GOLD[:3], [(), ("?",)]], PREDICTED),
            r"sentence 4 has the mark \. 1 time in the gold .*of A and 0 times",
        ),
    ]
    for one, other, complaint in cases:
        with pytest.raises(ResultError, match=complaint):
            compare(one, other)


@pytest.mark.parametrize("options", [{"resamples": 0}, {"seed": -1}])
def test_numbers_that_make_no_sense(options: dict[str, int]):
    with pytest.raises(UsageError, match="resamples with seed"):
        compare(SIX_A, SIX_B, **options)
    assert compare(SIX_A, SIX_B, resamples=1, seed=0).resamples == 1
