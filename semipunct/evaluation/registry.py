"""Registry of metrics by name; a new metric needs its class and a line here."""

from semipunct.evaluation.brackets import BracketStatistics
from semipunct.evaluation.correction import CorrectionStatistics
from semipunct.evaluation.derivations import DerivationStatistics
from semipunct.evaluation.metric import Statistics
from semipunct.evaluation.parsing import ParsingStatistics
from semipunct.evaluation.perplexity import PerplexityStatistics
from semipunct.evaluation.restoration import RestorationStatistics

METRICS: dict[str, type[Statistics]] = {
    "brackets": BracketStatistics,
    "correction": CorrectionStatistics,
    "derivations": DerivationStatistics,
    "parsing": ParsingStatistics,
    "perplexity": PerplexityStatistics,
    "restoration": RestorationStatistics,
}
"""The class of statistics of each task."""
