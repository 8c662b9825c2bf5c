"""Pipelines: from documents to documents, by the models of a folder or an installed package."""

from semipunct.pipelines.mapper import BatchMapper
from semipunct.pipelines.pipeline import OPTIONS, Pipeline, load
from semipunct.pipelines.task import Documents, Helpers, Request, Task, Tasks

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
