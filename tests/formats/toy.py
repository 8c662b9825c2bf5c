"""A test format: one sentence per line, words and marks separated by blanks, a flat tree.

It is the reader of docs/extending/format.md.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from semipunct.corpus import Entry, Omitted, ReadingNotes, Sentence
from semipunct.files import display_name
from semipunct.formats import Format, Writer, text_lines
from semipunct.trees import DependencyTree


class Lines(Format[str]):
    """Lines such as ``“ Go , ” he said .``; a token with a letter or a digit is a word."""

    name = "lines"
    suffixes = (".lines",)

    def read(self, path: str | Path) -> Iterator[Entry[str]]:
        name = display_name(path)
        for number, line in enumerate(text_lines(path), start=1):
            yield _entry(line, name, number)

    def writer(self, like: Iterable[Entry[str]] = ()) -> Writer[str]:
        raise NotImplementedError  # docs/extending/format.md has one


def _entry(line: str, path: str, number: int) -> Entry[str]:
    words: list[str] = []
    slots: list[list[str]] = [[]]
    for piece in line.split():
        if any(char.isalnum() for char in piece):
            words.append(piece)
            slots.append([])
        else:
            slots[-1].append(piece)
    n, marks = len(words), sum(map(len, slots))
    notes = ReadingNotes(n + marks, marks)
    if not words:
        return Entry(
            Omitted("nothing but punctuation", f"#{number}", path, number), line, (), notes
        )
    sentence = Sentence(
        sentence_id=f"#{number}",
        path=path,
        line=number,
        forms=tuple(words),
        lemmas=tuple(words),
        upos=("X",) * n,
        xpos=("_",) * n,
        feats=("_",) * n,
        tree=DependencyTree((0, *[1] * (n - 1)), ("root", *["dep"] * (n - 1))),
        slots=tuple(map(tuple, slots)),
    )
    return Entry(sentence, line, tuple(range(1, n + 1)), notes)


LINES = Lines()
