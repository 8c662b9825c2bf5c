"""Pipelines: from documents to documents, by the models of a folder or an installed package."""

from typing import TYPE_CHECKING, Any

from semipunct.lazy import LazyNames

if TYPE_CHECKING:
    from semipunct.pipelines.mapper import BatchMapper
    from semipunct.pipelines.options import Helpers, Request
    from semipunct.pipelines.pipeline import OPTIONS, Pipeline, load
    from semipunct.pipelines.task import Documents, Task, Tasks

__all__ = [
    "OPTIONS",
    "BatchMapper",
    "Documents",
    "Helpers",
    "Pipeline",
    "Request",
    "Task",
    "Tasks",
    "load",
]

_NAMES = LazyNames(__file__)

if not TYPE_CHECKING:  # to a type checker a module with a __getattr__ has every name

    def __getattr__(name: str) -> Any:
        return _NAMES.load(__name__, name)
