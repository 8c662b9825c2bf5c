"""Checks with large weights, in double precision, in other semirings and outside compilation."""

from __future__ import annotations

from collections.abc import Mapping

import jax
import numpy as np

from semipunct.structures.testing import questions
from semipunct.structures.testing.answers import Check
from semipunct.structures.testing.case import Weighted
from semipunct.structures.testing.comparisons import (
    expect,
    expect_number,
    expect_parts,
    require,
)
from semirings.base import Semiring
from semirings.boolean import Boolean
from semirings.divergence import Entropy
from semirings.expectation import Expectation
from semirings.kbest import KBest
from semirings.numerics import log_times
from semirings.viterbi import Viterbi

SHIFTS = (90.0, -90.0)
"""Terms added to every log weight: beyond exp(88), the range of floats in single precision."""

SPREAD = 8.0
"""The factor of the differences between log weights."""

OTHERS: tuple[Semiring, ...] = (Viterbi(), Boolean(), KBest(2), Expectation(), Entropy())
"""Semirings whose totals are compared, besides those of all questions."""


def large_weights(w: Weighted) -> None:
    """Check sums and the best with log weights around 90 and around -90, some 50 apart."""
    for shift in SHIFTS:
        far = w.weighing(jax.tree.map(lambda x, s=shift: SPREAD * x + s, w.structure.log_weights))
        scale = max(1.0, *(abs(e.log_partition) for _, e in far.each()))
        tolerance = w.close * scale
        sums, answer = questions.sums(far), questions.best(far)
        for item, e in far.each():
            description = f"of item {item} with log weights near {shift}"
            for name, computed, expected in (
                ("log partition", sums.log_partition, e.log_partition),
                ("log weight of the best", answer.log_weight, e.log_weight.max()),
            ):
                np.testing.assert_allclose(
                    computed[item],
                    expected,
                    rtol=w.close,
                    atol=tolerance,
                    err_msg=f"{name} {description}",
                )
            np.testing.assert_allclose(
                far.flat(sums.marginals, item), e.marginals, rtol=tolerance, atol=tolerance,
                err_msg=f"marginals {description}",
            )  # fmt: skip


def double_precision(w: Weighted) -> None:
    """Check sums in double precision, where arithmetic in single precision shows."""
    with jax.enable_x64(True):
        precise = w.case.with_weights(w.base)
        require(
            precise.dtype == np.float64,
            f"log weights are {precise.dtype} where double precision is enabled; let the case "
            "build them in JAX's default precision",
        )
        sums = precise.ask(questions.sums)
        expect(precise, sums.log_partition, lambda e: e.log_partition, "log partition")
        expect_parts(precise, sums.marginals, lambda _, e: e.marginals, "marginals")


def without_compilation(w: Weighted) -> None:
    """Check the total outside compiled programs."""
    total = w.structure.total(w.base)
    log_partition = log_times(w.base.log_weight(total.value), total.log_scale)
    expect(w, log_partition, lambda e: e.log_partition, "log partition, not compiled,")


def totals_of_nothing(w: Weighted) -> None:
    """Check that totals without parts are zero, and others are not, in further semirings."""
    nothing = w.ask(Weighted.impossible)
    empty = [e.log_weight.max() > -np.inf for _, e in nothing.each()]
    for semiring, totals in zip(OTHERS, questions.totals(nothing, OTHERS), strict=True):
        read = np.asarray(totals)
        require(
            (read > -np.inf).tolist() == empty and not np.isnan(read).any(),
            f"totals without parts in {semiring!r} read {read}; "
            f"only items {np.flatnonzero(empty).tolist()} have a derivation without parts",
        )
    for semiring, totals in zip(OTHERS, questions.totals(w, OTHERS), strict=True):
        if isinstance(semiring, Boolean):
            continue  # It does not read back weights.
        best = isinstance(semiring, (Viterbi, KBest))
        expected = [e.log_weight.max() if best else e.log_partition for _, e in w.each()]
        expect_number(w, totals, expected, f"total of each item in {semiring!r}")


RANGE: Mapping[str, Check] = {
    "large weights": large_weights,
    "double precision": double_precision,
    "uncompiled": without_compilation,
    "totals of nothing": totals_of_nothing,
}
"""Checks by name."""
