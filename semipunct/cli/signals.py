"""The end of a command that a signal ends: at once, and without half of a file left behind.

A handler that raises, as Python's own for Ctrl-C does, cannot be relied upon: callbacks of
libraries (JAX has one that the garbage collector calls) print the exception and go on, and
extension modules that are being imported make another one of it. So the handlers here undo what is
unfinished and end the process themselves.
"""

import os
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import NoReturn

WORDS = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "hung up"}
"""What is said of each signal; not every system has all."""

_SHOW_CURSOR = b"\x1b[?25h"  # which a progress bar has hidden


def exit_status(number: int) -> int:
    """Return the exit status by which shells tell that a signal ended a process."""
    return 128 + number


def end_at_signals() -> None:
    """From now on let signals end this process; those that it was told to ignore stay ignored."""
    for name in WORDS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)


def _end(number: int, _frame: FrameType | None) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)  # an impatient user may send it again
    # Not imported here: the signal may have come in the midst of that import.
    undo = getattr(sys.modules.get("semipunct.files.unfinished"), "undo_unfinished", None)
    if undo is not None:
        undo()
    cursor = _SHOW_CURSOR if os.isatty(2) else b""
    with suppress(OSError):
        os.write(2, cursor + f"error: {WORDS[signal.Signals(number).name]}\n".encode())
    os._exit(exit_status(number))
