"""Corrections as data: the changes between two punctuations of a sentence.

The correction of a slot is its two strings without common prefix and suffix, in whichever order a
writer edits (docs/decisions/correction.md). ``marks.edits`` has the edits of the channel.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal

from semipunct.errors import UsageError
from semipunct.marks.tokens import Puncteme, shown_string
from semipunct.wording import quantity

ErrorKind = Literal["missing", "superfluous", "doubled", "moved", "replaced"]


@dataclass(frozen=True, slots=True)
class Correction:
    """A change to the tokens of one slot, from the index ``start`` on.

    Attributes:
        before: empty for an insertion.
        after: empty for a deletion.
        kind: ``doubled`` if an equal token is next to it, ``moved`` if only the order changes.
    """

    slot: int
    start: int
    before: Puncteme
    after: Puncteme
    kind: ErrorKind

    @property
    def stop(self) -> int:
        return self.start + len(self.before)

    @property
    def error(self) -> str:
        """The kind of the error with its marks, such as ``missing ,`` and ``replaced , by ;``."""
        marks = shown_string(self.before or self.after)
        return f"{self.kind} {marks}" + (
            f" by {shown_string(self.after)}" if self.kind == "replaced" else ""
        )


def corrections(
    before: Sequence[Puncteme], after: Sequence[Puncteme | None]
) -> tuple[Correction, ...]:
    """Return the changes between two punctuations of a sentence, ``[n + 1]`` slots each.

    Unknown slots (None) have no correction.
    """
    if len(before) != len(after):
        raise UsageError(
            f"{quantity(len(before), 'slot')} and {len(after)} corrected ones: correcting "
            "punctuation must not change the words"
        )
    pairs = enumerate(zip(before, after, strict=True))
    return tuple(_correction(slot, a, b) for slot, (a, b) in pairs if b is not None and a != b)


def _correction(slot: int, before: Puncteme, after: Puncteme) -> Correction:
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    removed, inserted = before[start : len(before) - end], after[start : len(after) - end]
    neighbours = {*before[max(0, start - 1) : start], *before[len(before) - end :][:1]}
    return Correction(slot, start, removed, inserted, _kind(removed, inserted, neighbours))


def _common(a: Puncteme, b: Puncteme) -> int:
    """Return the length of the longest common prefix."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))


def _kind(removed: Puncteme, inserted: Puncteme, neighbours: set[str]) -> ErrorKind:
    if not removed:
        return "missing"
    if not inserted:
        is_doubled = len(set(removed)) == 1 and neighbours.issuperset(removed)
        return "doubled" if is_doubled else "superfluous"
    return "moved" if sorted(removed) == sorted(inserted) else "replaced"
