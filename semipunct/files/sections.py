"""Sections of files, and texts in memory, that are read like files."""

from __future__ import annotations

from typing import Self


class Section(str):
    """The name of a file, or of a text that is none, with lines that are read in its place.

    Readers take it for a path. What they say of lines and sentences is true of the whole file.

    Attributes:
        content: the lines, with their ends.
        first_line: the number of the first line.
        first_byte: its offset in the file.
        first_character: the number of characters before it.
        sentences_before: the number of sentences of a treebank before it.
        is_inside: whether the file has other lines; a section may then be blank.
    """

    content: bytes
    first_line: int
    first_byte: int
    first_character: int
    sentences_before: int
    is_inside: bool

    def __new__(
        cls,
        name: str,
        content: bytes,
        *,
        first_line: int = 1,
        first_byte: int = 0,
        first_character: int = 0,
        sentences_before: int = 0,
        is_inside: bool = False,
    ) -> Self:
        """Make a section; arguments are its attributes."""
        section = super().__new__(cls, name)
        section.content, section.is_inside = content, is_inside
        section.first_line, section.first_byte = first_line, first_byte
        section.first_character, section.sentences_before = first_character, sentences_before
        return section

    def __getnewargs__(self) -> tuple[str, bytes]:  # pyright: ignore[reportIncompatibleMethodOverride]
        # Pickling calls __new__ with these; the other attributes follow.
        return str(self), self.content


def first_character(path: object) -> int:
    """Return the number of characters in the file before the first one that is read."""
    return path.first_character if isinstance(path, Section) else 0


def first_line(path: object) -> int:
    """Return the number of the first line that is read under a name."""
    return path.first_line if isinstance(path, Section) else 1


def first_byte(path: object) -> int:
    """Return the offset in the file of the first byte that is read under a name."""
    return path.first_byte if isinstance(path, Section) else 0


def sentences_before(path: object) -> int:
    """Return the number of sentences of a file that precede those that are read."""
    return path.sentences_before if isinstance(path, Section) else 0


def is_inside(path: object) -> bool:
    """Return whether a file has other lines than those that are read."""
    return isinstance(path, Section) and path.is_inside
