"""Minimal reading of CoNLL-U for comparisons of files: lines, columns and spaces, nothing else.

It shares no code with the readers and writers of semipunct, so that it can find their faults.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import NamedTuple

ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(10)
COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
SPACING = ("SpaceAfter", "SpacesAfter", "SpacesBefore")
"""Attributes of MISC that record spaces."""

_TEXT = "# text ="
_ESCAPES = {"s": " ", "t": "\t", "n": "\n", "r": "\r", "p": "|", "\\": "\\"}


class Unit(NamedTuple):
    """A token or a multiword token: no mark is inserted or deleted inside.

    Attributes:
        rows: the columns of its lines; of a multiword token, the line of its range first.
        is_mark: whether it is a punctuation mark of its own.
    """

    rows: tuple[tuple[str, ...], ...]
    is_mark: bool

    @property
    def form(self) -> str:
        """The characters of the unit."""
        return self.rows[0][FORM]


@dataclass(frozen=True)
class Block:
    """The lines of a sentence.

    Attributes:
        lines: without line ends.
        units: tokens and multiword tokens, in order.
        empty: pairs of the number of words before an empty node, and its columns.
        comments: pairs of the number of words before a comment, and the comment; without text.
        text: the value of ``# text``, None if there is none.
    """

    lines: tuple[str, ...]
    units: tuple[Unit, ...]
    empty: tuple[tuple[int, tuple[str, ...]], ...]
    comments: tuple[tuple[int, str], ...]
    text: str | None

    @property
    def words(self) -> list[Unit]:
        """The units that are not marks."""
        return [unit for unit in self.units if not unit.is_mark]


def split_file(content: str) -> tuple[list[str], list[str]]:
    """Split a file into sentences and what separates them.

    Args:
        content: the file, with its own line ends.

    Returns:
        The blocks of lines, and the blank lines before the first, between them and after the last.
    """
    parts = re.split(r"((?:^[ \t]*\r?\n)+)", content, flags=re.MULTILINE)
    blocks, separators = [], [""]
    for number, part in enumerate(parts):
        if number % 2:
            separators[-1] += part
        elif part:
            blocks.append(part)
            separators.append("")
    return blocks, separators


def line_ends(block: str) -> list[str]:
    """Return the line end of every line of a block; empty for a last line without one."""
    return [line[len(line.rstrip("\r\n")) :] for line in lines_of(block)]


def lines_of(block: str) -> list[str]:
    """Return lines with their ends; other characters that Python counts as ends are ordinary."""
    return re.findall(r"[^\n]*\n|[^\n]+", block)


def read_block(block: str) -> Block:
    """Read the lines of a sentence.

    Args:
        block: lines with their ends.
    """
    lines = tuple(line.rstrip("\r\n") for line in lines_of(block))
    units: list[Unit] = []
    empty: list[tuple[int, tuple[str, ...]]] = []
    comments: list[tuple[int, str]] = []
    text, last, words = None, 0, 0
    for line in lines:
        if line.lstrip("\ufeff").startswith("#"):
            if line.startswith(_TEXT):
                text = line.removeprefix(_TEXT)
                text = text[1:] if text.startswith(" ") else text
            else:
                comments.append((words, line))
            continue
        row = tuple(line.lstrip("\ufeff").split("\t"))
        identifier = row[ID]
        if "." in identifier:
            empty.append((words, row))
        elif "-" in identifier:
            last = int(identifier.partition("-")[2])
            units.append(Unit((row,), False))
            words += 1
        elif int(identifier) <= last:
            units[-1] = Unit((*units[-1].rows, row), False)
        else:
            units.append(Unit((row,), _is_mark(row)))
            words += not units[-1].is_mark
    return Block(lines, tuple(units), tuple(empty), tuple(comments), text)


def spaces_after(units: tuple[Unit, ...]) -> list[str]:
    """Return the characters between each unit and the next, as MISC records them."""
    return [_space_after(unit.rows[0]) for unit in units]


def attributes(column: str) -> list[str]:
    """Return the items of a MISC column, without those that record spaces."""
    items = [] if column == "_" else column.split("|")
    return [item for item in items if item.partition("=")[0] not in SPACING]


def spaces_in_text(forms: list[str], text: str) -> list[str] | None:
    """Return the characters after each form in a text that begins with the first of them.

    Args:
        forms: the tokens.
        text: what they make up.

    Returns:
        None if the forms and blanks do not make up the text.
    """
    place, blanks = 0, []
    for form in forms:
        start = place
        while not text.startswith(form, place):
            if place == len(text) or not text[place].isspace():
                return None
            place += 1
        if blanks:
            blanks[-1] = text[start:place]
        elif place > start:
            return None
        blanks.append("")
        place += len(form)
    if text[place:].strip():
        return None
    if blanks:
        blanks[-1] = text[place:]
    return blanks


def has_consistent_text(block: Block) -> bool:
    """Return whether a text is stated that has blanks where MISC has them, and no others."""
    if block.text is None:
        return False
    stated = spaces_in_text([unit.form for unit in block.units], block.text)
    if stated is None:
        return False
    recorded = spaces_after(block.units)[:-1]
    return [not space for space in stated[:-1]] == [not space for space in recorded]


def _space_after(row: tuple[str, ...]) -> str:
    items = dict(item.partition("=")[::2] for item in row[MISC].split("|"))
    if "SpacesAfter" in items:
        return re.sub(
            r"\\(.)", lambda match: _ESCAPES.get(match[1], match[0]), items["SpacesAfter"]
        )
    return "" if items.get("SpaceAfter") == "No" else " "


def _is_mark(row: tuple[str, ...]) -> bool:
    if row[UPOS] == "_":
        return all(unicodedata.category(char).startswith("P") for char in row[FORM])
    return row[UPOS] == "PUNCT"
