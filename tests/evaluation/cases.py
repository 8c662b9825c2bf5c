"""Small results to store and to compare, all with numbers that can be seen here."""

from collections.abc import Sequence

import numpy as np

from semipunct.evaluation.perplexity import PerplexityStatistics
from semipunct.evaluation.restoration import Slots, restoration_statistics
from semipunct.evaluation.results import Result
from semipunct.evaluation.signature import join_signature

GOLD: list[Slots] = [
    [(), (",",), (), (".",)],
    [("“",), (), (",", "”"), (".",)],
    [(), ("(",), (")",)],
    [(), (".",)],
]
PREDICTED: list[Slots] = [
    [(), (), (), (".",)],  # a comma is missing
    [("“",), (",",), ("”", ","), ("!",)],  # inserted, exchanged, replaced
    [("(",), (), (")", ")")],  # a bracket moved, another one too many
    [(), (".",)],
]


def signature(task: str, **parts: str) -> str:
    return join_signature({"task": task, "treebank": "t1", "tokens": ">=5", "final": "no"} | parts)


def scored(log_likelihood: Sequence[float], slots: Sequence[int], **parts: str) -> Result:
    """A result of perplexity."""
    statistics = PerplexityStatistics(np.array(log_likelihood, float), np.array(slots, np.int64))
    return Result("scorer", signature("perplexity", **parts), statistics)


def restored(gold: Sequence[Slots], predicted: Sequence[Slots], **parts: str) -> Result:
    """A result of restoration."""
    statistics = restoration_statistics(gold, predicted)
    return Result("restorer", signature("restoration", **parts), statistics)
