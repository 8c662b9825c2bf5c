"""Signal handlers: they end the process at once and leave no partly written files.

A handler that raises an exception, like Python's own for Ctrl-C, is not reliable: callbacks of
libraries (JAX has one that the garbage collector calls) print the exception and continue, and
extension modules replace it with another one during their import. Therefore the handlers here
remove unfinished files and end the process themselves.
"""

import os
import signal
import sys
from contextlib import suppress
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
