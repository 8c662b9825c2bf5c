"""The probability from which a mark is worth inserting, for the highest F1.

For a sum of binary decisions F1 = 2 tp / (inserted + needed), so the best decisions insert every
mark whose probability exceeds half of the F1 that they reach (Lipton, Elkan and Naryanaswamy 2014,
theorem 1). The optimum is found on held-out text by trying every probability there.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

UNTRAINED = 0.5
"""The threshold where there is nothing to fit it to."""


def best_threshold(
    probability: npt.NDArray[np.floating], right: npt.NDArray[np.bool_], marked_slots: int
) -> float:
    """Return the threshold that gives the highest F1.

    Args:
        probability: ``[slots]`` of the most probable mark of each slot.
        right: ``[slots]`` whether that mark is the one in the text.
        marked_slots: the number of slots with a mark in the text.
    """
    order = np.argsort(-probability, kind="stable")
    ranked = probability[order]
    if not marked_slots or not np.isfinite(ranked).all() or not len(ranked):
        return UNTRAINED
    hits = np.cumsum(right[order])
    f1 = 2 * hits / (np.arange(1, len(hits) + 1) + marked_slots)
    best = int(np.argmax(f1))
    # In the middle between the last inserted mark and the first one that is not.
    below = ranked[best + 1] if best + 1 < len(ranked) else 0.0
    return float(np.clip((ranked[best] + below) / 2, 0.05, 0.95))
