"""Statistics of sentences, figures of corpora, stored results and their comparison."""

from typing import TYPE_CHECKING

from semipunct.lazy import lazy_names

if TYPE_CHECKING:
    from semipunct.evaluation.figures import Figures as Figures
    from semipunct.evaluation.figures import Number as Number
    from semipunct.evaluation.figures import Ratio as Ratio
    from semipunct.evaluation.figures import Real as Real
    from semipunct.evaluation.metric import Column as Column
    from semipunct.evaluation.metric import Count as Count
    from semipunct.evaluation.metric import CountByMark as CountByMark
    from semipunct.evaluation.metric import CountRow as CountRow
    from semipunct.evaluation.metric import LogLikelihood as LogLikelihood
    from semipunct.evaluation.metric import Measure as Measure
    from semipunct.evaluation.metric import Setting as Setting
    from semipunct.evaluation.metric import Statistics as Statistics
    from semipunct.evaluation.registry import METRICS as METRICS
    from semipunct.evaluation.results import Result as Result
    from semipunct.evaluation.results import join_signature as join_signature
    from semipunct.evaluation.results import read_result as read_result
    from semipunct.evaluation.results import split_signature as split_signature
    from semipunct.evaluation.results import write_result as write_result

if not TYPE_CHECKING:  # to a type checker a module with a __getattr__ has every name
    __getattr__, __dir__ = lazy_names(__name__, __file__)
