"""Bytes in and out: reading and writing of files and folders, checksums, strict JSON."""

from semipunct.files.digests import file_sha256, sha256
from semipunct.files.folders import make_folder, recover_folder, replace_folder, swap_folder
from semipunct.files.locks import hold_lock
from semipunct.files.reading import (
    STANDARD,
    FileKind,
    beginning,
    byte_lines,
    display_name,
    read_bytes,
)
from semipunct.files.sections import (
    Section,
    first_byte,
    first_character,
    first_line,
    is_inside,
    sentences_before,
)
from semipunct.files.strict_json import finite, from_json, json_document, json_object, to_json
from semipunct.files.unfinished import undo_unfinished, undoable
from semipunct.files.writing import (
    atomic_file,
    check_output_file,
    check_place,
    output,
    write_bytes,
)

__all__ = [
    "STANDARD",
    "FileKind",
    "Section",
    "atomic_file",
    "beginning",
    "byte_lines",
    "check_output_file",
    "check_place",
    "display_name",
    "file_sha256",
    "finite",
    "first_byte",
    "first_character",
    "first_line",
    "from_json",
    "hold_lock",
    "is_inside",
    "json_document",
    "json_object",
    "make_folder",
    "output",
    "read_bytes",
    "recover_folder",
    "replace_folder",
    "sentences_before",
    "sha256",
    "swap_folder",
    "to_json",
    "undo_unfinished",
    "undoable",
    "write_bytes",
]
