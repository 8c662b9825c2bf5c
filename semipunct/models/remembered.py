"""Caching of objects computed from a model's weights, such as tables shared by all calls.

Why only the last ones are held: docs/decisions/0024-lowered-programs.md.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from semipunct.models.base import Model, Weights

M = TypeVar("M", bound=Model[Any, Any, Any])
R = TypeVar("R")


def cache_latest(make: Callable[[M, Weights], R]) -> Callable[[M, Weights], R]:
    """Return a function that caches, for each model, its result for the most recent weights.

    Weights are compared by identity: a dictionary of weights is never modified.

    Args:
        make: a function of a model and its weights whose result does not refer to the model;
            otherwise the model would never be freed.
    """
    last: WeakKeyDictionary[M, tuple[Weights, R]] = WeakKeyDictionary()

    @wraps(make)
    def cached(model: M, parameters: Weights) -> R:
        latest = last.get(model)
        if latest is None or latest[0] is not parameters:
            last[model] = latest = (parameters, make(model, parameters))
        return latest[1]

    return cached
