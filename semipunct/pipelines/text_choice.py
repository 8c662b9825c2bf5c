"""Marks and capitals of running text from the distributions of a text model.

A text is decided in sections of several sentences, which limits the distance between partners of
brackets and quotation marks, and the memory to a few hundred words.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from semipunct.corpus.fixed_parts import fixed_forms
from semipunct.corpus.sentences import Sentence, Words, split_words
from semipunct.corpus.word_streams import is_final
from semipunct.marks import UNK, Puncteme
from semipunct.marks.balance import ENCLOSING, encloses, matcher_of, without_lone_marks
from semipunct.marks.matching import Matcher
from semipunct.marks.spacing import BY_TYPOGRAPHY
from semipunct.models.punctuation.draws import Draws
from semipunct.models.running_text.model import TextModel
from semipunct.models.running_text.reader import Case, Reading
from semipunct.pipelines.choice import (
    CLOSING,
    Standing,
    chosen_strings,
    is_writable,
    pair_inverted_marks,
)
from semipunct.pipelines.distributions import SlotPosterior
from semipunct.pipelines.options import Keep, Lines, RestoreOptions
from semipunct.pipelines.results import Restoration

AnyWords = Sentence[Any] | Words
Floats = npt.NDArray[np.float64]

# Words from which a section ends after a sentence, and at which it ends in any case.
SECTION, LONGEST_SECTION = 40, 160

# Results omit less probable strings of a slot.
_NEGLIGIBLE = 1e-4

# Opening marks. Marks that close in several languages and open in few, such as the Swedish ” and
# the Danish », count as closing marks.
_OPENINGS = (ENCLOSING.openings | {"¿", "¡"}) - {'"', "'", "”", "»", "›"}

_NO_DRAWS = Draws((), np.zeros((0, 0), np.int64))


class TextStrings:
    """The strings of a text model, and their parts at the edges of lines and sentences.

    Attributes:
        final: ``[strings]`` whether a string ends a sentence.
        rare: ``[strings]`` whether a string has the token for rare marks.
    """

    def __init__(self, model: TextModel) -> None:
        self.strings: Sequence[Puncteme] = model.strings.strings
        self.number = {string: i for i, string in enumerate(self.strings)}
        self.final = np.array([is_final(string) for string in self.strings])
        self.rare = np.array([UNK in string for string in self.strings])
        opening = [opening_marks(string) for string in self.strings]
        closing = [s[: len(s) - len(o)] for s, o in zip(self.strings, opening, strict=True)]
        plain = [tuple(token for token in s if not encloses((token,))) for s in self.strings]
        self._plain = np.eye(len(plain))[[self.number.get(string, 0) for string in plain]]
        self._opening = [self.number.get(string, 0) for string in opening]
        self._closing = [self.number.get(string, 0) for string in closing]

    def table(self, reading: Reading) -> Floats:
        """Return the probabilities of the strings of all slots without rare ones."""
        table = reading.strings[:, : len(self.strings)].astype(np.float64)
        table[:, self.rare] = 0.0
        return table

    def fold(self, first: Floats, last: Floats) -> None:
        """Restrict, in place, the slots at the edges of a part to the marks that belong to it.

        The training passages are from the middle of texts, so the slot between two parts has the
        closing marks of the first and the opening marks of the second.

        Args:
            first: ``[slots, strings]`` the probabilities of slots before a part.
        """
        for rows, target in ((first, self._opening), (last, self._closing)):
            for row in rows:
                row[:] = np.bincount(target, row, len(row))

    def without_pairs(self, table: Floats) -> Floats:
        """Return ``[slots, strings]`` without brackets and quotation marks, which are rarely right.

        The other marks of their strings keep the probabilities.
        """
        return table @ self._plain

    def normalise(self, table: Floats) -> Floats:
        """Normalise ``[slots, strings]`` in place; a slot without probability mass gets no mark."""
        total = table.sum(1)
        table[total <= 0, 0] = 1.0
        return table / np.where(total > 0, total, 1.0)[:, None]


class Read(NamedTuple):
    """A part of a text with the predictions of a model.

    Attributes:
        words: ``line`` without its label (see ``without_label``).
    """

    words: AnyWords
    reading: Reading
    case: Case
    is_last: bool
    ends_turn: bool
    line: AnyWords
    label: Puncteme = ()


@dataclass(frozen=True)
class Chooser:
    """Chooses marks and capitals.

    Attributes:
        threshold: the probability from which a mark is inserted; None to minimise edits.
    """

    model: TextModel
    options: RestoreOptions
    ends: Lines
    threshold: float | None

    def restore(self, parts: Iterable[Read]) -> Iterator[Restoration[AnyWords]]:
        passage = _Passage(self)
        for part in parts:
            passage.append(part)
            yield from passage.decided(ended=part.is_last)
            if part.is_last:
                passage = _Passage(self)

    @cached_property
    def _known(self) -> TextStrings:
        return TextStrings(self.model)

    @cached_property
    def _matcher(self) -> Matcher:
        return matcher_of({token for string in self._known.strings for token in string})

    def distributions(self, part: Read, *, is_first: bool) -> list[SlotPosterior]:
        """Return the distributions of the slots of a part, given the ends of lines."""
        known = self._known
        allowed = known.table(part.reading)
        is_plain = part.words.source == "text" and not any(map(encloses, part.words.slots))
        if is_plain and self.options.marks is None:
            allowed = known.without_pairs(allowed)
        last = len(allowed) - part.is_last
        if known.final.any():
            allowed[:is_first, ~known.final] = 0.0
            if self.ends != "none" or part.ends_turn:
                allowed[last:, ~known.final] = 0.0
        if self.ends == "sentence":
            allowed[1:last, known.final] = 0.0
        known.fold(allowed[:is_first], allowed[last:])
        return _posteriors(known.strings, known.normalise(allowed))

    def before(self, reading: Reading) -> Puncteme:
        """Return the most probable end of a sentence before a passage, as if a text preceded it."""
        row = reading.strings[0, : len(self._known.strings)]
        return self._known.strings[int(np.argmax(np.where(self._known.final, row, 0.0)))]

    def choose(self, words: Words, keep: Keep, views: Sequence[SlotPosterior]) -> list[Puncteme]:
        standing = Standing(words, keep, BY_TYPOGRAPHY)
        strings = chosen_strings(standing, _NO_DRAWS, views, self.options, self.threshold)
        strings = without_lone_marks(strings, standing.existing, self._matcher)

        def allows(slot: int, string: Puncteme) -> bool:
            return (
                is_writable(string, self.options.marks)
                and standing.allows(slot, string)
                and views[slot].of(string) >= self.options.minimum_confidence
            )

        return pair_inverted_marks(strings, standing.existing, views, allows)

    def recase(self, part: Read, before: Sequence[Puncteme]) -> tuple[str, ...]:
        """Return the words of a part with the most probable capitals, given preceding marks."""
        forms = part.words.forms
        if part.case == Case.EVERYTHING or self.options.case == "keep":
            return forms
        tags = np.zeros(len(forms), int)
        marked = [place for place, string in enumerate(before) if string]
        tags[marked] = self.model.strings.codes([before[place] for place in marked])
        shapes = np.argmax(part.reading.shapes + part.reading.pairs[tags], 1)
        fixed = fixed_forms(forms)
        lower = [form.lower() for form in forms]
        spelt = list(self.model.recase(lower, shapes.tolist()))
        for number, (form, low, cased) in enumerate(zip(forms, lower, spelt, strict=True)):
            is_free = form == low or (part.case == Case.NOTHING and len(cased) == len(low))
            if number in fixed or not is_free:
                spelt[number] = form
        return tuple(spelt)


class _Passage:
    """A queue of the parts of a passage, from which decided parts are removed."""

    def __init__(self, chooser: Chooser) -> None:
        self._chooser = chooser
        self._waiting: deque[Read] = deque()
        self._before: Puncteme | None = None
        self._ended: Puncteme = ()  # the original marks at the end of the preceding part
        # Columns start at the first queued part.
        self._forms: list[str] = []
        self._slots: list[Puncteme] = [()]
        self._closed: set[int] = set()
        self._known: list[SlotPosterior] = []
        self._chosen: list[Puncteme] = []
        self._seen = self._start = 0

    def append(self, part: Read) -> None:
        """Add a part, whose first slot is the last slot of the preceding part."""
        words, is_first = part.words, not self._known
        self._waiting.append(part)
        closed = words.closed | split_words(words)
        self._closed.update(slot + len(self._forms) for slot in closed)
        self._forms += words.forms
        self._slots[-1:] = [(*self._slots[-1], *words.slots[0]), *words.slots[1:]]
        views = self._chooser.distributions(part, is_first=is_first)
        self._known += views if is_first else views[1:]
        if is_first:
            self._before = self._chooser.before(part.reading)

    def decided(self, *, ended: bool) -> Iterator[Restoration[AnyWords]]:
        size = len(self._forms)
        # Otherwise marks before the next part may still be added to the last slot.
        for slot in range(self._seen + 1, size + ended):
            best, length = self._known[slot].strings[0], slot - self._start
            # An inverted mark and the end of its sentence are chosen in one section.
            is_end = length >= SECTION and is_final(best) and not encloses(best)
            is_end = is_end and not CLOSING.keys() & set(best)
            if is_end or length == LONGEST_SECTION or slot == size:
                self._decide(slot)
            self._seen = slot
        while self._waiting and len(self._waiting[0].words.forms) < len(self._chosen):
            yield self._restoration()

    def _decide(self, slot: int) -> None:
        """Decide the section that ends with a slot."""
        start, self._start = self._start, slot
        slots = self._slots[start : slot + 1]
        closed = {number - start for number in self._closed if start <= number <= slot}
        if self._chosen:
            slots[0] = ()
            closed.add(0)
        first = self._waiting[0].words
        if first.source == "treebank":
            closed = {number for number in closed if not slots[number]}
        # Treebanks get marks as text does, with partners.
        section = Words(
            first.sentence_id, first.path, first.line, tuple(self._forms[start:slot]),
            tuple(slots), frozenset(closed), "text",
        )  # fmt: skip
        keep = self._chooser.options.keep_for(first)
        strings = self._chooser.choose(section, keep, self._known[start : slot + 1])
        self._chosen += strings[1:] if self._chosen else strings

    def _restoration(self) -> Restoration[AnyWords]:
        part = self._waiting.popleft()
        words, size = part.words, len(part.words.forms)
        slots, views = self._chosen[: size + 1], self._known[: size + 1]
        before = [slots[0] if self._before is None else self._before, *slots[1:size]]
        if self._before is None:
            opening = partial(opening_marks, ended=self._ended, began=words.slots[0])
            slots[0], views[0] = opening(slots[0]), map_strings(views[0], opening)
        self._ended = words.slots[-1]
        if self._waiting:
            began = self._waiting[0].words.slots[0]
            closing = partial(_without_opening, ended=self._ended, began=began)
            slots[-1], views[-1] = closing(slots[-1]), map_strings(views[-1], closing)
        for column in (self._forms, self._slots, self._known, self._chosen):
            del column[:size]
        self._closed = {slot - size for slot in self._closed if slot >= size}
        self._seen -= size
        self._start -= size
        self._before = None
        forms = self._chooser.recase(part, before)
        slots, views = with_label(part.label, slots, views)
        return Restoration(replace(part.line, forms=forms), slots, views, ())


def opening_marks(string: Puncteme, ended: Puncteme = (), began: Puncteme = ()) -> Puncteme:
    """Return the opening marks at the end of a string."""
    first = len(ended) if string[: len(ended)] == ended else 0
    if began and string[first:][-len(began) :] == began:
        return began
    number = len(string)
    while number > first and string[number - 1] in _OPENINGS:
        number -= 1
    return string[number:]


def _without_opening(string: Puncteme, ended: Puncteme, began: Puncteme) -> Puncteme:
    return string[: len(string) - len(opening_marks(string, ended, began))]


def map_strings(view: SlotPosterior, to: Callable[[Puncteme], Puncteme]) -> SlotPosterior:
    """Return the distribution of a function of a string."""
    total: dict[Puncteme, float] = {}
    for string, probability in zip(view.strings, view.probability.tolist(), strict=True):
        part = to(string)
        total[part] = total.get(part, 0.0) + probability
    ranked = sorted(total.items(), key=itemgetter(1), reverse=True)
    return SlotPosterior(tuple(s for s, _ in ranked), np.array([p for _, p in ranked]))


def _posteriors(
    strings: Sequence[Puncteme], probability: npt.NDArray[np.float64]
) -> list[SlotPosterior]:
    order = np.argsort(-probability, 1, kind="stable")
    ranked = np.take_along_axis(probability, order, 1)
    ranked[:, 1:][ranked[:, 1:] <= _NEGLIGIBLE] = 0.0
    counts = (ranked > 0).sum(1).tolist()
    ranked /= ranked.sum(1, keepdims=True)
    return [
        SlotPosterior(tuple([strings[i] for i in row[:n]]), descending[:n].copy())
        for row, descending, n in zip(order[:, : max(counts)].tolist(), ranked, counts, strict=True)
    ]


# The strings of the slots of a line, and their distributions.
Row = tuple[tuple[Puncteme, ...], tuple[SlotPosterior, ...]]


def joined_lines(lines: Sequence[AnyWords]) -> Words:
    """Join lines of a text whose sentences cross line ends.

    The last slot of a line and the first slot of the next are one slot, without constant marks such
    as the dash before a second speaker's words.
    """
    first = lines[0]
    forms: list[str] = []
    slots: list[Puncteme] = [()]
    closed: set[int] = set()
    for line, _ in map(without_label, lines):
        closed.update(len(forms) + slot for slot in line.closed)
        slots[-1:] = [(*slots[-1], *line.slots[0]), *line.slots[1:]]
        forms += line.forms
    return Words(
        first.sentence_id, first.path, first.line, tuple(forms), tuple(slots),
        frozenset(closed), first.source,
    )  # fmt: skip


def divided_lines(
    joined: Sequence[AnyWords],
    slots: Sequence[Puncteme],
    posteriors: Sequence[SlotPosterior],
) -> Iterator[Row]:
    """Yield the slots and distributions of each of some joined lines."""
    lines, labels = zip(*map(without_label, joined), strict=True)
    start = 0
    for number, (line, label) in enumerate(zip(lines, labels, strict=True)):
        end = start + len(line.forms)
        strings, views = [*slots[start : end + 1]], [*posteriors[start : end + 1]]
        if number:
            opening = partial(_opening, ended=lines[number - 1].slots[-1], began=line.slots[0])
            strings[0], views[0] = opening(strings[0]), map_strings(views[0], opening)
        if number + 1 < len(lines):
            closing = partial(_closing, ended=line.slots[-1], began=lines[number + 1].slots[0])
            strings[-1], views[-1] = closing(strings[-1]), map_strings(views[-1], closing)
        yield with_label(label, strings, views)
        start = end


def _opening(string: Puncteme, ended: Puncteme, began: Puncteme) -> Puncteme:
    return began if string == (*ended, *began) else opening_marks(string)


def _closing(string: Puncteme, ended: Puncteme, began: Puncteme) -> Puncteme:
    return string[: len(string) - len(_opening(string, ended, began))]


def without_label(line: AnyWords) -> tuple[AnyWords, Puncteme]:
    """Separate a line from the constant marks before it.

    The dash before an item or a second speaker does not separate two words of a text that crosses
    line ends: the preceding line may end with a period.
    """
    label = line.slots[0] if 0 in line.closed else ()
    if label:
        line = replace(line, slots=((), *line.slots[1:]), closed=line.closed - {0})
    return line, label


def with_label(
    label: Puncteme, slots: Sequence[Puncteme], posteriors: Sequence[SlotPosterior]
) -> Row:
    """Put constant marks before the marks of a line, and into their distributions."""
    first, *others = posteriors
    strings = tuple((*label, *string) for string in first.strings)
    return ((*label, *slots[0]), *slots[1:]), (replace(first, strings=strings), *others)
