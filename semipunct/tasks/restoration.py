"""Results of restoration: the string of each slot, and its posterior distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic

from typing_extensions import TypeVar

from semipunct.corpus.sentences import Sentence, Words, excerpt
from semipunct.marks import ABBREVIATION, SILENT, Puncteme, display_form, spacing
from semipunct.tasks.base import Slots
from semipunct.tasks.slot_posteriors import SlotPosterior

S = TypeVar("S", bound=Sentence[Any] | Words, default=Sentence, covariant=True)


LISTED = 5
"""Strings of a slot that ``as_dict`` lists by default."""


@dataclass(frozen=True, slots=True, repr=False)
class Restoration(Generic[S]):
    """The punctuation restored to one sentence.

    Attributes:
        sentence: words, and the tree if the model reads one; a sentence with a dependency tree
            unless stated otherwise.
        slots: the string put into each slot.
        posteriors: the posterior of each slot.
        nbest: the most frequent whole draws, each with its relative frequency.
    """

    sentence: S
    slots: tuple[Puncteme, ...]
    posteriors: tuple[SlotPosterior, ...]
    nbest: tuple[tuple[tuple[Puncteme, ...], float], ...]

    @property
    def written(self) -> Slots:
        """The strings to write: as in ``slots``, but with the original dots of abbreviations.

        The dot of an abbreviation is part of its word, and absorbs a period that follows it.
        """
        strings: list[Puncteme] = []
        for before, string in zip(self.sentence.slots, self.slots, strict=True):
            dot = tuple(t for t in before if t == ABBREVIATION)
            absorbed = bool(dot) and string[:1] == (".",)
            strings.append((*dot, *(t for t in string[absorbed:] if t != ABBREVIATION)))
        return tuple(strings)

    @property
    def text(self) -> str:
        """The sentence as plain text, spaced by the rules of its script, not as in a file."""
        visible = [tuple(t if t in SILENT else display_form(t) for t in s) for s in self.written]
        return spacing.text(self.sentence.forms, visible)

    def as_dict(self, listed: int = LISTED) -> dict[str, Any]:
        """Return words, strings and posteriors as JSON-serialisable values.

        Args:
            listed: how many of the most probable strings of a slot to list.
        """
        slots = enumerate(zip(self.slots, self.posteriors, strict=True))
        values: dict[str, Any] = {
            "sent_id": self.sentence.sentence_id,
            "text": self.text,
            "words": list(self.sentence.forms),
            "slots": [{"slot": i, **view.as_dict(s, listed)} for i, (s, view) in slots],
        }
        if self.nbest:
            values["nbest"] = [
                {"slots": [list(string) for string in draw], "probability": share}
                for draw, share in self.nbest
            ]
        return values

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Restoration {self.sentence.sentence_id}: {excerpt(self.text)}>"
