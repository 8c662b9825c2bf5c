"""A generative model of punctuation in dependency trees (Li, Wang and Eisner 2019).

Names are imported on first access: reading treebanks does not import JAX.
"""

from typing import TYPE_CHECKING, Any

from semipunct.installation import check_semirings
from semipunct.lazy import LazyNames
from semipunct.version import __version__ as __version__

check_semirings()
del check_semirings

if TYPE_CHECKING:
    from semipunct.corpus import Sentence as Sentence
    from semipunct.corpus import Treebank as Treebank
    from semipunct.evaluation.comparison import compare as compare
    from semipunct.formats.reading import read as read
    from semipunct.formats.reading import stats as stats
    from semipunct.marks import Edit as Edit
    from semipunct.models.punctuation.decode import Analysis as Analysis
    from semipunct.pipelines.decoding import decode as decode
    from semipunct.pipelines.explanations import explain as explain
    from semipunct.pipelines.functions import correct as correct
    from semipunct.pipelines.functions import correct_text as correct_text
    from semipunct.pipelines.functions import evaluate as evaluate
    from semipunct.pipelines.functions import parse_text as parse_text
    from semipunct.pipelines.functions import restore as restore
    from semipunct.pipelines.functions import restore_text as restore_text
    from semipunct.pipelines.jackknife import jackknife as jackknife
    from semipunct.pipelines.pack import pack as pack
    from semipunct.pipelines.parses import parse as parse
    from semipunct.pipelines.pipeline import load as load
    from semipunct.pipelines.results import Corrected as Corrected
    from semipunct.pipelines.results import Restoration as Restoration
    from semipunct.pipelines.segmentation import segment as segment
    from semipunct.pipelines.tree_restoration import restore_words as restore_words
    from semipunct.training.train import train as train
    from semipunct.treebanks.diff import TreebankDiff as TreebankDiff
    from semipunct.treebanks.diff import diff as diff
    from semipunct.treebanks.normalise import NormalisedTreebank as NormalisedTreebank
    from semipunct.treebanks.normalise import normalise as normalise
    from semipunct.treebanks.suspects import Suspect as Suspect
    from semipunct.treebanks.suspects import suspects as suspects
    from semipunct.trees import DependencyTree as DependencyTree
    from semipunct.trees import Tree as Tree

_NAMES = LazyNames(__file__)

if not TYPE_CHECKING:  # to a type checker a module with a __getattr__ has every name

    def __getattr__(name: str) -> Any:
        return _NAMES.load(__name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_NAMES.modules})
