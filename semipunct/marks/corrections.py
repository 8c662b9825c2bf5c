"""Corrections as data: the changes that lead from the punctuation of a sentence to another one.

A slot has one correction at most: the tokens that differ once those that begin and end both its
strings alike are left out. So two ways to correct a sentence make the same correction in a slot if
and only if they leave the same tokens there, whatever the order in which someone typed them.

Not to be confused with the edits of ``marks.edits``, by which the channel rewrites underlying
tokens.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from semipunct.errors import UsageError
from semipunct.marks.display import shown_string
from semipunct.marks.tokens import Puncteme
from semipunct.wording import counted

ErrorKind = Literal["missing", "superfluous", "doubled", "moved", "replaced"]

ERROR_KINDS: tuple[ErrorKind, ...] = get_args(ErrorKind)
"""All kinds of errors, in the order in which tables list them."""


@dataclass(frozen=True, slots=True)
class Correction:
    """One change of the tokens of one slot.

    Attributes:
        slot: its number, 0 to n.
        start: how many tokens of the slot stand before those that change.
        before: the tokens that were there; empty if some were missing.
        after: what becomes of them; empty if they were superfluous.
        kind: of the error: ``doubled`` is superfluous beside an equal token that stays, ``moved``
            the same tokens in another order.
    """

    slot: int
    start: int
    before: Puncteme
    after: Puncteme
    kind: ErrorKind

    @property
    def stop(self) -> int:
        """The index, among the tokens of the slot, after those that change."""
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
    """Return the changes that lead from one punctuation of a sentence to another.

    Args:
        before: ``[n + 1]`` the strings that were there.
        after: ``[n + 1]`` what becomes of them; None where that is not known: such a slot has no
            correction.

    Raises:
        UsageError: if the numbers of slots differ.
    """
    if len(before) != len(after):
        raise UsageError(
            f"{counted(len(before), 'slot')} and {len(after)} corrected ones: correcting "
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
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    neighbours = {*before[max(0, start - 1) : start], *before[len(before) - end :][:1]}
    return Correction(slot, start, old, new, _kind(old, new, neighbours))


def _kind(old: Puncteme, new: Puncteme, neighbours: set[str]) -> ErrorKind:
    """Name an error by the tokens that change, and by those beside them that stay."""
    if not old:
        return "missing"
    if not new:
        return "doubled" if len(set(old)) == 1 and neighbours.issuperset(old) else "superfluous"
    return "moved" if sorted(old) == sorted(new) else "replaced"


def corrected(slots: Sequence[Puncteme], found: Iterable[Correction]) -> tuple[Puncteme, ...]:
    """Make corrections; with those of ``corrections(slots, after)`` this gives ``after`` back.

    Args:
        slots: ``[n + 1]`` the strings that are there.
        found: at most one for each slot, in any order.

    Raises:
        UsageError: if a correction is of a slot that is not there or is corrected already, or does
            not find the tokens that it changes.
    """
    result = list(slots)
    done: set[int] = set()
    for one in found:
        there = 0 <= one.slot < len(result) and one.slot not in done and one.start >= 0
        if not there or result[one.slot][one.start : one.stop] != one.before:
            raise UsageError(
                f"the correction {one.error!r} of slot {one.slot} does not fit: give one for each "
                "slot at most, and the slots that it was made from"
            )
        string = result[one.slot]
        result[one.slot] = (*string[: one.start], *one.after, *string[one.stop :])
        done.add(one.slot)
    return tuple(result)


def moves(found: Sequence[Correction], reach: int = 1) -> list[tuple[Correction, Correction]]:
    """Find the tokens that corrections take from one slot and put into another one nearby.

    Writers set the comma behind a conjunction that belongs before it: two corrections, of one
    mistake. Each correction is of one pair at most; the leftmost find their partners first.

    Args:
        found: of one sentence, in the order of its slots.
        reach: the number of words that the tokens may cross.

    Returns:
        Pairs of the correction that takes and the one that puts, in the order of the former.
    """
    free = {one.slot: one for one in found}
    pairs: list[tuple[Correction, Correction]] = []
    for one in found:
        if one.after or one.slot not in free:
            continue
        for step in (s for width in range(1, reach + 1) for s in (-width, width)):
            other = free.get(one.slot + step)
            if other and not other.before and other.after == one.before:
                pairs.append((one, other))
                del free[one.slot], free[other.slot]
                break
    return pairs
