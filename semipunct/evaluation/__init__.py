"""Statistics of sentences, figures of corpora, stored results and their comparison."""

from semipunct.evaluation.figures import Figures, Number, Ratio, Real
from semipunct.evaluation.metric import (
    Column,
    Count,
    CountByMark,
    CountRow,
    LogLikelihood,
    Measure,
    Setting,
    Statistics,
)
from semipunct.evaluation.registry import METRICS
from semipunct.evaluation.results import (
    Result,
    join_signature,
    read_result,
    split_signature,
    write_result,
)

__all__ = [
    "METRICS",
    "Column",
    "Count",
    "CountByMark",
    "CountRow",
    "Figures",
    "LogLikelihood",
    "Measure",
    "Number",
    "Ratio",
    "Real",
    "Result",
    "Setting",
    "Statistics",
    "join_signature",
    "read_result",
    "split_signature",
    "write_result",
]
