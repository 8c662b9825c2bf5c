"""Calibration of the probability that a token ends a sentence.

A tokeniser has seen its training text several times, and is more certain of the sentences of other
text than it should be. Temperature scaling (Guo et al. 2017, section 4.2) divides the log-odds of
sentence ends by a constant, the one with which held-out sentence ends are most probable.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

HIGHEST = 8.0
"""The maximum temperature; the minimum is 1, since few held-out sentences cannot show more."""


def temperature(log_odds: npt.NDArray[np.floating], ends: npt.NDArray[np.bool_]) -> float:
    """Return the temperature with which the given sentence ends are most probable.

    Args:
        log_odds: ``[tokens]`` of each token being a sentence end.
        ends: ``[tokens]`` whether it is one.
    """
    # Only training calibrates, and the import takes longer than that of all else here.
    from scipy.optimize import minimize_scalar  # pyright: ignore[reportMissingTypeStubs]

    right = np.where(ends, log_odds, -log_odds).astype(np.float64)
    right = right[np.isfinite(right)]  # NaN: training has diverged, which the next step reports
    if not len(right):
        return 1.0

    def loss(inverse: float) -> float:
        return float(np.logaddexp(0.0, -inverse * right).mean())

    minimum: Any = minimize_scalar(loss, bounds=(1 / HIGHEST, 1.0), method="bounded")
    return 1 / float(minimum.x)
