"""The command line: one command a file; the only place with exit codes and coloured output.

Nothing heavy is imported at the top of these modules, so that ``--help`` answers at once.
"""

from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command; end with ``SystemExit``.

    Args:
        arguments: of the command; None for those of this process, whose signals and streams are
            then seen to (``semipunct.cli.signals``, ``semipunct.cli.streams``).
    """
    if arguments is None:
        from semipunct.cli.signals import end_at_signals

        end_at_signals()
        from semipunct.cli.streams import prepare_streams

        prepare_streams()
    from semipunct.cli.app import app

    app(arguments, prog_name="semipunct")
