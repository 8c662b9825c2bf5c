"""Corrections as data: the changes between two punctuations of a sentence.

A slot has at most one correction: the tokens that differ after the common prefix and suffix of the
old and new strings are removed. So two corrected versions of a sentence have the same correction in
a slot if and only if they have the same tokens there, whatever the order of a writer's edits.

These are not the edits of ``marks.edits``, by which the channel rewrites underlying tokens.

Why a slot has one correction, and not one for each token, is in docs/decisions/0029-corrections.md.
"""

from collections.abc import Iterable, Sequence
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


def apply_corrections(
    slots: Sequence[Puncteme], edits: Iterable[Correction]
) -> tuple[Puncteme, ...]:
    """Apply corrections; those of ``corrections(slots, after)`` turn ``slots`` into ``after``.

    Args:
        slots: ``[n + 1]`` the strings to correct.
        edits: the corrections, at most one per slot, in any order.

    Raises:
        UsageError: if the slot of a correction does not exist or has another correction, or does
            not contain the tokens to replace.
    """
    edited = list(slots)
    corrected_slots: set[int] = set()
    for edit in edits:
        is_in_range = (
            0 <= edit.slot < len(edited) and edit.slot not in corrected_slots and edit.start >= 0
        )
        if not is_in_range or edited[edit.slot][edit.start : edit.stop] != edit.before:
            raise UsageError(
                f"the correction {edit.error!r} of slot {edit.slot} does not match: give at most "
                "one correction per slot, and the original slots"
            )
        string = edited[edit.slot]
        edited[edit.slot] = (*string[: edit.start], *edit.after, *string[edit.stop :])
        corrected_slots.add(edit.slot)
    return tuple(edited)


def moves(edits: Sequence[Correction], reach: int = 1) -> list[tuple[Correction, Correction]]:
    """Find tokens that corrections move from one slot to another one nearby.

    For example, a comma written after a conjunction instead of before it is one mistake but two
    corrections. Each correction is in at most one pair; pairs are formed from left to right.

    Args:
        edits: the corrections of one sentence, in the order of its slots.
        reach: the maximum number of words that the tokens may cross.

    Returns:
        Pairs of the correction that deletes and the one that inserts, in the order of the former.
    """
    free = {edit.slot: edit for edit in edits}
    pairs: list[tuple[Correction, Correction]] = []
    for edit in edits:
        if edit.after or edit.slot not in free:
            continue
        for step in (s for width in range(1, reach + 1) for s in (-width, width)):
            opposite = free.get(edit.slot + step)
            if opposite and not opposite.before and opposite.after == edit.before:
                pairs.append((edit, opposite))
                del free[edit.slot], free[opposite.slot]
                break
    return pairs
