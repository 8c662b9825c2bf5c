"""Interruption of long-running work: a signal sets a flag, which is checked between steps."""

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
    """A flag that is set by a signal; calling it returns whether a signal was received.

    Attributes:
        signal: the number of the signal; None before one is received.
    """

    signal: int | None = None

    def __call__(self) -> bool:
        return self.signal is not None


@contextmanager
def interruptible(notice: str = "") -> Generator[Stop, None, None]:
    """Catch SIGINT and SIGTERM within a ``with`` block, and restore the handlers after it.

    A second signal has its previous effect, so that work that does not check the flag can still be
    terminated.  Signals that the process ignores, such as those of background jobs of a shell, stay
    ignored.  Outside the main thread, where Python delivers no signals, the flag is never set.

    Args:
        notice: a message to write to standard error when the flag is set.

    Yields:
        The flag.
    """
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    handlers = {number: signal.getsignal(number) for number in SIGNALS}
    before = {
        number: handler for number, handler in handlers.items() if handler is not signal.SIG_IGN
    }

    def restore() -> None:
        for number, handler in before.items():
            # None: the previous handler was not installed from Python.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)

    def handle(number: int, _frame: FrameType | None) -> None:
        stop.signal = number
        restore()
        # Not through sys.stderr, which the signal may have interrupted in the middle of a write.
        with suppress(OSError):
            os.write(2, notice.encode())

    try:
        for number in before:
            signal.signal(number, handle)
        yield stop
    finally:
        restore()
