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
    from semipunct.marks import Edit
    from semipunct.pipelines.explanations import explain
    from semipunct.pipelines.functions import (
        correct,
        correct_text,
        evaluate,
        restore,
        restore_text,
        suspects,
    )
    from semipunct.pipelines.pipeline import load
    from semipunct.tasks.analyse import analyse
    from semipunct.tasks.correction import Corrected
    from semipunct.tasks.decode import decode
    from semipunct.tasks.diff import TreebankDiff, diff
    from semipunct.tasks.jackknife import jackknife
    from semipunct.tasks.normalise import Normalised, normalise
    from semipunct.tasks.normalise_marks import NormalisedTreebank
    from semipunct.tasks.pack import pack
    from semipunct.tasks.parse import parse
    from semipunct.tasks.parse_text import parse_text
    from semipunct.tasks.rephrase import Rephrasing, rephrase
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
    "Normalised",
    "NormalisedTreebank",
    "Rephrasing",
    "Restoration",
    "Sentence",
    "Suspect",
    "Tree",
    "Treebank",
    "TreebankDiff",
    "analyse",
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
    "rephrase",
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
    "Normalised": "semipunct.tasks.normalise",
    "NormalisedTreebank": "semipunct.tasks.normalise_marks",
    "Rephrasing": "semipunct.tasks.rephrase",
    "Restoration": "semipunct.tasks.restoration",
    "Sentence": "semipunct.corpus",
    "Suspect": "semipunct.tasks.suspects",
    "Tree": "semipunct.trees",
    "Treebank": "semipunct.corpus",
    "TreebankDiff": "semipunct.tasks.diff",
    "analyse": "semipunct.tasks.analyse",
    "compare": "semipunct.evaluation.systems",
    "correct": "semipunct.pipelines.functions",
    "correct_text": "semipunct.pipelines.functions",
    "decode": "semipunct.tasks.decode",
    "diff": "semipunct.tasks.diff",
    "evaluate": "semipunct.pipelines.functions",
    "explain": "semipunct.pipelines.explanations",
    "jackknife": "semipunct.tasks.jackknife",
    "load": "semipunct.pipelines.pipeline",
    "normalise": "semipunct.tasks.normalise",
    "pack": "semipunct.tasks.pack",
    "parse": "semipunct.tasks.parse",
    "parse_text": "semipunct.tasks.parse_text",
    "read": "semipunct.formats.reading",
    "rephrase": "semipunct.tasks.rephrase",
    "restore": "semipunct.pipelines.functions",
    "restore_text": "semipunct.pipelines.functions",
    "restore_words": "semipunct.tasks.restore_words",
    "segment": "semipunct.tasks.segment",
    "stats": "semipunct.formats.reading",
    "suspects": "semipunct.pipelines.functions",
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
