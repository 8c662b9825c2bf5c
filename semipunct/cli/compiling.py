"""Compiled programs of commands: kept for later runs, and announced where they take long."""

from typing import TYPE_CHECKING

from semipunct.cli import console

if TYPE_CHECKING:
    from semipunct.arrays.compilation import SlowCompilation

PATIENCE = 10.0
"""Seconds of compilation after which it is announced."""

_slow: "SlowCompilation | None" = None


def keep_programs() -> None:
    """Keep compiled programs in the user's cache folder, and say once if compiling takes long."""
    from semipunct.arrays.compilation import SlowCompilation, enable_compilation_cache

    global _slow
    folder = enable_compilation_cache()
    later = f"kept in {folder} for later runs" if folder else "no folder can keep them"
    if _slow is not None:
        _slow.stop()
    _slow = SlowCompilation(
        lambda: console.say(f"compiling programs for batches of these sizes ({later})"), PATIENCE
    )
    _slow.start()
