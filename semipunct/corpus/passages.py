"""Passages: running text with known tokens, sentences and words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Span = tuple[int, int]  # start and end


@dataclass(frozen=True, slots=True)
class Passage:
    """Consecutive sentences of a document with their original text.

    Attributes:
        tokens: ``[tokens]`` positions in the text, in order.
        ends: ``[tokens]`` whether a token ends its sentence.
        marks: ``[tokens]`` whether a token is punctuation.
        words: ``[tokens]`` the words of a token: itself, or several (*al* is *a el*).
    """

    name: str
    path: str
    line: int
    text: str
    tokens: tuple[Span, ...]
    ends: tuple[bool, ...]
    marks: tuple[bool, ...]
    words: tuple[tuple[str, ...], ...]

    @property
    def size(self) -> int:
        return len(self.tokens)

    @property
    def choices(self) -> int:
        return len(self.text)

    @property
    def seen(self) -> tuple[Any, ...]:
        return self.text, self.tokens, self.ends, self.marks, self.words

    @property
    def sentences(self) -> list[Span]:
        return sentence_spans(self.tokens, self.ends)

    def forms(self) -> Iterator[str]:
        return (self.text[start:end] for start, end in self.tokens)


def sentence_spans(tokens: Sequence[Span], ends: Sequence[bool]) -> list[Span]:
    """Return the starts and ends of sentences; the last token always ends one."""
    lasts = [i for i, stops in enumerate(ends) if stops or i == len(ends) - 1]
    firsts = [0, *(i + 1 for i in lasts)]
    return [(tokens[i][0], tokens[j][1]) for i, j in zip(firsts, lasts, strict=False)]
