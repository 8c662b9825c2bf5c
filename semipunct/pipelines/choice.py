"""The string of least expected edit distance in each slot, under constraints.

A string is impossible if it changes a slot within an orthographic word, doubles a mark that belongs
to a word, joins two separate words, or leaves a bracket or quotation mark without its partner. Only
the last constraint couples slots (``marks.balance``). See docs/decisions/restoration.md.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from semipunct.corpus.sentences import Sentence, Words, split_words, unfillable
from semipunct.corpus.word_streams import is_final
from semipunct.marks import ABBREVIATION, SILENT, UNK, Puncteme, spacing
from semipunct.marks.balance import (
    Statuses,
    Unmatched,
    balance_strings,
    count_unmatched,
    encloses,
    statuses,
)
from semipunct.marks.corrections import corrections
from semipunct.marks.spacing import SIGNS, JoiningMarks, may_stand_between
from semipunct.models.punctuation.draws import Draws
from semipunct.pipelines.distributions import SlotPosterior
from semipunct.pipelines.options import Keep, RestoreOptions

# Whether a slot, given by its index, may get a string.
Allowed = Callable[[int, Puncteme], bool]

# Strings per slot in the search for partners of brackets and quotation marks.
ALTERNATIVES = 8


@dataclass(frozen=True)
class Standing:
    """The visible marks of a sentence, as a constraint on insertions."""

    sentence: Sentence[Any] | Words
    keep: Keep
    joining: JoiningMarks
    paired: bool = False

    @cached_property
    def is_evidence(self) -> bool:
        """True if visible marks and spaces restrict insertions."""
        return self.sentence.source == "text" or self.keep != "replace"

    @cached_property
    def fixed(self) -> tuple[Puncteme | None, ...]:
        s = self.sentence
        closed = (s.closed if s.source == "text" else unfillable(s)) | split_words(s)
        return tuple(
            string if (string and self.keep == "keep") or slot in closed else None
            for slot, string in enumerate(s.slots)
        )

    @cached_property
    def existing(self) -> tuple[Puncteme, ...]:
        if self.keep == "repair":
            return self.sentence.slots
        return tuple(string or () for string in self.fixed)

    @cached_property
    def _statuses(self) -> Sequence[Statuses]:
        return statuses(self.existing)

    @cached_property
    def limits(self) -> Unmatched:
        """The numbers of brackets and quotation marks that already lack a partner."""
        return count_unmatched(self.existing, self.sentence.forms)

    @cached_property
    def _compounds(self) -> frozenset[int]:
        tree: Any = getattr(self.sentence, "tree", None)
        relations = getattr(tree, "relations", None)
        return frozenset() if relations is None else spacing.compound_slots(tree.heads, relations)

    @cached_property
    def _neighbours(self) -> tuple[str, ...]:
        return ("", *self.sentence.forms, "")

    def allows(self, slot: int, string: Puncteme) -> bool:
        s = self.sentence
        if not string or not self.is_evidence or string == s.slots[slot]:
            return True
        shown = tuple(token for token in string if token not in SILENT)
        if not shown:
            return True
        words = self._neighbours
        if not may_stand_between(shown, words[slot], words[slot + 1]):
            return False
        if s.source != "text":
            return True
        if _has_signs(shown):
            return False
        if not 0 < slot < len(s.forms):
            return True
        # Two adjacent words without a space have a closed slot between them, or a script
        # without spaces.
        apart = spacing.are_spaced(words[slot], words[slot + 1])
        return not apart or self.joining.may_part(shown, is_compound=slot in self._compounds)

    def is_balanced(self, slots: Sequence[Puncteme]) -> bool:
        """Return whether the strings ``[n + 1]`` leave no further mark without its partner."""
        if not (self.is_evidence or self.paired) or not any(map(encloses, slots)):
            return True
        return count_unmatched(slots, self.sentence.forms, self._statuses).is_within(self.limits)

    def balance(
        self, alternatives: Sequence[Sequence[tuple[Puncteme, float]]]
    ) -> list[Puncteme] | None:
        """Return the cheapest strings ``[n + 1]`` that leave no further mark without its partner.

        Args:
            alternatives: ``[n + 1]`` the possible strings of each slot with their costs.

        Returns:
            None if the search finds none.
        """
        return balance_strings(alternatives, self.sentence.forms, self._statuses, self.limits)


def _has_signs(shown: Puncteme) -> bool:
    # TeX quotation marks consist of backquotes.
    return any(not SIGNS.isdisjoint(token.replace("`", "")) for token in shown)


def chosen_strings(
    standing: Standing,
    draws: Draws,
    views: Sequence[SlotPosterior],
    options: RestoreOptions,
    threshold: float | None = None,
) -> list[Puncteme]:
    """Return the string of least expected edit distance in each slot."""

    def allows(slot: int, string: Puncteme) -> bool:
        return is_writable(string, options.marks) and standing.allows(slot, string)

    least = options.minimum_confidence
    decisive = views
    if threshold is not None:
        decisive = [_decided(view, slot, allows, threshold) for slot, view in enumerate(views)]
    choose = best_strings if options.minimise == "slots" else best_draw
    best = choose(draws, decisive, allows)
    slots = [
        fixed if fixed is not None else string if not least or view.of(string) >= least else ()
        for fixed, string, view in zip(standing.fixed, best, views, strict=True)
    ]
    if standing.is_balanced(slots):
        return slots
    alternatives = [
        [(fixed, 0.0)] if fixed is not None else _alternatives(decided, string, strings)
        for slot, (fixed, string, view, decided) in enumerate(
            zip(standing.fixed, slots, views, decisive, strict=True)
        )
        for strings in ([s for s in decided.strings if allows(slot, s) and view.of(s) >= least],)
    ]
    partnered = standing.balance(alternatives)
    if partnered is not None:
        return partnered
    return [
        fixed if fixed is not None else () if encloses(string) else string
        for fixed, string in zip(standing.fixed, slots, strict=True)
    ]


def _decided(view: SlotPosterior, slot: int, allows: Allowed, threshold: float) -> SlotPosterior:
    if () not in view.strings:
        threshold = 0.0
    best = int(not view.strings[0])
    if best == len(view.strings) or view.probability[best] < threshold:
        return _EMPTY
    pairs = zip(view.strings, view.probability.tolist(), strict=True)
    marks = [(string, p) for string, p in pairs if string and allows(slot, string)]
    if not marks or marks[0][1] < threshold:
        return _EMPTY
    share = np.array([p for _, p in marks])
    return SlotPosterior(tuple(string for string, _ in marks), share / share.sum())


_EMPTY = SlotPosterior(((),), np.ones(1))


def beside_what_stands(
    sentence: Sentence,
    corrected: Sequence[Puncteme],
    views: Sequence[SlotPosterior],
    joining: JoiningMarks,
) -> list[Puncteme]:
    """Undo corrections that contradict the other marks of a text, at the least probable error."""
    standing = Standing(sentence, "repair", joining)
    chosen = [
        string if fixed is None and standing.allows(slot, string) else written
        for slot, (fixed, string, written) in enumerate(
            zip(standing.fixed, corrected, sentence.slots, strict=True)
        )
    ]
    if standing.is_balanced(chosen):
        return chosen
    ways = [
        [(string, 1 - view.of(string)) for string in dict.fromkeys((own_choice, written))]
        for own_choice, written, view in zip(chosen, sentence.slots, views, strict=True)
    ]
    return standing.balance(ways) or list(sentence.slots)


def _alternatives(
    view: SlotPosterior, chosen: Puncteme, strings: Sequence[Puncteme]
) -> list[tuple[Puncteme, float]]:
    """Return the candidate strings of a slot with their expected edit distances.

    An empty slot can only get the partner of another mark.
    """
    fitting = [string for string in strings if chosen or encloses(string)]
    some = list(dict.fromkeys(((), chosen, *fitting[:ALTERNATIVES])))
    return list(zip(some, view.expected_distances(some).tolist(), strict=True))


def best_strings(
    draws: Draws, views: Sequence[SlotPosterior], allows: Allowed | None = None
) -> list[Puncteme]:
    """Return the string of least expected edit distance in each slot; the more probable wins ties.

    Args:
        allows: the constraint on the strings of a slot; by default any writable string.
    """
    return [_least(view, slot, allows or _any_writable) for slot, view in enumerate(views)]


def _least(view: SlotPosterior, slot: int, allows: Allowed) -> Puncteme:
    best: Puncteme = ()
    least = np.inf
    for string, probability in zip(view.strings, view.probability.tolist(), strict=True):
        # All other strings are at least one edit away, and the rest has less probability.
        if 1 - probability >= least:
            break
        if allows(slot, string):
            # A point with at least half of the probability is a median in any metric, by the
            # triangle inequality.
            if probability >= 0.5:
                return string
            loss = float(view.expected_distances([string])[0])
            if loss < least:
                best, least = string, loss
    return best


def best_draw(
    draws: Draws, views: Sequence[SlotPosterior], allows: Allowed | None = None
) -> list[Puncteme]:
    """Return the draw of least expected edit distance to all draws (section 6.1).

    Disallowed strings become empty.
    """
    allows = allows or _any_writable
    allowed = [
        [s if allows(slot, s) else () for s in strings]
        for slot, strings in enumerate(draws.strings)
    ]
    losses = np.zeros(len(draws.chosen))
    for view, strings, chosen in zip(views, allowed, draws.chosen.T, strict=True):
        losses += view.expected_distances(strings)[chosen]
    best = draws.chosen[int(np.argmin(losses))]
    return [strings[i] for strings, i in zip(allowed, best.tolist(), strict=True)]


def is_writable(string: Puncteme, marks: Collection[str] | None) -> bool:
    """Return whether a string has only requested tokens (None for all), and no rare mark."""
    return UNK not in string and (marks is None or all(t in marks for t in string))


def _any_writable(slot: int, string: Puncteme) -> bool:
    return is_writable(string, None)


CLOSING = {"¿": "?", "¡": "!"}


class _Partner(NamedTuple):
    """The most probable string with a mark, and the probabilities with and without the mark."""

    string: Puncteme | None
    present: float
    absent: float


def pair_inverted_marks(
    strings: Sequence[Puncteme],
    existing: Sequence[Puncteme],
    views: Sequence[SlotPosterior],
    allows: Callable[[int, Puncteme], bool],
) -> list[Puncteme]:
    """Give inserted inverted marks, and the ends of their sentences, their partners.

    Args:
        existing: ``[n + 1]`` the strings of fixed slots; empty for the others.
    """
    chosen = list(strings)
    for slot, string in enumerate(strings):
        for opening in CLOSING.keys() & set(string):
            if not existing[slot]:
                _pair(chosen, slot, opening, existing, views, allows)
    for slot in range(1, len(chosen)):
        for opening, closing in CLOSING.items():
            if closing in chosen[slot] and not existing[slot]:
                _open(chosen, slot, opening, existing, views, allows)
    return chosen


def _open(
    chosen: list[Puncteme],
    end: int,
    opening: str,
    existing: Sequence[Puncteme],
    views: Sequence[SlotPosterior],
    allows: Callable[[int, Puncteme], bool],
) -> None:
    """Insert an inverted mark where it is most probable, or end the sentence with a period."""
    start = max((i for i in range(end) if is_final(chosen[i])), default=0)
    opened = {i: (*chosen[i], opening) for i in range(start, end) if not existing[i]}
    places = {
        i: _partner(views[i], opening, lambda s: True).present
        for i, string in opened.items()
        if allows(i, string)
    }
    if any(opening in chosen[i] for i in range(start, end)) or not any(places.values()):
        return
    best = max(places, key=places.__getitem__)
    ends = _partner(views[end], CLOSING[opening], lambda s: True)
    if places[best] * ends.present > (1 - places[best]) * ends.absent:
        chosen[best] = opened[best]
    elif allows(end, string := tuple("." if t == CLOSING[opening] else t for t in chosen[end])):
        chosen[end] = string


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
        # Opening marks after the end stay there.
        following = [token for token in chosen[end] if token in CLOSING]
        chosen[end] = (*(ends.string or ()), *following)
    else:
        chosen[slot] = tuple(token for token in chosen[slot] if token != opening)


def _partner(view: SlotPosterior, mark: str, is_possible: Callable[[Puncteme], bool]) -> _Partner:
    pairs = [*zip(view.strings, view.probability.tolist(), strict=True)]
    present = sum(p for string, p in pairs if mark in string)
    possible = (string for string, _ in pairs if mark in string and is_possible(string))
    return _Partner(next(possible, None), present, 1 - present)


def may_replace(string: Puncteme, written: Puncteme, marks: Set[str] | None) -> bool:
    """Return whether one string may replace another, if ``marks`` are to be corrected."""
    # The token for rare marks cannot be written, and dots of abbreviations belong to words.
    dots = string.count(ABBREVIATION), written.count(ABBREVIATION)
    if (UNK in string and UNK not in written) or dots[0] != dots[1]:
        return False
    if marks is None:
        return True
    return all(
        token in marks
        for correction in corrections([written], [string])
        for token in (*correction.before, *correction.after)
    )
