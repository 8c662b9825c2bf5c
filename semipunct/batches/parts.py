"""Parts of a corpus: consecutive sections of its files, which are answered apart from each other.

Parts depend on the files and on a size only. Why the answers are those for the whole corpus:
docs/decisions/0059-corpora.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from semipunct.errors import TreebankError, UsageError
from semipunct.files import STANDARD, Section, byte_lines, read_bytes, sha256
from semipunct.formats.conllu.records import blocks, separator_after
from semipunct.formats.lines import KIND
from semipunct.formats.text import in_paragraphs, lines_judged_together

if TYPE_CHECKING:
    from semipunct.kinds.answers import Unit

_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Piece:
    """A section of a file.

    Attributes:
        file: the number of the file, from 0.
        start: the offset of the first byte.
        stop: the offset after the last one.
        first_line: the number of the first line, from 1.
        first_character: the number of characters before it.
        sentences_before: the number of sentences before it, if the file is divided into sentences.
        digest: the SHA-256 checksum of the bytes.
    """

    file: int
    start: int
    stop: int
    first_line: int
    first_character: int
    sentences_before: int
    digest: str


@dataclass(frozen=True, slots=True)
class Part:
    """Consecutive sections of files; only the first one may begin, and the last one end, in a file.

    Attributes:
        pieces: the sections.
        first: the number of sentences of treebanks before it that models can process; 0 if nothing
            depends on it.
    """

    pieces: Sequence[Piece]
    first: int = 0


def divide(paths: Sequence[str], unit: Unit, size: int, chunk: int = 1) -> Iterator[Part]:
    """Divide files into parts.

    Args:
        paths: the files, which are read once, a part at a time.
        unit: what is not divided.
        size: the maximum number of bytes of a part, unless it is a single unit; its last chunk may
            exceed it.
        chunk: the number of sentences of which all parts but the last have a multiple, if the unit
            is the sentence.

    Raises:
        UsageError: if a file is standard input, a pipe or compressed.
        TreebankError: if a file cannot be read.
    """
    check_files(paths)
    pieces: list[Piece] = []
    room, count = size, 0
    for number, path in enumerate(paths):
        place, pending = _Place(number), list[bytes]()
        for lines in units_of(path, unit):
            may_end = unit != "sentence" or count % chunk == 0
            if (pieces or pending) and len(lines) > room and may_end:
                if pending:
                    pieces.append(place.advance(pending, unit))
                yield Part(tuple(pieces))
                pieces, pending, room = [], [], size
            pending.append(lines)
            room -= len(lines)
            count += bool(lines)
        if pending or not place.byte:
            pieces.append(place.advance(pending, unit))
    if pieces:
        yield Part(tuple(pieces))


@dataclass(slots=True)
class _Place:
    """A place in a file, with what precedes it there.

    Attributes:
        file: the number of the file.
        byte: the number of bytes before it.
        lines: the number of lines.
        characters: the number of characters.
        sentences: the number of sentences.
    """

    file: int
    byte: int = 0
    lines: int = 0
    characters: int = 0
    sentences: int = 0

    def advance(self, units: Sequence[bytes], unit: Unit) -> Piece:
        """Return the piece that some units are, and go to its end.

        Args:
            units: of the file, from here.
            unit: their type.
        """
        content = b"".join(units)
        start = self.byte
        self.byte += len(content)
        piece = Piece(
            self.file,
            start,
            self.byte,
            self.lines + 1,
            self.characters,
            self.sentences,
            sha256(content),
        )
        self.lines += content.count(b"\n")
        self.characters += len(content.decode("utf-8", "replace"))
        self.sentences += len(units) if unit == "sentence" else 0
        return piece


def check_files(paths: Iterable[str]) -> None:
    """Raise ``UsageError`` unless sections of all files can be read.

    Args:
        paths: names of files; one that does not exist is no error here.
    """
    for path in paths:
        if path == STANDARD:
            raise UsageError(
                "--parts reads sections of files, and standard input has none; write it to a file"
            )
        file = Path(path)
        if file.exists() and not file.is_dir():
            if not file.is_file():
                raise UsageError(
                    f"{path}: --parts reads sections of files, and this is none; write it to a file"
                )
            with file.open("rb") as stream:
                is_packed = stream.read(len(_GZIP)) == _GZIP
            if is_packed or path.endswith(".gz"):
                raise UsageError(
                    f"{path}: --parts cannot read sections of compressed files; decompress it "
                    "(gunzip -k), or give each of such files to a command of its own"
                )


def units_of(path: str, unit: Unit) -> Iterator[bytes]:
    """Yield the units of a file, whose concatenation is the file.

    Args:
        path: the file.
        unit: their type.

    Raises:
        TreebankError: if the file cannot be read.
    """
    if unit not in ("line", "paragraph", "sentence"):
        yield read_bytes(path, KIND)
        return
    # Lines that are no text are refused where they are read for a model.
    lines = (line.decode("utf-8", "surrogateescape") for line in byte_lines(path, KIND))
    if unit == "line":
        for together, _ in lines_judged_together(lines):
            yield "".join(together).encode("utf-8", "surrogateescape")
        return
    has_units = False
    texts = (
        (raw.text for raw in in_paragraphs(lines))
        if unit == "paragraph"
        else ("".join(block) for _, block in blocks(lines))
    )
    for text in texts:
        has_units = True
        yield text.encode("utf-8", "surrogateescape")
    if not has_units:
        yield read_bytes(path, KIND)


def read_part(part: Part, paths: Sequence[str], unit: Unit) -> list[Section]:
    """Read the sections of a part.

    Args:
        part: the part.
        paths: the files of the corpus.
        unit: what was not divided.

    Raises:
        TreebankError: if a file cannot be read, or has changed.
    """
    return [_read(piece, paths, unit) for piece in part.pieces]


def _read(piece: Piece, paths: Sequence[str], unit: Unit) -> Section:
    path = paths[piece.file]
    try:
        with open(path, "rb") as stream:
            stream.seek(piece.start)
            content = stream.read(piece.stop - piece.start)
            is_end = not stream.read(1)
    except OSError as error:
        raise TreebankError(f"{path}: cannot be read ({error.strerror or error})") from error
    if sha256(content) != piece.digest:
        raise TreebankError(
            f"{path}: bytes {piece.start:,} to {piece.stop:,} have changed since the output was "
            "begun; put the old file back, or name another folder"
        )
    if is_end and piece.file < len(paths) - 1:
        content += _ending(content, unit)
    return Section(
        path,
        content,
        first_line=piece.first_line,
        first_byte=piece.start,
        first_character=piece.first_character,
        sentences_before=piece.sentences_before,
        is_inside=piece.start > 0 or not is_end,
    )


def _ending(content: bytes, unit: Unit) -> bytes:
    """Return what separates the end of a file from the file that follows it."""
    if unit == "sentence" and content:
        return separator_after(content.decode("utf-8", "replace")).encode()
    return b"" if content.endswith(b"\n") or not content else b"\n"


def file_digest(path: str) -> str:
    """Return the SHA-256 checksum of a file.

    Raises:
        TreebankError: if it cannot be read.
    """
    checksum = hashlib.sha256()
    for line in byte_lines(path, KIND):
        checksum.update(line)
    return checksum.hexdigest()
