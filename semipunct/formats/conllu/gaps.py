"""The space after each token, which CoNLL-U states twice: in ``# text =`` and in MISC.

Spaces between tokens that remain neighbours stay as read. Spacing habits, such as a space before
*!* in French, are counted in the treebank.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from semipunct.corpus import Entry, Sentence
from semipunct.corpus.passages import Span
from semipunct.formats.conllu.misc import EMPTY
from semipunct.formats.conllu.records import Record, stated_text, written_tokens
from semipunct.marks import Puncteme, spacing
from semipunct.marks.tokens import STRAIGHT

NO_SPACE = "SpaceAfter=No"

_SPACES_AFTER, _SPACES_BEFORE = "SpacesAfter=", "SpacesBefore="
_AFTER = ("SpaceAfter=", _SPACES_AFTER)
_MISC = 9

# The least share of equal characters of a text and its tokens.
_SIMILAR = 0.6


class Gap(NamedTuple):
    """The space after a token.

    Attributes:
        text: its characters in the text of the sentence.
        misc: the attributes of MISC that describe it.
    """

    text: str
    misc: tuple[str, ...] = ()

    @property
    def is_space(self) -> bool:
        return any(map(str.isspace, self.text))

    @property
    def is_special(self) -> bool:
        """True if MISC describes characters other than one space."""
        return any(item.startswith(_SPACES_AFTER) for item in self.misc)

    @property
    def as_leading(self) -> str:
        """The same characters as an attribute ``SpacesBefore``."""
        values = (item.removeprefix(_SPACES_AFTER) for item in self.misc if item != NO_SPACE)
        return _SPACES_BEFORE + "".join(values)


SPACE, NOTHING = Gap(" "), Gap("", (NO_SPACE,))


@dataclass(frozen=True, slots=True)
class Spacing:
    """The spaces of a record.

    Attributes:
        written: the characters of each token, by the ID of its first word.
        gaps: ``[tokens]`` the space after each token; None within a multiword token.
        leading: the attribute ``SpacesBefore``, by first ID.
    """

    before: str
    written: Mapping[int, str]
    gaps: tuple[Gap | None, ...]
    leading: Mapping[int, str]
    is_recorded: bool

    @property
    def spaces(self) -> list[bool | None]:
        """``[tokens]`` whether a space follows; None within a multiword token."""
        is_space = [gap and gap.is_space for gap in self.gaps]
        # The text ends with the last token; MISC states whether a space precedes the next
        # sentence.
        last = self.gaps[-1]
        return [*is_space[:-1], last is not None and NO_SPACE not in last.misc]

    @classmethod
    def of(cls, record: Record) -> "Spacing":
        tokens = [*written_tokens(record)]
        forms = [token.form for token in tokens]
        items = [record.lines[t.position].split("\t")[_MISC].split("|") for t in tokens]
        misc = [tuple(item for item in of if item.startswith(_AFTER)) for of in items]
        leading = {
            token.first: item
            for token, of in zip(tokens, items, strict=True)
            for item in of
            if item.startswith(_SPACES_BEFORE)
        }
        stated = stated_text(record)
        places = None if stated is None else token_places(stated, forms)
        if stated is None or places is None:
            before, written = "", forms
            texts = [_described(of) for of in misc[:-1]] + [""]
        else:
            ends = [*(start for start, _ in places[1:]), len(stated)]
            before, written = stated[: places[0][0]], [stated[a:b] for a, b in places]
            texts = [stated[b:end] for (_, b), end in zip(places, ends, strict=True)]
        gaps: list[Gap | None] = [None] * len(record.tokens)
        for token, text, of in zip(tokens, texts, misc, strict=True):
            gaps[token.last - 1] = Gap(text, of)
        recorded = stated is not None or any(NO_SPACE in of for of in misc)
        spelt = {token.first: form for token, form in zip(tokens, written, strict=True)}
        return cls(before, spelt, tuple(gaps), leading, recorded)


_ESCAPES = {"s": " ", "t": "\t", "p": "|", "\\": "\\"}
_ESCAPE = re.compile(r"(?:\\[nr])+|\\(.)", re.DOTALL)


def _described(misc: Iterable[str]) -> str:
    """Return the characters that MISC describes; line breaks become spaces."""
    items = list(misc)
    if NO_SPACE in items:
        return ""
    values = [item.removeprefix(_SPACES_AFTER) for item in items if item.startswith(_SPACES_AFTER)]
    return _ESCAPE.sub(lambda m: _ESCAPES.get(m[1], m[0]) if m[1] else " ", "".join(values)) or " "


def token_places(text: str, forms: Sequence[str]) -> list[Span] | None:
    """Find the tokens of a sentence in its text; None if the text is a different one."""
    places: list[Span] = []
    place = 0
    for form in forms:
        while place < len(text) and text[place].isspace() and not text.startswith(form, place):
            place += 1
        if not text.startswith(form, place):
            return _similar_places(text, forms)
        places.append((place, place + len(form)))
        place += len(form)
    return places if not text[place:].strip() else _similar_places(text, forms)


def _similar_places(text: str, forms: Sequence[str]) -> list[Span] | None:
    visible = [i for i, char in enumerate(text) if not char.isspace()]
    letters = ["".join(form.split()) for form in forms]
    matcher = SequenceMatcher(None, [text[i] for i in visible], "".join(letters), autojunk=False)
    if matcher.ratio() < _SIMILAR:
        return None
    edges = [*visible, len(text)]
    at: list[Span] = []  # for each letter of the forms, its range of visible characters
    for _, first, last, start, stop in matcher.get_opcodes():
        size = last - first
        shares = [first + size * step // max(1, stop - start) for step in range(stop - start + 1)]
        at += pairwise(shares)
    places: list[Span] = []
    place = index = 0
    for form in letters:
        positions = at[index : index + len(form)]
        index += len(form)
        first, last = (positions[0][0], positions[-1][1]) if positions else (0, 0)
        start = max(place, edges[first] if positions else place)
        place = max(start, visible[last - 1] + 1 if last > first else start)
        places.append((start, place))
    return places


def rewritten_gaps(
    gaps: Sequence[Gap], numbers: Sequence[int], row: Sequence[bool], *, opens: bool, closes: bool
) -> list[Gap]:
    """Return the spaces in a slot with other marks.

    Spaces between tokens that remain neighbours, and outside the sentence, are kept. White space
    that MISC describes is never lost.

    Args:
        gaps: ``[k + 1]`` the spaces before, between and after the original marks.
        numbers: ``[m]`` the original mark, from 1, of each new one; 0 for none.
        row: ``[m + 1]`` whether there is a space before, between and after the new marks.
        opens: whether the slot is before the first word.
        closes: whether the slot is after the last word.
    """
    last = len(gaps) - 1
    around = [0, *(number or None for number in numbers), last + 1]
    chosen: list[Gap | None] = [None] * len(row)
    free = list(range(len(gaps)))

    def take(place: int, number: int) -> None:
        chosen[place] = gaps[number]
        free.remove(number)

    if closes:  # the space after the sentence stays there
        take(len(row) - 1, last)
    if opens and chosen[0] is None:
        take(0, 0)
    for place, (left_number, right_number) in enumerate(pairwise(around)):
        if (
            chosen[place] is None
            and left_number is not None
            and right_number == left_number + 1
            and left_number in free
        ):
            take(place, left_number)
    open_places = [place for place, gap in enumerate(chosen) if gap is None]
    for place in open_places:
        fitting = [number for number in free if gaps[number].is_space == row[place]]
        special = [number for number in fitting if gaps[number].is_special]
        if fitting:
            take(place, (special or fitting)[0])
        else:
            chosen[place] = SPACE if row[place] else NOTHING
    rewritten = [gap or NOTHING for gap in chosen]
    lost = [gaps[number] for number in free if gaps[number].is_special]
    if lost:
        place = open_places[-1] if open_places else len(row) - 1
        is_end = closes and place == len(row) - 1
        joined = _joined([*lost, rewritten[place]] if rewritten[place].is_special else lost)
        rewritten[place] = joined._replace(text=rewritten[place].text) if is_end else joined
    return rewritten


def _joined(gaps: Sequence[Gap]) -> Gap:
    values = (item.removeprefix(_SPACES_AFTER) for gap in gaps for item in gap.misc)
    text = next((gap.text for gap in gaps if gap.is_space), gaps[0].text)
    return Gap(text, (_SPACES_AFTER + "".join(v for v in values if v != NO_SPACE),))


def joined_leading(items: Iterable[str]) -> str:
    """Return one attribute ``SpacesBefore`` for several."""
    return _SPACES_BEFORE + "".join(item.removeprefix(_SPACES_BEFORE) for item in items)


def after_leading(leading: str, gap: Gap) -> Gap:
    """Return a space preceded by the ``SpacesBefore`` of a removed token after it."""
    return _joined([Gap(" ", (leading.replace(_SPACES_BEFORE, _SPACES_AFTER, 1),)), gap])._replace(
        text=gap.text
    )


def with_gap(column: str, gap: Gap, leading: str = "") -> str:
    """Set the space around a token in a MISC column."""
    items = [item for item in column.split("|") if item != EMPTY]
    present = [item for item in items if item.startswith((*_AFTER, _SPACES_BEFORE))]
    required = [*gap.misc, *([leading] if leading else [])]
    if sorted(present) == sorted(required):
        return column
    unrelated = [item for item in items if item not in present]
    return "|".join([*unrelated, *required]) or EMPTY


Side = Literal["before", "after"]

# The least agreement of counts for dashes, and of pooled counts.
_SHARE = 0.95

# Marks with the same spacing; French has a space before these only.
_HIGH = frozenset(";:!?")

_Key = tuple[Side, str]


@dataclass(frozen=True, slots=True)
class Habits:
    """Counts of places with and without a space beside each token."""

    spaced: Counter[_Key] = field(default_factory=Counter[_Key])
    glued: Counter[_Key] = field(default_factory=Counter[_Key])
    is_recorded: bool = False

    @classmethod
    def of(cls, entries: Iterable[Entry[Record]]) -> "Habits":
        spaced, glued = Counter[_Key](), Counter[_Key]()
        recorded = False
        for entry in entries:
            if not isinstance(entry.content, Sentence):
                continue
            spaces = Spacing.of(entry.record)
            recorded = recorded or spaces.is_recorded
            is_spaced = spaces.spaces
            last = len(entry.record.tokens)
            edges = (0, *entry.word_ids, last + 1)
            slots = spacing.visible(entry.content.slots)
            for tokens, first, end in zip(slots, edges, edges[1:], strict=False):
                if not tokens or len(tokens) != end - first - 1:
                    continue
                beside: list[tuple[Side, str, int]] = [
                    ("before", tokens[0], first),
                    ("after", tokens[-1], end - 1),
                ]
                for side, token, place in beside:
                    space = is_spaced[place - 1] if 0 < place < last else None
                    if space is not None:
                        names: list[_Key] = [(side, token), *_groups(token, side)[:1]]
                        (spaced if space else glued).update(names)
        return cls(spaced, glued, recorded)

    def learnt(self, token: str, side: Side) -> bool | None:
        """Return whether a space is usual beside a token or similar ones; None if unknown."""
        key = side, token
        spaced, glued = self.spaced[key], self.glued[key]
        if spacing.is_dash(token) or token in STRAIGHT:
            return self._agreed(key)
        if spaced + glued:
            return None if spaced == glued else spaced > glued
        decisions = (self._agreed(name) for name in _groups(token, side))
        return next((decision for decision in decisions if decision is not None), None)

    def _agreed(self, name: _Key) -> bool | None:
        spaced, glued = self.spaced[name], self.glued[name]
        if spaced == glued or max(spaced, glued) < _SHARE * (spaced + glued):
            return None
        return spaced > glued

    def revise_spaces(
        self, rows: Sequence[Sequence[bool]], slots: Sequence[Puncteme]
    ) -> list[list[bool]]:
        """Replace the spaces of ``spacing.slot_spaces`` with the usual ones."""
        revised = [list(row) for row in rows]
        for slot, (row, tokens) in enumerate(zip(revised, slots, strict=True)):
            for place in range(len(row)):
                # There is no space before and after the sentence.
                if tokens and not (
                    (slot == 0 and place == 0) or (slot == len(slots) - 1 and place == len(tokens))
                ):
                    row[place] = self._between(tokens, place, row[place])
        return revised

    def _between(self, tokens: Puncteme, place: int, by_rule: bool) -> bool:
        learnt: list[bool | None] = []
        if place:
            learnt.append(self.learnt(tokens[place - 1], "after"))
        if place < len(tokens):
            learnt.append(self.learnt(tokens[place], "before"))
        if False in learnt:
            return False
        return by_rule if None in learnt else True


@lru_cache(maxsize=4096)
def _groups(token: str, side: Side) -> tuple[_Key, ...]:
    if spacing.is_dash(token) or token in STRAIGHT:
        return ()
    # Tokens with a space by the rules are one group, tokens without are another.
    before, after = spacing.slot_spaces(("x", "x"), [(), (token,), ()])[1]
    shared_group = side, f"<{before if side == 'before' else after}>"
    return ((side, "<high>"), shared_group) if _HIGH.issuperset(token) else (shared_group,)
