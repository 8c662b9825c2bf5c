"""Inverted marks (¿ ¡) and the end of their sentence, which are chosen together.

The distributions of slots are independent given the words, so the best string at the beginning of
a sentence may ask a question that the best one at its end does not. Of two slots with probability
p and q of the mark that opens and of the one that closes, both get them if p q > (1 - p) (1 - q),
the more probable of the two consistent choices; otherwise the opening mark is left out. An end
without an opening mark stays, because many writers leave the opening mark out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from semipunct.corpus.word_streams import is_final
from semipunct.marks import Puncteme
from semipunct.tasks.slot_posteriors import SlotPosterior

CLOSING = {"¿": "?", "¡": "!"}
"""The mark that ends what an inverted mark begins."""


class _Partner(NamedTuple):
    """The best string with both marks, and the probabilities with and without the mark.

    Attributes:
        string: the most probable string that has the mark; None if there is none.
        present: the probability of strings with the mark.
        absent: the probability of those without it.
    """

    string: Puncteme | None
    present: float
    absent: float


def pair_inverted_marks(
    strings: Sequence[Puncteme],
    existing: Sequence[Puncteme],
    views: Sequence[SlotPosterior],
    allows: Callable[[int, Puncteme], bool],
) -> list[Puncteme]:
    """Return strings in which each inserted inverted mark has its partner at the sentence's end.

    Args:
        strings: ``[n + 1]`` the chosen strings.
        existing: ``[n + 1]`` the strings of slots that are not changed; empty for the others.
        views: the distributions of the slots.
        allows: says which strings may stand in a slot that is not fixed.
    """
    chosen = list(strings)
    for slot, string in enumerate(strings):
        for opening in CLOSING.keys() & set(string):
            if not existing[slot]:
                _pair(chosen, slot, opening, existing, views, allows)
    return chosen


def _pair(
    chosen: list[Puncteme],
    slot: int,
    opening: str,
    existing: Sequence[Puncteme],
    views: Sequence[SlotPosterior],
    allows: Callable[[int, Puncteme], bool],
) -> None:
    closing, last = CLOSING[opening], len(chosen) - 1
    end = next((i for i in range(slot + 1, last + 1) if is_final(chosen[i])), last)
    if slot < end and closing in chosen[end]:
        return
    begins = _partner(views[slot], opening, lambda string: True)
    ends = _partner(views[end], closing, lambda s: allows(end, s) and not CLOSING.keys() & set(s))
    is_free = slot < end and not existing[end] and ends.string is not None
    if is_free and begins.present * ends.present > begins.absent * ends.absent:
        # What opens after the end stays there.
        following = [token for token in chosen[end] if token in CLOSING]
        chosen[end] = (*(ends.string or ()), *following)
    else:
        chosen[slot] = tuple(token for token in chosen[slot] if token != opening)


def _partner(view: SlotPosterior, mark: str, is_possible: Callable[[Puncteme], bool]) -> _Partner:
    pairs = [*zip(view.strings, view.probability.tolist(), strict=True)]
    present = sum(p for string, p in pairs if mark in string)
    possible = (string for string, _ in pairs if mark in string and is_possible(string))
    return _Partner(next(possible, None), present, 1 - present)
