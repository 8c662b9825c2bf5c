"""Statistics of sentences, figures of corpora, stored results and their comparison.

The package exports the classes needed to define a metric, and stored results.
"""

from semipunct.evaluation.columns import Column, Count, CountByMark, CountRow, LogLikelihood
from semipunct.evaluation.metric import Measure, Setting, Statistics
from semipunct.evaluation.registry import METRICS
from semipunct.evaluation.results import Result, read_result, write_result
from semipunct.evaluation.signature import join_signature, split_signature

__all__ = [
    "METRICS",
    "Column",
    "Count",
    "CountByMark",
    "CountRow",
    "LogLikelihood",
    "Measure",
    "Result",
    "Setting",
    "Statistics",
    "join_signature",
    "read_result",
    "split_signature",
    "write_result",
]
