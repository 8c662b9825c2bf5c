"""Stable building blocks for extensions, and for work with trees and sentences in Python.

The modules that define them may move (docs/decisions/architecture.md).
"""

from typing import TYPE_CHECKING

from semipunct.lazy import lazy_names

if TYPE_CHECKING:
    from semipunct.arrays.padding import pad_rows as pad_rows
    from semipunct.arrays.padding import round_up as round_up
    from semipunct.cli import console as console
    from semipunct.cli.commands import Command as Command
    from semipunct.corpus import Entry as Entry
    from semipunct.corpus import Omitted as Omitted
    from semipunct.corpus import ReadingNotes as ReadingNotes
    from semipunct.corpus.examples import treebank_digest as treebank_digest
    from semipunct.corpus.learners import english_learner_errors as english_learner_errors
    from semipunct.corpus.statistics import frequent_tokens as frequent_tokens
    from semipunct.corpus.statistics import token_counts as token_counts
    from semipunct.corpus.statistics import with_unknown as with_unknown
    from semipunct.evaluation.correction import correction_statistics as correction_statistics
    from semipunct.features.attributes import Attributes as Attributes
    from semipunct.features.attributes import Single as Single
    from semipunct.features.strings import Spelling as Spelling
    from semipunct.features.strings import alphabet as alphabet
    from semipunct.features.templates import Template as Template
    from semipunct.files import display_name as display_name
    from semipunct.marks import SILENT as SILENT
    from semipunct.marks import UNK as UNK
    from semipunct.marks.corrections import corrections as corrections
    from semipunct.models.base import Model as Model
    from semipunct.models.base import Sums as Sums
    from semipunct.models.kind import Kind as Kind
    from semipunct.models.kind import SharedTrainOptions as SharedTrainOptions
    from semipunct.models.optimisation import schedule as schedule
    from semipunct.models.settings import AtLeastOne as AtLeastOne

if not TYPE_CHECKING:  # to a type checker a module with a __getattr__ has every name
    __getattr__, __dir__ = lazy_names(__name__, __file__)
