"""Signal handlers that end the process at once, or set a flag that training polls.

Handlers that raise exceptions are unreliable: callbacks of libraries print the exception and
continue, and extension modules replace handlers during import. Therefore our handlers remove
unfinished files and end the process themselves.
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

# The message for each signal available on the platform.
WORDS = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "hung up"}

_SHOW_CURSOR = b"\x1b[?25h"  # hidden by a progress bar


SIGNALS = (signal.SIGINT, signal.SIGTERM)


def end_at_signals() -> None:
    """Install handlers that end this process, except for ignored signals."""
    for name in WORDS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)


def leave_to_server() -> None:
    """Install no-op handlers, under which uvicorn raises its signal once more after shutdown."""
    for number in SIGNALS:
        signal.signal(number, lambda _number, _frame: None)


def _end(number: int, _frame: FrameType | None) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)  # ignore repeated signals
    # Not imported here: the signal may arrive during that import.
    undo = getattr(sys.modules.get("semipunct.files.folders"), "undo_unfinished", None)
    if undo is not None:
        undo()
    cursor = _SHOW_CURSOR if os.isatty(2) else b""
    with suppress(OSError):
        os.write(2, cursor + f"error: {WORDS[signal.Signals(number).name]}\n".encode())
    os._exit(128 + number)  # as shells report a signal


@dataclass(slots=True)
class Stop:
    """A flag set by a signal; calling it returns whether it is set."""

    signal: int | None = None

    def __call__(self) -> bool:
        return self.signal is not None


@contextmanager
def interruptible(notice: str = "") -> Generator[Stop, None, None]:
    """Yield a flag that SIGINT and SIGTERM set, and restore the handlers afterwards.

    A second signal has its previous effect, and ignored signals stay ignored. Outside the main
    thread, where Python delivers no signals, the flag is never set.
    """
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    before = {number: was for number, was in before.items() if was is not signal.SIG_IGN}

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
