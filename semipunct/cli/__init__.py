"""The command line: one command a file; the only place with exit codes and coloured output.

Nothing heavy is imported at the top of these modules, so that ``--help`` answers at once.
"""

from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command, by default that of this process; end with ``SystemExit``."""
    from semipunct.cli.app import app

    app(arguments, prog_name="semipunct")
