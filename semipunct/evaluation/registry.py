"""Registry of metrics by name.

A new metric is a class and a line here, or an entry point in the group ``semipunct.metrics``.
"""

from semipunct.errors import ConfigError
from semipunct.evaluation.correction import CorrectionStatistics
from semipunct.evaluation.metric import Statistics
from semipunct.evaluation.parsing import ParsingStatistics
from semipunct.evaluation.perplexity import PerplexityStatistics
from semipunct.evaluation.restoration import RestorationStatistics
from semipunct.plugins import find_plugin

METRICS: dict[str, type[Statistics]] = {
    "correction": CorrectionStatistics,
    "parsing": ParsingStatistics,
    "perplexity": PerplexityStatistics,
    "restoration": RestorationStatistics,
}


def find_metric(task: str) -> type[Statistics] | None:
    """Return the class of statistics of a task, or None if there is none."""
    if task not in METRICS and (metric := find_plugin("metrics", task, type)) is not None:
        if not issubclass(metric, Statistics):
            raise ConfigError(
                f"the metric {task!r}, registered as {metric.__qualname__}, is no subclass of "
                "semipunct.evaluation.Statistics; repair or uninstall it"
            )
        METRICS[task] = metric
    return METRICS.get(task)
