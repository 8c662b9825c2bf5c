"""Interruption of long work: a signal sets a flag, which the work asks for between two steps."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(slots=True)
class Stop:
    """A flag that a signal sets; called, it tells whether one has come.

    Attributes:
        signal: the number of the signal, None before one has come.
    """

    signal: int | None = None

    def __call__(self) -> bool:
        return self.signal is not None


@contextmanager
def interruptible(notice: str = "") -> Generator[Stop, None, None]:
    """Catch SIGINT and SIGTERM within a ``with`` block, and restore the handlers after it.

    A second signal does what it did before the block, so that work that does not ask can still be
    ended.  Signals that the process was told to ignore, as a shell tells its background jobs, stay
    ignored.  Outside the main thread, where Python delivers no signals, the flag is never set.

    Args:
        notice: written to standard error when the flag is set.

    Yields:
        The flag.
    """
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    handlers = {number: signal.getsignal(number) for number in SIGNALS}
    before = {number: old for number, old in handlers.items() if old is not signal.SIG_IGN}

    def restore() -> None:
        for number, handler in before.items():
            # None stands for a handler that was not installed from Python: left as it is.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)

    def handle(number: int, _frame: FrameType | None) -> None:
        stop.signal = number
        restore()
        # Not through sys.stderr, which the signal may have interrupted in the midst of a line.
        with suppress(OSError):
            os.write(2, notice.encode())

    try:
        for number in before:
            signal.signal(number, handle)
        yield stop
    finally:
        restore()
