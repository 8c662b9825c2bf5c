"""A test format: one sentence per line, words and marks separated by blanks, a flat tree.

This is all that a format requires, with one entry in ``semipunct.formats.FORMATS``.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TextIO

from semipunct.corpus import Entry, Omitted, ReadingNotes, Sentence
from semipunct.files import display_name
from semipunct.formats import Annotation, Format, Writer, text_lines
from semipunct.marks import SILENT, Puncteme
from semipunct.trees import DependencyTree


class Lines(Format[str]):
    """Lines such as ``“ Go , ” he said .``; a token with a letter or a digit is a word."""

    name = "lines"
    suffixes = (".lines",)

    def read(self, path: str | Path) -> Iterator[Entry[str]]:
        name = display_name(path)
        for number, line in enumerate(text_lines(path), start=1):
            yield _entry(line, name, number)

    def writer(self, like: Iterable[Entry[str]] = ()) -> "LinesWriter":
        return LinesWriter()


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


class LinesWriter(Writer[str]):
    """Appends annotations to the end of a line, after a ``#``."""

    def annotate(self, entry: Entry[str], annotation: Annotation) -> str:
        of_words = [
            f"{word}:{name}={value}"
            for word, attributes in annotation.attributes.items()
            for name, value in attributes.items()
        ]
        of_all = [f"{name}={value}" for name, value in annotation.comments.items()]
        added = " ".join(["  #", *of_words, *of_all]) if of_words or of_all else ""
        return entry.record.rstrip("\n") + added + "\n"

    def punctuate(self, entry: Entry[str], slots: Sequence[Puncteme]) -> str:
        return self.text(entry, slots) + "\n"

    def text(self, entry: Entry[str], slots: Sequence[Puncteme]) -> str:
        assert isinstance(entry.content, Sentence)
        pieces: list[str] = []
        for form, slot in zip(("", *entry.content.forms), slots, strict=True):
            pieces += [form] if form else []
            pieces += (token for token in slot if token not in SILENT)
        return " ".join(pieces)

    def write(self, texts: Iterable[str], stream: TextIO) -> None:
        stream.writelines(texts)


LINES = Lines()
