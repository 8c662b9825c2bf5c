"""Questions that are compiled once for each shape, wherever they are asked.

Why, and what stays outside: docs/decisions/0062-compiled-questions.md.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import jax

F = TypeVar("F", bound=Callable[..., Any])


def compile_once(*static: str) -> Callable[[F], F]:
    """Compile a function or method of arrays when it is called outside of compiled programs.

    Otherwise each of its operations would be compiled by itself, and each of its loops again in
    every call. Within a program it is traced as if it were not compiled.

    Args:
        *static: names of its arguments that are no arrays.
    """

    def of(function: F) -> F:
        program = jax.jit(function, static_argnames=static, inline=True)

        @wraps(function)
        def call(*arguments: Any, **keywords: Any) -> Any:
            return program(*arguments, **keywords)

        return cast(F, call)

    return of


def is_constant(value: Any) -> bool:
    """Return whether equal values are the same for ever: those of frozen dataclasses with a hash.

    A program compiled for a value that is changed later would give the answers of before.
    """
    # Not of a base class: what a class adds that is no field is not compared.
    settings = vars(type(value)).get("__dataclass_params__")
    if settings is None or not settings.frozen:
        return False
    try:
        hash(value)
    except TypeError:  # a field has none
        return False
    return True
