"""File formats: readers and writers by name. No lower-level package depends on a format."""

from typing import TYPE_CHECKING

from semipunct.lazy import lazy_names

if TYPE_CHECKING:
    from semipunct.formats.base import Annotation as Annotation
    from semipunct.formats.base import Format as Format
    from semipunct.formats.base import Writer as Writer
    from semipunct.formats.lines import text_lines as text_lines
    from semipunct.formats.parallel import read_m2 as read_m2
    from semipunct.formats.parallel import read_parallel_texts as read_parallel_texts
    from semipunct.formats.parallel import read_parallel_treebanks as read_parallel_treebanks
    from semipunct.formats.parallel import write_erroneous as write_erroneous
    from semipunct.formats.registry import FORMATS as FORMATS
    from semipunct.formats.registry import format_of as format_of
    from semipunct.formats.registry import read_entries as read_entries
    from semipunct.formats.registry import read_treebank as read_treebank
    from semipunct.formats.registry import read_words as read_words
    from semipunct.formats.registry import with_crossing_arcs as with_crossing_arcs

if not TYPE_CHECKING:  # to a type checker a module with a __getattr__ has every name
    __getattr__, __dir__ = lazy_names(__name__, __file__)
