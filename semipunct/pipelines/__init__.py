"""Pipelines: the tasks of trained models on texts and treebanks."""

from typing import TYPE_CHECKING

from semipunct.lazy import lazy_names

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

if not TYPE_CHECKING:  # to a type checker a module with a __getattr__ has every name
    __getattr__, __dir__ = lazy_names(__name__, __file__)
