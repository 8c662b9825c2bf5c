"""Differences between two annotations: lines for people, and values for JSON."""

from __future__ import annotations

from typing import Any

from semipunct.render.outputs import output
from semipunct.render.outputs.treebanks import Diffed
from semipunct.tasks.diff import KINDS, MarkDifference, TreebankDiff
from semipunct.wording import quantity


def line(treebanks: TreebankDiff, difference: MarkDifference) -> str:
    """Write a difference with both of its places.

    Args:
        treebanks: the two annotations.
        difference: one of theirs.
    """
    a, b = (
        f"{file}:{number}" for file, number in zip(treebanks.files, difference.lines, strict=True)
    )
    return f"{a} {b}: sentence {difference.sentence_id}: {_told(difference)}"


def _told(difference: MarkDifference) -> str:
    before, after = difference.values
    token, other = difference.tokens
    if difference.kind == "mark":
        return f"removed {token} ({before})" if before else f"added {other} ({after})"
    name = f"{token} ({difference.form})"
    if difference.heads is not None:
        shown = [
            f"{head} ({value})" if head > 0 else value
            for head, value in zip(difference.heads, difference.values, strict=True)
        ]
        return f"head of {name}: {shown[0]} → {shown[1]}"
    if difference.kind == "space":
        return f"after {name}: {before} → {after}"
    return f"tag of {name}: {before} → {after}"


def summary(treebanks: TreebankDiff) -> str:
    """Write how many differences there are, by kind, and how many marks are in both.

    Args:
        treebanks: the two annotations.
    """
    counts = treebanks.counts
    kinds = ", ".join(f"{kind} {counts[kind]:,}" for kind in KINDS if counts[kind])
    return (
        f"{quantity(len(treebanks.differences), 'difference')}{f' ({kinds})' if kinds else ''} in "
        f"{quantity(treebanks.sentences, 'sentence')}; of {treebanks.marks[0]:,} and "
        f"{quantity(treebanks.marks[1], 'mark')}, {treebanks.common:,} are in both"
    )


def as_dict(treebanks: TreebankDiff) -> dict[str, Any]:
    """Return the differences as values for JSON.

    Args:
        treebanks: the two annotations.
    """
    return output(
        Diffed,
        {
            "files": list(treebanks.files),
            "sentences": treebanks.sentences,
            "marks": list(treebanks.marks),
            "common_marks": treebanks.common,
            "counts": {kind: treebanks.counts[kind] for kind in KINDS},
            "differences": [
                {
                    "kind": each.kind,
                    "sent_id": each.sentence_id,
                    "lines": list(each.lines),
                    "tokens": list(each.tokens),
                    "form": each.form,
                    "values": list(each.values),
                    "heads": None if each.heads is None else list(each.heads),
                }
                for each in treebanks.differences
            ],
        },
    )
