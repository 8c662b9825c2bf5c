"""Options of XLA that suit batches of many small arrays; none of them is needed.

Options of XLA come and go between versions, some without notice. One that the installed version
refuses is left out for the rest of the process: programs compute the same without it, only slower.

The range of versions, and how it is tested, is in docs/decisions/0041-versions.md.
Why one is set at all: docs/decisions/0006-batch-shapes.md.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import jax

T = TypeVar("T")

CHOSEN: dict[str, Any] = {
    # XLA delegates reductions to a library with an overhead that dominates for small arrays: with
    # XLA's own loops the gradient of a batch takes half the time.
    "xla_cpu_experimental_ynn_fusion_type": "LIBRARY_FUSION_TYPE_INDIVIDUAL_DOT",
    # This reduces compilation time without slowing down training steps.
    "xla_backend_optimization_level": 1,
}

_OPTIONS = {
    name: value for name, value in CHOSEN.items() if name not in os.environ.get("XLA_FLAGS", "")
}
"""Those that are neither set in the environment nor refused so far."""


def compiler_options() -> dict[str, Any]:
    """Return the options to compile with."""
    return dict(_OPTIONS)


def compile_with_options(compile_with: Callable[[dict[str, Any]], T]) -> T:
    """Compile with the options, without those that the installed version of XLA refuses.

    Args:
        compile_with: compiles with some options.

    Raises:
        jax.errors.JaxRuntimeError: if compilation fails for another reason.
    """
    while True:
        try:
            return compile_with(compiler_options())
        except jax.errors.JaxRuntimeError as error:
            refused = [name for name in _OPTIONS if name in str(error)]
            if not refused:
                raise
            for name in refused:
                _OPTIONS.pop(name, None)  # another thread may have found it out as well
