"""A generative model of punctuation in dependency trees (Li, Wang and Eisner 2019).

``load`` returns a pipeline, whose methods restore, correct, parse and explain text; ``read``,
``train``, ``evaluate`` and ``compare`` are for treebanks, and ``semipunct.treebanks`` checks them.
Names are imported on first access, so that code which only reads treebanks does not import JAX.
"""

from typing import TYPE_CHECKING

from semipunct.installation import check_semirings
from semipunct.lazy import lazy_names
from semipunct.version import __version__ as __version__

check_semirings()
del check_semirings

if TYPE_CHECKING:
    from semipunct.corpus import Sentence as Sentence
    from semipunct.corpus import Treebank as Treebank
    from semipunct.evaluation.comparison import compare as compare
    from semipunct.formats.reading import read as read
    from semipunct.marks import Edit as Edit
    from semipunct.models.punctuation.decode import Analysis as Analysis
    from semipunct.pipelines.evaluation import evaluate as evaluate
    from semipunct.pipelines.pipeline import Pipeline as Pipeline
    from semipunct.pipelines.pipeline import load as load
    from semipunct.pipelines.results import Corrected as Corrected
    from semipunct.pipelines.results import Restoration as Restoration
    from semipunct.training.train import train as train
    from semipunct.trees import DependencyTree as DependencyTree
    from semipunct.trees import Tree as Tree

if not TYPE_CHECKING:  # to a type checker a module with a __getattr__ has every name
    __getattr__, __dir__ = lazy_names(__name__, __file__)
