"""Log odds of a model, made to fit the treebank that is judged.

A model is surer than it should be, and of some marks more than of others: of 100 places where it
gives a final period 95%, the treebank has a period at fewer than 95. Platt's scaling (1999)
replaces the log odds o of a mark by a o + b, with which the marks as written have the largest
likelihood. A few errors among them hardly matter, and errors need not be known
(docs/decisions/0056-suspicious-marks.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from scipy.optimize import minimize  # pyright: ignore[reportMissingTypeStubs]
from scipy.special import expit  # pyright: ignore[reportMissingTypeStubs]

from semipunct.marks import Puncteme

Context: TypeAlias = tuple[str, Puncteme]
"""The position of a slot in its sentence, and the tokens that stand there or do not."""

_LEAST, _RARER = 100, 20
"""Fewer slots than the first number, or fewer than the second with the mark or without, are no
evidence."""

_PRIOR = 5.0
"""The precision of a normal prior around the odds as they are."""

_CLIP = 30.0
"""Larger odds tell nothing more."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Slopes and intercepts of log odds.

    Attributes:
        lines: of each context with enough evidence; those of others stay as they are.
    """

    lines: Mapping[Context, tuple[float, float]] = field(
        default_factory=dict[Context, tuple[float, float]]
    )

    @classmethod
    def of(cls, seen: Iterable[tuple[Context, float, bool]]) -> Calibration:
        """Fit slopes and intercepts.

        Args:
            seen: of each slot that has a mark or could have it: the context, the log odds of the
                mark against nothing, and whether the mark is written.
        """
        rows: dict[Context, list[tuple[float, bool]]] = {}
        for context, log_odds, is_written in seen:
            rows.setdefault(context, []).append((log_odds, is_written))
        lines: dict[Context, tuple[float, float]] = {}
        for context, pairs in rows.items():
            odds, written = np.asarray(pairs, float).T
            if len(pairs) >= _LEAST and _RARER <= written.sum() <= len(pairs) - _RARER:
                slope, intercept = _fit(np.clip(odds, -_CLIP, _CLIP), written)
                if slope > 0:  # else the model knows nothing of the mark
                    lines[context] = slope, intercept
        return cls(lines)

    def log_odds(self, context: Context, log_odds: float, *, is_written: bool) -> float:
        """Return the log odds of another string than the written one.

        Args:
            context: the position and the tokens that differ.
            log_odds: those of the model.
            is_written: whether these tokens are written, and the other string lacks them.
        """
        slope, intercept = self.lines.get(context, (1.0, 0.0))
        return slope * log_odds + (-intercept if is_written else intercept)


def _fit(odds: np.ndarray, written: np.ndarray) -> tuple[float, float]:
    """Maximise the posterior of slope and intercept, which is concave."""
    inputs = np.stack([odds, np.ones_like(odds)])
    usual = np.array([1.0, 0.0])

    def loss(line: np.ndarray) -> tuple[float, np.ndarray]:
        scores, distance = line @ inputs, line - usual
        value = np.logaddexp(0, scores).sum() - written @ scores
        gradient = inputs @ (expit(scores) - written) + _PRIOR * distance
        return float(value + _PRIOR / 2 * distance @ distance), gradient

    slope, intercept = minimize(loss, usual, jac=True, method="BFGS").x
    return float(slope), float(intercept)
