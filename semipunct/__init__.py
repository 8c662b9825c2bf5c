"""A generative model of punctuation in dependency trees (Li, Wang and Eisner 2019).

``__all__`` lists the public functions, one for each command on models and treebanks, and the
classes of their arguments and results. They are imported on first access, so that code which only
reads treebanks does not import JAX.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from semipunct.installation import check_semirings
from semipunct.version import __version__ as __version__

check_semirings()
del check_semirings

if TYPE_CHECKING:
    from semipunct.corpus import Sentence, Treebank
    from semipunct.evaluation.systems import compare
    from semipunct.formats.reading import read, stats
    from semipunct.inference.decode import Analysis
    from semipunct.kinds.explanations import explain
    from semipunct.kinds.functions import (
        correct,
        correct_text,
        evaluate,
        restore,
        restore_text,
        suspects,
    )
    from semipunct.kinds.loading import load
    from semipunct.marks import Edit
    from semipunct.tasks.correction import Corrected
    from semipunct.tasks.decode import decode
    from semipunct.tasks.diff import TreebankDiff, diff
    from semipunct.tasks.jackknife import jackknife
    from semipunct.tasks.normalise import normalise
    from semipunct.tasks.normalise_marks import NormalisedTreebank
    from semipunct.tasks.pack import pack
    from semipunct.tasks.parse import parse
    from semipunct.tasks.parse_text import parse_text
    from semipunct.tasks.restoration import Restoration
    from semipunct.tasks.restore_words import restore_words
    from semipunct.tasks.segment import segment
    from semipunct.tasks.suspects import Suspect
    from semipunct.tasks.truecase import truecase
    from semipunct.training.train import train
    from semipunct.trees import DependencyTree, Tree

__all__ = [
    "Analysis",
    "Corrected",
    "DependencyTree",
    "Edit",
    "NormalisedTreebank",
    "Restoration",
    "Sentence",
    "Suspect",
    "Tree",
    "Treebank",
    "TreebankDiff",
    "compare",
    "correct",
    "correct_text",
    "decode",
    "diff",
    "evaluate",
    "explain",
    "jackknife",
    "load",
    "normalise",
    "pack",
    "parse",
    "parse_text",
    "read",
    "restore",
    "restore_text",
    "restore_words",
    "segment",
    "stats",
    "suspects",
    "train",
    "truecase",
]

_ROOMS = {
    "Analysis": "semipunct.inference.decode",
    "Corrected": "semipunct.tasks.correction",
    "DependencyTree": "semipunct.trees",
    "Edit": "semipunct.marks",
    "NormalisedTreebank": "semipunct.tasks.normalise_marks",
    "Restoration": "semipunct.tasks.restoration",
    "Sentence": "semipunct.corpus",
    "Suspect": "semipunct.tasks.suspects",
    "Tree": "semipunct.trees",
    "Treebank": "semipunct.corpus",
    "TreebankDiff": "semipunct.tasks.diff",
    "compare": "semipunct.evaluation.systems",
    "correct": "semipunct.kinds.functions",
    "correct_text": "semipunct.kinds.functions",
    "decode": "semipunct.tasks.decode",
    "diff": "semipunct.tasks.diff",
    "evaluate": "semipunct.kinds.functions",
    "explain": "semipunct.kinds.explanations",
    "jackknife": "semipunct.tasks.jackknife",
    "load": "semipunct.kinds.loading",
    "normalise": "semipunct.tasks.normalise",
    "pack": "semipunct.tasks.pack",
    "parse": "semipunct.tasks.parse",
    "parse_text": "semipunct.tasks.parse_text",
    "read": "semipunct.formats.reading",
    "restore": "semipunct.kinds.functions",
    "restore_text": "semipunct.kinds.functions",
    "restore_words": "semipunct.tasks.restore_words",
    "segment": "semipunct.tasks.segment",
    "stats": "semipunct.formats.reading",
    "suspects": "semipunct.kinds.functions",
    "train": "semipunct.training.train",
    "truecase": "semipunct.tasks.truecase",
}


if not TYPE_CHECKING:  # to a type checker a module with a __getattr__ has every name

    def __getattr__(name: str) -> Any:
        # Not cached in globals(), so that a replacement in the defining module takes effect.
        if name not in _ROOMS:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_ROOMS[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_ROOMS})
