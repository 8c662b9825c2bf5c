"""The check that a case is large enough to show faults in the middle, and empty enough at its ends.

A fault in the ninth position, in the fifth item, in the fifth of some labels or in empty items does
not show in a case that has none of these; the other checks would pass.
"""

from __future__ import annotations

from collections.abc import Mapping

import jax
import numpy as np

from semipunct.structures.testing.answers import Check
from semipunct.structures.testing.case import Weighted
from semipunct.structures.testing.comparisons import require

ITEMS = 5
"""The least number of items."""

POSITIONS = 9
"""The least number of entries that derivations use along the longest axis."""

ENTRIES = 5
"""The least number of entries that derivations use along any axis of more than one entry."""


def _used(w: Weighted) -> dict[str, tuple[int, ...]]:
    """Return how many entries derivations use along each axis of an item, by name of the leaf."""
    most: dict[str, tuple[int, ...]] = {}
    for item in w.items:
        place = np.flatnonzero(w.enumerations[item].used)
        start = 0
        for path, leaf in jax.tree_util.tree_leaves_with_path(w.zeros):
            rows = np.asarray(leaf)[w.case.rows(item)]
            inside = place[(place >= start) & (place < start + rows.size)] - start
            start += rows.size
            index = np.unravel_index(inside, rows.shape)
            used = tuple(int(x.max(initial=-1)) + 1 for x in index)
            name = jax.tree_util.keystr(path).lstrip(".") or "the log weights"
            # One axis of each entry alone has nothing beyond it.
            used = tuple(
                u if size > 1 else ENTRIES for u, size in zip(used, rows.shape, strict=True)
            )
            before = most.get(name, used)
            most[name] = tuple(map(max, before, used))
    return most


def size(w: Weighted) -> None:
    """Check that the case has enough items, positions and entries, and an empty item.

    What a structure cannot have is named in ``Case.lacks``, with the reason.
    """
    used = _used(w)
    empty = any(len(e.parts) == 1 and not e.parts.any() for _, e in w.each())
    short = [
        f"{name} has {', '.join(map(str, axes))}"
        for name, axes in used.items()
        if any(x < ENTRIES for x in axes)
    ]
    longest = max((x for axes in used.values() for x in axes), default=0)
    lacking = {
        "items": (
            len(w.items) < ITEMS,
            f"it has {len(w.items)} items; a fault in item {ITEMS - 1} needs {ITEMS}",
        ),
        "an empty item": (
            not empty,
            "every item has a derivation that uses parts; add one whose only derivation uses none",
        ),
        "positions": (
            longest < POSITIONS,
            f"derivations use at most {longest} entries along any axis; a fault at position "
            f"{POSITIONS - 1} needs {POSITIONS}",
        ),
        "entries": (
            bool(short),
            f"derivations use fewer than {ENTRIES} entries along an axis: {'; '.join(short)}; a "
            f"fault in state or label {ENTRIES - 1} needs {ENTRIES}",
        ),
    }
    missing = [
        f"{name}: {text}"
        for name, (lacks, text) in lacking.items()
        if lacks and name not in w.case.lacks
    ]
    needless = [name for name in w.case.lacks if not lacking[name][0]]
    require(
        not missing,
        f"the case cannot show some faults. {'. '.join(missing)}. To keep the enumeration short, "
        "let `build` forbid most parts of a large item; what the structure cannot have goes into "
        "Case(..., lacks={name: reason})",
    )
    require(not needless, f"the case says that it lacks {needless}, but has it")


SIZES: Mapping[str, Check] = {"size": size}
"""Checks by name."""
