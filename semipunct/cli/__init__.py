"""The command line, with one module per command. Only this package sets exit statuses.

Heavy modules are imported inside functions, so that ``--help`` is fast.
"""

import gc
import io
import os
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command, and raise ``SystemExit`` at its end.

    Args:
        arguments: None for the arguments of this process, which then gets signal handlers.
    """
    if arguments is None:
        from semipunct.cli.signals import end_at_signals

        end_at_signals()
        prepare_streams()
        # Restoration keeps millions of small tuples alive, none in cycles: with the default
        # threshold of 700, the collector takes a sixth of the time.
        gc.set_threshold(100_000, 20, 50)
    # XLA logs slow compilation as an error; real errors are also raised as exceptions.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    from semipunct.cli import console
    from semipunct.cli.app import app

    with console.readers_may_leave():
        app(arguments, prog_name="semipunct")


def prepare_streams() -> None:
    """Set standard output to UTF-8, and reserve the descriptors of closed streams.

    Otherwise a file could get such a descriptor, and libraries would write messages into it.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free descriptor: this one
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
