"""Corrections as data: the changes between two punctuations of a sentence.

A slot has at most one correction: the tokens that differ after the common prefix and suffix of the
old and new strings are removed. So two corrected versions of a sentence have the same correction in
a slot if and only if they have the same tokens there, whatever the order of a writer's edits.

These are not the edits of ``marks.edits``, by which the channel rewrites underlying tokens.

Why a slot has one correction, and not one for each token, is in docs/decisions/correction.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from semipunct.errors import UsageError
from semipunct.marks.tokens import Puncteme, shown_string
from semipunct.wording import quantity

ErrorKind = Literal["missing", "superfluous", "doubled", "moved", "replaced"]

ERROR_KINDS: tuple[ErrorKind, ...] = get_args(ErrorKind)
"""All kinds of errors, in the order in which tables list them."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A change to the tokens of one slot.

    Attributes:
        slot: the number of the slot, 0 to n.
        start: the index of the first changed token in the slot.
        before: the tokens to replace; empty for an insertion.
        after: the replacement; empty for a deletion.
        kind: the kind of the error: ``doubled`` if a superfluous token is next to an equal one that
            stays, ``moved`` if the same tokens are in another order.
    """

    slot: int
    start: int
    before: Puncteme
    after: Puncteme
    kind: ErrorKind

    @property
    def stop(self) -> int:
        """The index after the last changed token in the slot."""
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
    """Return the changes from one punctuation of a sentence to another.

    Args:
        before: ``[n + 1]`` the old strings.
        after: ``[n + 1]`` the new strings; None if unknown: such a slot has no correction.

    Raises:
        UsageError: if the numbers of slots differ.
    """
    if len(before) != len(after):
        raise UsageError(
            f"{quantity(len(before), 'slot')} and {len(after)} corrected ones: correcting "
            "punctuation must not change the words"
        )
    pairs = enumerate(zip(before, after, strict=True))
    return tuple(_correction(slot, a, b) for slot, (a, b) in pairs if b is not None and a != b)


def _correction(slot: int, before: Puncteme, after: Puncteme) -> Correction:
    start = 0
    shorter = min(len(before), len(after))
    while start < shorter and before[start] == after[start]:
        start += 1
    end = 0
    while end < shorter - start and before[-1 - end] == after[-1 - end]:
        end += 1
    removed, inserted = before[start : len(before) - end], after[start : len(after) - end]
    neighbours = {*before[max(0, start - 1) : start], *before[len(before) - end :][:1]}
    return Correction(slot, start, removed, inserted, _kind(removed, inserted, neighbours))


def _kind(removed: Puncteme, inserted: Puncteme, neighbours: set[str]) -> ErrorKind:
    """Classify an error by the tokens that change, and by the unchanged ones next to them."""
    if not removed:
        return "missing"
    if not inserted:
        return (
            "doubled"
            if len(set(removed)) == 1 and neighbours.issuperset(removed)
            else "superfluous"
        )
    return "moved" if sorted(removed) == sorted(inserted) else "replaced"
