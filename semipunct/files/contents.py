"""Recognition of files that are not text in UTF-8 by their first bytes, with what to do about them.

The signatures are those of the database of file(1).
"""

from __future__ import annotations

import re
from typing import NamedTuple

ENOUGH = 2**16
"""The number of first bytes by which files are recognised."""


class Content(NamedTuple):
    """A kind of content that is not text in UTF-8.

    Attributes:
        name: what it is, with its article.
        remedy: how to get text from it; ``{file}`` stands for the name of the file.
    """

    name: str
    remedy: str


_SAVE = (
    "save it as plain text in UTF-8 and name that file (pandoc --to plain --wrap none {file} -o "
    "OUT.txt)"
)
_EXPORT = "save it as plain text in UTF-8 with the program that wrote it, and name that file"
_UNPACK = "unpack it, and name the files in it"
_TABLE = "export its text as a text file"
_PDF = Content("a PDF document", "extract its text (pdftotext {file} OUT.txt), and name that file")
_RTF = Content("a document in rich text format (.rtf)", _SAVE)
_POSTSCRIPT = Content("a PostScript document", "extract its text (ps2ascii {file} OUT.txt)")
_IMAGE = Content("an image", "recognise its text first, for example with tesseract")
_RECORDING = Content("a recording of sound or video", "transcribe it, and name the text")


def _encoded(name: str, encoding: str) -> Content:
    return Content(f"text in {name}", f"convert it: iconv -f {encoding} -t UTF-8 {{file}} > OUT")


def _compressed(name: str, program: str) -> Content:
    return Content(f"compressed with {name}", f"decompress it first ({program} {{file}})")


_ZIP = Content("a zip archive", _UNPACK)
_ARCHIVES = (
    (b"word/", Content("a Word document (.docx)", _SAVE)),
    (b"opendocument.text", Content("an OpenDocument text (.odt)", _SAVE)),
    (b"opendocument", Content("an OpenDocument file", _TABLE)),
    (b"application/epub", Content("an EPUB book", _SAVE)),
    (b"xl/", Content("an Excel workbook (.xlsx)", _TABLE)),
    (b"ppt/", Content("a PowerPoint presentation (.pptx)", _TABLE)),
)
"""Zip archives, by a part of the name or content of a member."""

_SIGNATURES: tuple[tuple[bytes, Content], ...] = (
    (rb"%PDF-", _PDF),
    (rb"\{\\rtf", _RTF),
    (rb"%!PS", _POSTSCRIPT),
    (rb"\xd0\xcf\x11\xe0", Content("a document of Office 2003 or older", _EXPORT)),
    (rb"\xff\xfe\x00\x00|\x00\x00\xfe\xff", _encoded("UTF-32", "UTF-32")),
    (rb"\xff\xfe|\xfe\xff", _encoded("UTF-16", "UTF-16")),
    (rb"(?:[\t\n\r -~]\x00){4}", _encoded("UTF-16", "UTF-16LE")),
    (rb"(?:\x00[\t\n\r -~]){4}", _encoded("UTF-16", "UTF-16BE")),
    (rb"\x89PNG|\xff\xd8\xff|GIF8[79]a|II\*\x00|MM\x00\*|RIFF....WEBP", _IMAGE),
    (rb"....ftyp(?:heic|avif|mif1)|BM.{4}\x00{4}", _IMAGE),
    (rb"RIFF....WAVE|ID3|OggS|fLaC|\xff[\xfb\xf3\xf2]|....ftyp|\x1aE\xdf\xa3", _RECORDING),
    (rb"BZh[1-9]", _compressed("bzip2", "bunzip2")),
    (rb"\xfd7zXZ\x00", _compressed("xz", "unxz")),
    (rb"\x28\xb5\x2f\xfd", _compressed("zstd", "unzstd")),
    (rb"7z\xbc\xaf\x27\x1c|Rar!\x1a", Content("an archive", _UNPACK)),
    (rb".{257}ustar", Content("a tar archive", _UNPACK)),
    (rb"SQLite format 3\x00", Content("an SQLite database", _TABLE)),
    (rb"PAR1|ARROW1", Content("a Parquet or Arrow table", _TABLE)),
    (rb"\x93NUMPY|\x80[\x02-\x05]", Content("data of Python", _TABLE)),
    (rb"\x7fELF|MZ|\xcf\xfa\xed\xfe|\xca\xfe\xba\xbe", Content("a program", "name a text file")),
)
"""Regular expressions that the first bytes of a file match, and what it then is."""

_COMPILED = tuple((re.compile(pattern, re.DOTALL), content) for pattern, content in _SIGNATURES)


def markup(first: bytes) -> Content | None:
    """Return what a file is that may be UTF-8, but is the markup of a document.

    Args:
        first: its first bytes.
    """
    content = _match(first)
    return content if content in (_PDF, _RTF, _POSTSCRIPT) else None


def binary(first: bytes) -> Content | None:
    """Return what a file is that is not UTF-8, or None if it is not recognised.

    Args:
        first: its first bytes, ``ENOUGH`` if it has as many.
    """
    if first.startswith(b"PK\x03\x04"):
        return next((content for part, content in _ARCHIVES if part in first), _ZIP)
    return _match(first)


def _match(first: bytes) -> Content | None:
    return next((content for pattern, content in _COMPILED if pattern.match(first)), None)
