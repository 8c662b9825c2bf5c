"""Interruption of long work: a signal sets a flag, which the work asks for between two steps."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def interruptible() -> Generator[Callable[[], bool]]:
    """Catch SIGINT and SIGTERM within a ``with`` block, and restore the handlers after it.

    A second signal does what it did before the block, so that work that does not ask can still be
    ended.  Outside the main thread, where Python delivers no signals, the flag is never set.

    Yields:
        A function that tells whether a signal has come.
    """
    raised = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield raised.is_set
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}

    def restore() -> None:
        for number, handler in before.items():
            # None stands for a handler that was not installed from Python: left as it is.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)

    def handle(_number: int, _frame: FrameType | None) -> None:
        raised.set()
        restore()

    try:
        for number in SIGNALS:
            signal.signal(number, handle)
        yield raised.is_set
    finally:
        restore()
