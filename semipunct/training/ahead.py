"""Compiling ahead: while the first steps are taken, a second thread compiles what comes next."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import jax
import numpy as np


@contextmanager
def meanwhile(tasks: Iterable[Callable[[], object]]) -> Generator[None]:
    """Run tasks one after the other in a second thread while the body of a ``with`` block runs.

    A task that fails is left to whoever needs its result, and meets the same error. What has not
    begun at the end of the block is not run.

    Args:
        tasks: they return nothing of use; making them may take time as well.
    """
    over = False

    def run() -> None:
        for task in tasks:
            if over:
                return
            task()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(run)
        try:
            yield
        finally:
            over = True


def like(arrays: Any) -> Any:
    """Return arrays of the same shapes and types that take no memory.

    Args:
        arrays: a tree of them.
    """

    def empty(x: Any) -> Any:
        return np.broadcast_to(np.zeros((), x.dtype), x.shape)

    return jax.tree.map(empty, arrays)
