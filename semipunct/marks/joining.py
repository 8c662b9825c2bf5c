"""Marks that only join words: hyphens within compounds, slashes between alternatives.

Treebanks part words at such marks (*15-year* is three tokens of English-EWT), so that models learn
to put them between words. In a text, words that stand apart are not joined: the mark would have to
come with the loss of a blank.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from semipunct.marks import spacing
from semipunct.marks.tokens import Puncteme

SHARE = 2 / 3
"""The least share of the places of a mark without blanks at which it counts as joining words.

Annotators and writers are not consistent: in English-EWT some of the hyphens between a word and its
head, and some slashes, have a blank beside them.
"""

LEAST = 3
"""The least number of such places."""


@dataclass(frozen=True, slots=True)
class JoiningMarks:
    """The marks that join words, in two kinds of slots.

    Attributes:
        places: the marks, each with whether the slot is between a word and its head
            (``spacing.compound_slots``); None if the spacing is unknown, for typographic rules.
    """

    places: frozenset[tuple[str, bool]] | None = None

    @classmethod
    def of(
        cls, joined: Counter[tuple[str, bool]], apart: Counter[tuple[str, bool]]
    ) -> JoiningMarks:
        """Choose the marks from counts.

        Args:
            joined: for each mark and kind of slot, the number of places without blanks.
            apart: the number of places with a blank on one side or both.
        """
        if not joined:
            return cls()
        return cls(
            frozenset(
                place
                for place, count in joined.items()
                if count >= LEAST and count >= SHARE * (count + apart[place])
            )
        )

    def join(self, token: str, *, is_compound: bool) -> bool:
        """Return whether a mark joins words in a kind of slot.

        Args:
            token: the mark.
            is_compound: whether the slot is between a word and its head.
        """
        if self.places is not None:
            return (token, is_compound) in self.places
        return spacing.is_joining(token) or (is_compound and token == spacing.HYPHEN)

    def may_part(self, string: Puncteme, *, is_compound: bool) -> bool:
        """Return whether a string may stand between two words that stand apart.

        Args:
            string: the tokens of the slot.
            is_compound: whether the slot is between a word and its head.
        """
        return not any(self.join(token, is_compound=is_compound) for token in string)


BY_TYPOGRAPHY = JoiningMarks()
"""The marks that join words if nothing is known of their spacing."""
