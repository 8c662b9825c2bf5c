"""Bytes in and out: reading and writing of files and folders, checksums, strict JSON."""

from semipunct.files.reading import (
    STANDARD,
    FileKind,
    Section,
    as_section,
    beginning,
    byte_lines,
    display_name,
    file_sha256,
    read_bytes,
    sha256,
    title_of,
)
from semipunct.files.strict_json import finite, from_json, json_document, to_json
from semipunct.files.writing import check_output_file, check_place, output, write_bytes

__all__ = [
    "STANDARD",
    "FileKind",
    "Section",
    "as_section",
    "beginning",
    "byte_lines",
    "check_output_file",
    "check_place",
    "display_name",
    "file_sha256",
    "finite",
    "from_json",
    "json_document",
    "output",
    "read_bytes",
    "sha256",
    "title_of",
    "to_json",
    "write_bytes",
]
