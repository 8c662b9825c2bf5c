"""Bytes in and out: reading and writing of files and folders, checksums, strict JSON."""

from semipunct.files.digests import file_sha256, sha256
from semipunct.files.folders import recover_folder, replace_folder
from semipunct.files.reading import (
    STANDARD,
    FileKind,
    byte_lines,
    display_name,
    read_bytes,
)
from semipunct.files.strict_json import finite, from_json, json_document, json_object, to_json
from semipunct.files.writing import atomic_file, output, write_bytes

__all__ = [
    "STANDARD",
    "FileKind",
    "atomic_file",
    "byte_lines",
    "display_name",
    "file_sha256",
    "finite",
    "from_json",
    "json_document",
    "json_object",
    "output",
    "read_bytes",
    "recover_folder",
    "replace_folder",
    "sha256",
    "to_json",
    "write_bytes",
]
