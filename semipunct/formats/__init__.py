"""File formats: readers and writers by name. No lower-level package depends on a format."""

from semipunct.formats.base import Annotation, Format, Writer
from semipunct.formats.lines import text_lines
from semipunct.formats.parallel import (
    read_m2,
    read_parallel_texts,
    read_parallel_treebanks,
    write_erroneous,
)
from semipunct.formats.registry import (
    FORMATS,
    format_of,
    read_entries,
    read_treebank,
    read_words,
    with_crossing_arcs,
)

__all__ = [
    "FORMATS",
    "Annotation",
    "Format",
    "Writer",
    "format_of",
    "read_entries",
    "read_m2",
    "read_parallel_texts",
    "read_parallel_treebanks",
    "read_treebank",
    "read_words",
    "text_lines",
    "with_crossing_arcs",
    "write_erroneous",
]
