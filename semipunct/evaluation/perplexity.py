"""Perplexity of punctuation, given words and trees."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from semipunct.evaluation.figures import Figures, Number, Real
from semipunct.evaluation.metric import (
    Column,
    Counts,
    Floats,
    LogLikelihood,
    Measure,
    SlotCount,
    Statistics,
)


class PerplexityFigures(Figures, frozen=True):
    """Figures of the prediction of the punctuation of a corpus."""

    schema = "semipunct.evaluate/1"
    perplexity: Annotated[
        Real, Meta(title="perplexity per slot", description="per slot; null is infinite")
    ]
    log_likelihood: Annotated[
        Real,
        Meta(
            title="log-likelihood (nats)",
            description="natural; null is minus infinity",
            extra={"format": ",.2f"},
        ),
    ]
    slots: Annotated[Number, Meta(title="slots", description="n + 1 for a sentence of n words")]
    sentences: Annotated[Number, Meta(title="sentences")]
    unscorable: Annotated[
        Number, Meta(title="  of probability zero", description="sentences of probability zero")
    ]
    perplexity_of_scorable: Annotated[Real, Meta(title="perplexity without these")]

    @classmethod
    def of(cls, log_likelihood: Floats, slots: Counts) -> PerplexityFigures:
        """Compute the figures from log-likelihoods, possibly NaN, and slots, ``[sentences]``."""
        scorable = ~np.isneginf(log_likelihood)
        total, number = float(log_likelihood.sum()), int(slots.sum())
        return cls(
            sentences=len(slots),
            slots=number,
            log_likelihood=total,
            unscorable=int((~scorable).sum()),
            perplexity=perplexity(total, number),
            perplexity_of_scorable=perplexity(
                float(log_likelihood[scorable].sum()), int(slots[scorable].sum())
            ),
        )

    def rows(self) -> list[tuple[str, str]]:
        rows = super().rows()
        return rows if self.unscorable else rows[:-2]


def perplexity(log_likelihood: float, slots: int) -> float:
    """Return the perplexity per slot, exp(-log p / slots); NaN if there is no slot.

    The exponential is C's, because the last digit of NumPy's depends on the processor.
    """
    if not slots:
        return math.nan
    try:
        return math.exp(-log_likelihood / slots)
    except OverflowError:
        return math.inf


def surprisal(totals: Floats, slots: Floats) -> Floats:
    """Return the negative log-likelihood per slot.

    A swap does not change the sum of two log-likelihoods, so the difference of perplexities is an
    increasing function of the difference of surprisals, and has the same p-value.
    """
    return -totals[..., 0] / slots


@dataclass(frozen=True, slots=True, eq=False)
class PerplexityStatistics(Statistics[PerplexityFigures]):
    """The contribution of each sentence to ``PerplexityFigures``.

    Attributes:
        log_likelihood: ``[sentences]`` log p(x | T), natural.
    """

    task: ClassVar[str] = "perplexity"
    columns: ClassVar[Mapping[str, Column]] = {
        "slots": SlotCount(),
        "log_likelihood": LogLikelihood(),
    }
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure(
            "perplexity", "perplexity per slot", ("log_likelihood",), "slots", surprisal, np.exp
        ),
        Measure(
            "perplexity_of_scorable", "  where both can score", ("log_likelihood",), "slots",
            surprisal, np.exp, of_finite=True,
        ),
    )  # fmt: skip
    conditions: ClassVar[tuple[str, ...]] = ("tokens",)

    log_likelihood: Floats
    slots: Counts

    def figures(self) -> PerplexityFigures:
        return PerplexityFigures.of(self.log_likelihood, self.slots)
