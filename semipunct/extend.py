"""Building blocks for additions of your own, and for work with trees and sentences in Python.

The documentation uses these names besides those of ``semipunct``, ``semipunct.structures``,
``semipunct.formats`` and ``semipunct.evaluation``. They are stable, whereas the modules that define
them may move (docs/decisions/0049-public-names.md). They are imported on first access.
"""

from typing import TYPE_CHECKING, Any

from semipunct.lazy import LazyNames

if TYPE_CHECKING:
    from semipunct.arrays.padding import pad_rows, round_up
    from semipunct.cli import console
    from semipunct.cli.commands import Command
    from semipunct.corpus import Entry, Omitted, ReadingNotes
    from semipunct.corpus.examples import treebank_digest
    from semipunct.corpus.learners import english_learner_errors
    from semipunct.corpus.statistics import frequent_tokens, token_counts, with_unknown
    from semipunct.evaluation.correction import correction_statistics
    from semipunct.features.attributes import Attributes, Single
    from semipunct.features.strings import Spelling, alphabet
    from semipunct.features.templates import Template
    from semipunct.files import display_name
    from semipunct.marks import SILENT, UNK
    from semipunct.marks.corrections import corrections
    from semipunct.models.base import Model, Sums
    from semipunct.models.kind import Kind, SharedTrainOptions
    from semipunct.models.optimisation import schedule
    from semipunct.models.settings import AtLeastOne

__all__ = [
    "SILENT",
    "UNK",
    "AtLeastOne",
    "Attributes",
    "Command",
    "Entry",
    "Kind",
    "Model",
    "Omitted",
    "ReadingNotes",
    "SharedTrainOptions",
    "Single",
    "Spelling",
    "Sums",
    "Template",
    "alphabet",
    "console",
    "correction_statistics",
    "corrections",
    "display_name",
    "english_learner_errors",
    "frequent_tokens",
    "pad_rows",
    "round_up",
    "schedule",
    "token_counts",
    "treebank_digest",
    "with_unknown",
]

_NAMES = LazyNames(__file__)

if not TYPE_CHECKING:  # to a type checker a module with a __getattr__ has every name

    def __getattr__(name: str) -> Any:
        return _NAMES.load(__name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_NAMES.modules})
