"""Memory for things made of a model's weights, such as tables that all calls need."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from semipunct.models.base import Model, Weights

M = TypeVar("M", bound=Model[Any, Any, Any])
R = TypeVar("R")


def remembered(make: Callable[[M, Weights], R]) -> Callable[[M, Weights], R]:
    """Return a function that remembers, for each model, what it made of the last weights.

    Weights are the same if they are the same object: a dictionary of weights is never changed.

    Args:
        make: from a model and its weights to something that does not refer to the model, which
            would then never be freed.
    """
    last: WeakKeyDictionary[M, tuple[Weights, R]] = WeakKeyDictionary()

    @wraps(make)
    def found(model: M, parameters: Weights) -> R:
        known = last.get(model)
        if known is None or known[0] is not parameters:
            last[model] = known = (parameters, make(model, parameters))
        return known[1]

    return found
