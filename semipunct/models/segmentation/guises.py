"""The guises of a passage: as it was written, in lower case, and as a transcript has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from semipunct.corpus.located import BLANKS
from semipunct.corpus.passages import Passage, Span, sentence_spans
from semipunct.marks.tokens import carries_dot


class Segmentation(NamedTuple):
    """A text cut into tokens and sentences.

    Attributes:
        text: the characters.
        tokens: places of tokens, none of which begins or ends with a blank.
        ends: whether a token is the last of its sentence.
    """

    text: str
    tokens: list[Span]
    ends: list[bool]

    @property
    def sentences(self) -> list[Span]:
        """The places of sentences, from the first token to the last."""
        return sentence_spans(self.tokens, self.ends)


def written(passage: Passage) -> Segmentation:
    """Return a passage as it was written."""
    return _rewritten(passage, lambda form, mark: form)


def lower(passage: Passage) -> Segmentation:
    """Return a passage in lower case."""
    return _rewritten(passage, lambda form, mark: form.lower())


def stripped(passage: Passage) -> Segmentation:
    """Return a passage in lower case, without marks and the dots of abbreviations.

    Words that a mark stood between are apart.
    """

    def spelt(form: str, mark: bool) -> str:
        if mark:
            return ""
        return (form[:-1] if carries_dot(form) else form).lower()

    return _rewritten(passage, spelt)


IN_GUISE: dict[str, Callable[[Passage], Segmentation]] = {
    "written": written,
    "lower": lower,
    "stripped": stripped,
}
"""The guises by their names in the settings."""


def _rewritten(passage: Passage, spelt: Callable[[str, bool], str]) -> Segmentation:
    """Spell every token otherwise; an empty one goes, and leaves a space if there was none."""
    found = Segmentation("", [], [])
    pieces: list[str] = []
    place = last = 0
    gap, gone = "", False
    for (start, end), stops, mark in zip(passage.tokens, passage.ends, passage.marks, strict=True):
        gap += passage.text[last:start]
        last = end
        # A token that has a blank at its edge in the treebank has it outside of it here.
        form = BLANKS.sub(" ", spelt(passage.text[start:end], mark)).strip()
        if not form:
            gone = True
            if stops and found.ends:
                found.ends[-1] = True
            continue
        space = " " if gone else gap
        space = space if found.tokens else ""
        pieces += (space, form)
        place += len(space)
        found.tokens.append((place, place + len(form)))
        found.ends.append(stops)
        place += len(form)
        gap, gone = "", False
    return found._replace(text="".join(pieces))
