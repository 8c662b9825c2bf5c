"""Decoded lines of text files, used by all text formats."""

import shlex
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from semipunct.errors import TreebankError
from semipunct.files import STANDARD, FileKind, byte_lines, display_name, first_byte, first_line
from semipunct.files.contents import ENOUGH, Content, binary, markup

KIND = FileKind(
    TreebankError, "name the .conllu files in it instead", "fetch or compress the file again"
)


def text_lines(path: str | Path, *, ended: bool = False) -> Iterator[str]:
    """Yield the lines of a UTF-8 file, each with its line end if it has one.

    Args:
        path: a file, ``.gz`` or not, or ``-`` for standard input.
        ended: add a line end to the last line if it has none.

    Raises:
        TreebankError: if the file cannot be read (see ``files.byte_lines``), is not UTF-8,
            contains a NUL byte, or is a document in PDF, PostScript or rich text format.
    """
    name = display_name(path)
    offset = first_byte(path)
    first = b""
    contents = byte_lines(path, KIND)
    for number, content in enumerate(contents, first_line(path)):
        if number == 1 and (document := markup(content)):
            raise _no_text(name, document)
        if len(first) < ENOUGH:
            first += content
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise _not_utf8(
                name,
                _beginning(first, contents),
                f"{name}:{number}: byte {content[error.start]:#04x} at offset "
                f"{offset + error.start} of the file is not UTF-8; convert the file to UTF-8 (in a "
                f"Western European language: iconv -f WINDOWS-1252 -t UTF-8 {_argument(name)} "
                "> OUT)",
            ) from error
        if "\0" in text:
            raise _not_utf8(
                name,
                _beginning(first, contents),
                f"{name}:{number}: a NUL byte at offset {offset + content.index(0)} of the file; "
                "this is not a text file in UTF-8, convert or repair it",
            )
        offset += len(content)
        yield text + "\n" if ended and not text.endswith("\n") else text


def _beginning(first: bytes, chunks: Iterator[bytes]) -> bytes:
    """Return the first bytes of a file, of which some were read."""
    with suppress(TreebankError):  # what is wrong with the rest is not what is reported
        while len(first) < ENOUGH and (more := next(chunks, b"")):
            first += more
    return first


def _not_utf8(name: str, first: bytes, message: str) -> TreebankError:
    content = binary(first)
    return _no_text(name, content) if content else TreebankError(message)


def _no_text(name: str, content: Content) -> TreebankError:
    remedy = content.remedy.format(file=_argument(name))
    return TreebankError(f"{name}: this is {content.name}, not plain text in UTF-8; {remedy}")


def _argument(name: str) -> str:
    return shlex.quote(name) if name != display_name(STANDARD) else "IN"
