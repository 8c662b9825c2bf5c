"""The command line: one file per command. Exit codes and coloured output are set only here.

Heavy modules are imported inside functions, so that ``--help`` is fast.
"""

import gc
import os
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command, and raise ``SystemExit`` at its end.

    Args:
        arguments: of the command; None for those of this process. With None, signal handlers are
            installed (``semipunct.cli.signals``) and the standard streams are prepared
            (``semipunct.cli.streams``).
    """
    if arguments is None:
        from semipunct.cli.signals import end_at_signals

        end_at_signals()
        from semipunct.cli.streams import prepare_streams

        prepare_streams()
        # Millions of small tuples live while a text is restored, and none of them in cycles: with
        # the usual 700 the collector takes a sixth of the time.
        gc.set_threshold(100_000, 20, 50)
    # XLA logs requests to report slow compilation as errors; true errors are also raised as
    # exceptions.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    from semipunct.cli import console
    from semipunct.cli.app import app

    with console.readers_may_leave():
        app(arguments, prog_name="semipunct")
