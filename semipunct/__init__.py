"""A generative model of punctuation in dependency trees (Li, Wang and Eisner 2019).

``__all__`` lists the public functions, one for each command on models and treebanks, and the
classes of their arguments and results. They are imported on first access, so that code which only
reads treebanks does not import JAX.
"""

from typing import TYPE_CHECKING, Any

from semipunct.installation import check_semirings
from semipunct.lazy import LazyNames
from semipunct.version import __version__ as __version__

check_semirings()
del check_semirings

if TYPE_CHECKING:
    from semipunct.corpus import Sentence, Treebank
    from semipunct.evaluation.comparison import compare
    from semipunct.formats.reading import read, stats
    from semipunct.marks import Edit
    from semipunct.models.punctuation.decode import Analysis
    from semipunct.pipelines.decoding import decode
    from semipunct.pipelines.explanations import explain
    from semipunct.pipelines.functions import (
        correct,
        correct_text,
        evaluate,
        parse_text,
        restore,
        restore_text,
    )
    from semipunct.pipelines.jackknife import jackknife
    from semipunct.pipelines.pack import pack
    from semipunct.pipelines.parses import parse
    from semipunct.pipelines.pipeline import load
    from semipunct.pipelines.results import Corrected, Restoration
    from semipunct.pipelines.segmentation import segment
    from semipunct.pipelines.tree_restoration import restore_words
    from semipunct.training.train import train
    from semipunct.treebanks.diff import TreebankDiff, diff
    from semipunct.treebanks.normalise import NormalisedTreebank, normalise
    from semipunct.treebanks.suspects import Suspect, suspects
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
]

_NAMES = LazyNames(__file__)

if not TYPE_CHECKING:  # to a type checker a module with a __getattr__ has every name

    def __getattr__(name: str) -> Any:
        return _NAMES.load(__name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_NAMES.modules})
