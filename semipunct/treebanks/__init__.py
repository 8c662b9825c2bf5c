"""Treebanks: statistics, consistent heads of marks, suspicious marks, differences, jackknifing."""

from typing import TYPE_CHECKING

from semipunct.lazy import lazy_names

if TYPE_CHECKING:
    from semipunct.formats.reading import stats as stats
    from semipunct.pipelines.jackknife import jackknife as jackknife
    from semipunct.treebanks.differences import TreebankDiff as TreebankDiff
    from semipunct.treebanks.differences import diff as diff
    from semipunct.treebanks.mark_attachment import NormalisedTreebank as NormalisedTreebank
    from semipunct.treebanks.mark_attachment import normalise as normalise
    from semipunct.treebanks.suspicions import Suspect as Suspect
    from semipunct.treebanks.suspicions import suspects as suspects

if not TYPE_CHECKING:  # to a type checker a module with a __getattr__ has every name
    __getattr__, __dir__ = lazy_names(__name__, __file__)
