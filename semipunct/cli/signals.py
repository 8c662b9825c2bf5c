"""Signal handlers: they end the process at once, or set a flag that training checks between steps.

A handler that raises an exception, like Python's own for Ctrl-C, is not reliable: callbacks of
libraries (JAX has one that the garbage collector calls) print the exception and continue, and
extension modules replace it with another one during their import. Therefore the handlers that end
the process remove unfinished files and end it themselves, so that no partly written file is left.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType
from typing import NoReturn

WORDS = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "hung up"}
"""The message for each signal; some systems lack some of them."""

_SHOW_CURSOR = b"\x1b[?25h"  # which a progress bar has hidden


def exit_status(number: int) -> int:
    """Return the exit status that shells report for a process ended by a signal."""
    return 128 + number


def end_at_signals() -> None:
    """Install handlers that end this process; signals that it ignores stay ignored."""
    for name in WORDS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)


def leave_to_server() -> None:
    """Install handlers that do nothing, for a server that ends itself at signals.

    While it runs, uvicorn has handlers of its own; when it has stopped, it sends the signal again
    to those from before, for which nothing is left to do.
    """
    for name in WORDS:
        number = getattr(signal, name, None)
        if number is not None and name != "SIGHUP":
            signal.signal(number, lambda _number, _frame: None)


def _end(number: int, _frame: FrameType | None) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)  # it may be sent again
    # Not imported here: the signal may arrive during that import.
    undo = getattr(sys.modules.get("semipunct.files.folders"), "undo_unfinished", None)
    if undo is not None:
        undo()
    cursor = _SHOW_CURSOR if os.isatty(2) else b""
    with suppress(OSError):
        os.write(2, cursor + f"error: {WORDS[signal.Signals(number).name]}\n".encode())
    os._exit(exit_status(number))


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
