"""Lines of a text as one line, and what was decided for it as decisions for each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate

from semipunct.corpus.sentences import Words
from semipunct.marks import Puncteme
from semipunct.tasks.running_text_choice import AnyWords, map_strings, opening_marks
from semipunct.tasks.slot_posteriors import SlotPosterior

Row = tuple[tuple[Puncteme, ...], tuple[SlotPosterior, ...]]
"""The strings of the slots of a line, and their distributions."""


@dataclass(frozen=True, slots=True)
class JoinedLines:
    """Lines of a text whose sentences cross their ends.

    The last slot of a line and the first one of the next are one slot. Marks before a line that
    never change, such as the dash before what a second person says, are not in it.

    Attributes:
        lines: at least one.
        words: of all lines.
    """

    lines: Sequence[AnyWords]
    words: Words

    @classmethod
    def of(cls, lines: Sequence[AnyWords]) -> JoinedLines:
        """Join lines.

        Args:
            lines: at least one.
        """
        first = lines[0]
        forms: list[str] = []
        slots: list[Puncteme] = [()]
        closed: set[int] = set()
        for line in lines:
            start, label = len(forms), _label(line)
            closed.update(start + slot for slot in line.closed if slot or not label)
            slots[-1:] = [(*slots[-1], *line.slots[0][len(label) :]), *line.slots[1:]]
            forms += line.forms
        words = Words(
            first.sentence_id, first.path, first.line, tuple(forms), tuple(slots),
            frozenset(closed), first.source,
        )  # fmt: skip
        return cls(lines, words)

    def divide(
        self, slots: Sequence[Puncteme], posteriors: Sequence[SlotPosterior]
    ) -> Iterator[Row]:
        """Yield the slots and distributions of each line.

        Args:
            slots: ``[n + 1]`` strings for all lines together.
            posteriors: ``[n + 1]`` their distributions.
        """
        ends = [*accumulate(len(line.forms) for line in self.lines)]
        labels = [*map(_label, self.lines)]
        began = [
            line.slots[0][len(label) :] for line, label in zip(self.lines, labels, strict=True)
        ]
        for number, (line, end) in enumerate(zip(self.lines, ends, strict=True)):
            start = end - len(line.forms)
            strings = [*slots[start : end + 1]]
            views = [*posteriors[start : end + 1]]
            ended = self.lines[number - 1].slots[-1] if number else None
            opening = partial(_with_label, label=labels[number], ended=ended, began=began[number])
            strings[0], views[0] = opening(strings[0]), map_strings(views[0], opening)
            if number + 1 < len(self.lines):
                closing = partial(_closing, ended=line.slots[-1], began=began[number + 1])
                strings[-1], views[-1] = closing(strings[-1]), map_strings(views[-1], closing)
            yield tuple(strings), tuple(views)


def _label(line: AnyWords) -> Puncteme:
    return line.slots[0] if 0 in line.closed else ()


def _opening(string: Puncteme, ended: Puncteme, began: Puncteme) -> Puncteme:
    """Return the marks of a string that stand before the second of two lines.

    Args:
        string: the marks between them.
        ended: those that stood after the first line.
        began: those that stood before the second.
    """
    return began if string == (*ended, *began) else opening_marks(string)


def _closing(string: Puncteme, ended: Puncteme, began: Puncteme) -> Puncteme:
    """Return the marks that stand after the first of two lines, as ``_opening`` does."""
    return string[: len(string) - len(_opening(string, ended, began))]


def _with_label(
    string: Puncteme, label: Puncteme, ended: Puncteme | None, began: Puncteme
) -> Puncteme:
    """Return the marks that stand before a line; all of a string if there is no line before it."""
    return (*label, *(string if ended is None else _opening(string, ended, began)))
