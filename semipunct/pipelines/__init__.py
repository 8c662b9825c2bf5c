"""Pipelines: the tasks of trained models on texts and treebanks."""

from typing import TYPE_CHECKING, Any

from semipunct.lazy import LazyNames

if TYPE_CHECKING:
    from semipunct.pipelines.mapper import BatchMapper as BatchMapper
    from semipunct.pipelines.options import Helpers as Helpers
    from semipunct.pipelines.options import Request as Request
    from semipunct.pipelines.pipeline import OPTIONS as OPTIONS
    from semipunct.pipelines.pipeline import Pipeline as Pipeline
    from semipunct.pipelines.pipeline import load as load
    from semipunct.pipelines.task import Documents as Documents
    from semipunct.pipelines.task import Task as Task
    from semipunct.pipelines.task import Tasks as Tasks

_NAMES = LazyNames(__file__)

if not TYPE_CHECKING:  # type checkers accept any name of a module with __getattr__

    def __getattr__(name: str) -> Any:
        return _NAMES.load(__name__, name)
