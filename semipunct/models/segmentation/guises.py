"""The guises of a passage: as written, and in the style of a transcript."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from semipunct.corpus.located import BLANKS
from semipunct.corpus.passages import Passage, Span, sentence_spans
from semipunct.marks.tokens import carries_dot


class Segmentation(NamedTuple):
    """A text divided into tokens and sentences."""

    text: str
    tokens: list[Span]  # spans that neither begin nor end with a blank
    ends: list[bool]  # whether each token ends a sentence

    @property
    def sentences(self) -> list[Span]:
        return sentence_spans(self.tokens, self.ends)

    def join(self, parts: Iterable[Span]) -> Segmentation:
        """Merge tokens so that none of the given parts, in order, is split."""
        remaining = iter(parts)
        part = next(remaining, None)
        tokens: list[Span] = []
        ends: list[bool] = []
        for (start, end), stops in zip(self.tokens, self.ends, strict=True):
            while part is not None and part[1] <= start:
                part = next(remaining, None)
            if part is not None and tokens and part[0] < tokens[-1][1]:
                tokens[-1], ends[-1] = (tokens[-1][0], end), stops
            else:
                tokens.append((start, end))
                ends.append(stops)
        return Segmentation(self.text, tokens, ends)


def written_segmentation(passage: Passage) -> Segmentation:
    """Return a passage as written."""
    return _rewritten(passage, lambda form, mark: form)


def stripped_segmentation(passage: Passage) -> Segmentation:
    """Return a passage in lower case, without marks and dots of abbreviations.

    Words separated only by a mark are separated by a space.
    """

    def spelt(form: str, mark: bool) -> str:
        if mark:
            return ""
        return (form[:-1] if carries_dot(form) else form).lower()

    return _rewritten(passage, spelt)


IN_GUISE: dict[str, Callable[[Passage], Segmentation]] = {
    "written": written_segmentation,
    "stripped": stripped_segmentation,
}


def _rewritten(passage: Passage, spelt: Callable[[str, bool], str]) -> Segmentation:
    """Rewrite every token; replace empty ones by a space if needed."""
    rewritten = Segmentation("", [], [])
    pieces: list[str] = []
    place = last = 0
    gap, gone = "", False
    for (start, end), stops, mark in zip(passage.tokens, passage.ends, passage.marks, strict=True):
        gap += passage.text[last:start]
        last = end
        # Blanks at the edges of a token, found in treebanks, are moved outside of it.
        form = BLANKS.sub(" ", spelt(passage.text[start:end], mark)).strip()
        if not form:
            gone = True
            if stops and rewritten.ends:
                rewritten.ends[-1] = True
            continue
        space = " " if gone else gap
        space = space if rewritten.tokens else ""
        pieces += (space, form)
        place += len(space)
        rewritten.tokens.append((place, place + len(form)))
        rewritten.ends.append(stops)
        place += len(form)
        gap, gone = "", False
    return rewritten._replace(text="".join(pieces))
