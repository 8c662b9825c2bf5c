"""Treebanks: statistics, consistent heads of marks, suspicious marks, differences, jackknifing."""

from typing import TYPE_CHECKING, Any

from semipunct.lazy import LazyNames

if TYPE_CHECKING:
    from semipunct.formats.reading import stats as stats
    from semipunct.pipelines.jackknife import jackknife as jackknife
    from semipunct.treebanks.differences import TreebankDiff as TreebankDiff
    from semipunct.treebanks.differences import diff as diff
    from semipunct.treebanks.mark_attachment import NormalisedTreebank as NormalisedTreebank
    from semipunct.treebanks.mark_attachment import normalise as normalise
    from semipunct.treebanks.suspicions import Suspect as Suspect
    from semipunct.treebanks.suspicions import suspects as suspects

_NAMES = LazyNames(__file__)

if not TYPE_CHECKING:  # type checkers accept any name of a module with __getattr__

    def __getattr__(name: str) -> Any:
        return _NAMES.load(__name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_NAMES.modules})
