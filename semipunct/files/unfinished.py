"""Unfinished work of this process, to be undone where a signal ends the process at once."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress

_UNDO: list[Callable[[], object]] = []


@contextmanager
def undoable(undo: Callable[[], object]) -> Generator[None, None, None]:
    """Remember, within a ``with`` block, how to undo what the block begins.

    The block undoes its work itself where an exception ends it; a process that a signal ends at
    once runs no ``finally``, and calls ``undo_unfinished``.
    """
    _UNDO.append(undo)
    try:
        yield
    finally:
        _UNDO.remove(undo)


def undo_unfinished() -> None:
    """Undo what is unfinished, the last begun first; what cannot be undone is left."""
    for undo in reversed(_UNDO[:]):
        with suppress(Exception):
            undo()
