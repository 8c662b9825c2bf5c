"""Counts of constituents that start and end at slots (Shieber and Tao 2003, Figure 4)."""

from __future__ import annotations

from collections import Counter

from comma_systems import Phrased

from semipunct.papers.commas.ngrams import has_comma
from semipunct.papers.commas.trees import constituent_counts


def starts_and_ends(sentences: Phrased) -> dict[str, dict[str, list[float]]]:
    """Compute Figure 4: the distribution of start and end counts of slots within sentences.

    Args:
        sentences: sentences with their phrases.

    Returns:
        For ``starts`` and ``ends`` and slots ``with`` and ``without`` commas, the percentage of
        slots with each count from 0.
    """
    counts: dict[tuple[str, str], Counter[int]] = {}
    for s in sentences:
        commas = has_comma(s)
        for name, of_slot in zip(("starts", "ends"), constituent_counts(s.tree), strict=True):
            for slot in range(1, s.size):
                kind = "with" if commas[slot] else "without"
                counts.setdefault((name, kind), Counter())[of_slot[slot]] += 1
    return {
        name: {
            kind: [
                100 * counts[name, kind][n] / counts[name, kind].total()
                for n in range(max(counts[name, kind]) + 1)
            ]
            for kind in ("with", "without")
        }
        for name in ("starts", "ends")
    }


def print_chart(chart: dict[str, dict[str, list[float]]]) -> None:
    """Print Figure 4 as a table."""
    print("| count | starts, comma | starts, none | ends, comma | ends, none |")
    print("| --- | --- | --- | --- | --- |")
    columns = [chart[name][kind] for name in ("starts", "ends") for kind in ("with", "without")]
    for count in range(1, 11):
        cells = (f"{column[count]:.1f}" if count < len(column) else "" for column in columns)
        print(f"| {count} | {' | '.join(cells)} |")
