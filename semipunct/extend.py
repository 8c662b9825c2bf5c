"""Building blocks for additions of your own, and for work with trees and sentences in Python.

The documentation uses these names besides those of ``semipunct``, ``semipunct.structures``,
``semipunct.formats`` and ``semipunct.evaluation``. They are stable, whereas the modules that define
them may move (docs/decisions/0049-public-names.md). They are imported on first access.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from semipunct.arrays.padding import pad_rows, round_up
    from semipunct.cli import console
    from semipunct.corpus import Entry, Omitted, ReadingNotes
    from semipunct.corpus.digest import treebank_digest
    from semipunct.corpus.synthetic import english_learner_errors
    from semipunct.corpus.tokens import frequent_tokens, token_counts, with_unknown
    from semipunct.evaluation.correction import correction_statistics
    from semipunct.features.attributes import Attributes, Single
    from semipunct.features.strings import Spelling, alphabet
    from semipunct.features.templates import Template
    from semipunct.files import display_name
    from semipunct.formats.ccgbank import Ccgbank, auto_line
    from semipunct.formats.ptb import Ptb, read_bracketings, write_brackets
    from semipunct.formats.registry import read_commas
    from semipunct.marks import SILENT, UNK
    from semipunct.marks.corrections import apply_corrections, corrections
    from semipunct.models.base import Model, Sums
    from semipunct.models.commas.decoding import CommaRestorer
    from semipunct.models.commas.model import CommaModel
    from semipunct.models.commas.options import CommaOptions
    from semipunct.models.kind import Kind, SharedTrainOptions
    from semipunct.models.optimisation import schedule
    from semipunct.models.settings import AtLeastOne
    from semipunct.tasks.rephrase import Changes
    from semipunct.treebanks.drawing import draw_derivation
    from semipunct.trees import (
        constituent_counts,
        dependencies,
        head_children,
        spans,
    )
    from semipunct.trees.commas import comma_nodes, normalise_absorption
    from semipunct.trees.conversion import convert_phrases
    from semipunct.trees.predicates import predicate_dependencies
    from semipunct.trees.pruning import (
        without_empty,
        without_functions,
        without_punctuation,
        without_wrapper,
    )

__all__ = [
    "SILENT",
    "UNK",
    "AtLeastOne",
    "Attributes",
    "Ccgbank",
    "Changes",
    "CommaModel",
    "CommaOptions",
    "CommaRestorer",
    "Entry",
    "Kind",
    "Model",
    "Omitted",
    "Ptb",
    "ReadingNotes",
    "SharedTrainOptions",
    "Single",
    "Spelling",
    "Sums",
    "Template",
    "alphabet",
    "apply_corrections",
    "auto_line",
    "comma_nodes",
    "console",
    "constituent_counts",
    "convert_phrases",
    "correction_statistics",
    "corrections",
    "dependencies",
    "display_name",
    "draw_derivation",
    "english_learner_errors",
    "frequent_tokens",
    "head_children",
    "normalise_absorption",
    "pad_rows",
    "predicate_dependencies",
    "read_bracketings",
    "read_commas",
    "round_up",
    "schedule",
    "spans",
    "token_counts",
    "treebank_digest",
    "with_unknown",
    "without_empty",
    "without_functions",
    "without_punctuation",
    "without_wrapper",
    "write_brackets",
]

_MODULES = {
    "AtLeastOne": "semipunct.models.settings",
    "Attributes": "semipunct.features.attributes",
    "Ccgbank": "semipunct.formats.ccgbank",
    "Changes": "semipunct.tasks.rephrase",
    "CommaModel": "semipunct.models.commas.model",
    "CommaOptions": "semipunct.models.commas.options",
    "CommaRestorer": "semipunct.models.commas.decoding",
    "Entry": "semipunct.corpus",
    "Kind": "semipunct.models.kind",
    "Model": "semipunct.models.base",
    "Omitted": "semipunct.corpus",
    "Ptb": "semipunct.formats.ptb",
    "ReadingNotes": "semipunct.corpus",
    "SILENT": "semipunct.marks",
    "SharedTrainOptions": "semipunct.models.kind",
    "Single": "semipunct.features.attributes",
    "Spelling": "semipunct.features.strings",
    "Sums": "semipunct.models.base",
    "Template": "semipunct.features.templates",
    "UNK": "semipunct.marks",
    "alphabet": "semipunct.features.strings",
    "apply_corrections": "semipunct.marks.corrections",
    "auto_line": "semipunct.formats.ccgbank",
    "comma_nodes": "semipunct.trees.commas",
    "console": "semipunct.cli",
    "constituent_counts": "semipunct.trees",
    "convert_phrases": "semipunct.trees.conversion",
    "correction_statistics": "semipunct.evaluation.correction",
    "corrections": "semipunct.marks.corrections",
    "dependencies": "semipunct.trees",
    "display_name": "semipunct.files",
    "draw_derivation": "semipunct.treebanks.drawing",
    "english_learner_errors": "semipunct.corpus.synthetic",
    "frequent_tokens": "semipunct.corpus.tokens",
    "head_children": "semipunct.trees",
    "normalise_absorption": "semipunct.trees.commas",
    "pad_rows": "semipunct.arrays.padding",
    "predicate_dependencies": "semipunct.trees.predicates",
    "read_bracketings": "semipunct.formats.ptb",
    "read_commas": "semipunct.formats.registry",
    "round_up": "semipunct.arrays.padding",
    "schedule": "semipunct.models.optimisation",
    "spans": "semipunct.trees",
    "token_counts": "semipunct.corpus.tokens",
    "treebank_digest": "semipunct.corpus.digest",
    "with_unknown": "semipunct.corpus.tokens",
    "without_empty": "semipunct.trees.pruning",
    "without_functions": "semipunct.trees.pruning",
    "without_punctuation": "semipunct.trees.pruning",
    "without_wrapper": "semipunct.trees.pruning",
    "write_brackets": "semipunct.formats.ptb",
}


if not TYPE_CHECKING:  # to a type checker a module with a __getattr__ has every name

    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
