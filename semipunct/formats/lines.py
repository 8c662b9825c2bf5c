"""Decoded lines of text files."""

import shlex
from collections.abc import Iterator
from pathlib import Path

from semipunct.errors import TreebankError
from semipunct.files import STANDARD, FileKind, as_section, byte_lines, display_name

KIND = FileKind(
    TreebankError, "name the .conllu files in it instead", "fetch or compress the file again"
)


def text_lines(path: str | Path, *, ended: bool = False) -> Iterator[str]:
    """Yield the lines of a UTF-8 file with their line ends; ``ended`` adds a missing last one.

    Raises:
        TreebankError: if the file cannot be read, is not UTF-8, or contains a NUL byte.
    """
    name = display_name(path)
    section = as_section(path)
    offset = section.first_byte
    for number, content in enumerate(byte_lines(path, KIND), section.first_line):
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError as error:
            argument = "IN" if name == display_name(STANDARD) else shlex.quote(name)
            raise TreebankError(
                f"{name}:{number}: byte {content[error.start]:#04x} at offset "
                f"{offset + error.start} of the file is not UTF-8; convert the file to UTF-8 (in a "
                f"Western European language: iconv -f WINDOWS-1252 -t UTF-8 {argument} > OUT)"
            ) from error
        if "\0" in text:
            raise TreebankError(
                f"{name}:{number}: a NUL byte at offset {offset + content.index(0)} of the file; "
                "this is not a text file in UTF-8, convert or repair it"
            )
        offset += len(content)
        yield text + "\n" if ended and not text.endswith("\n") else text
