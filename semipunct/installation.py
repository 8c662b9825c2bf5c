"""Checks of the installation: whether ``semirings`` is the package that belongs to semipunct.

The package index has another distribution with a package of this name. Installing it overwrites
files of ours without a warning, and what fails then is an import deep inside.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

_MARKER = b'__distribution__ = "semipunct"\n'
"""The line by which our ``semirings/__init__.py`` is recognised without importing it."""


class ForeignSemiringsError(ImportError):
    """The package ``semirings`` is not the one that belongs to semipunct."""


def check_semirings() -> None:
    """Check that ``import semirings`` finds our package.

    Raises:
        ForeignSemiringsError: if it does not; the message has the remedy.
    """
    spec = find_spec("semirings")
    origin = spec.origin if spec else None
    try:
        if origin and _MARKER in Path(origin).read_bytes():
            return
    except OSError:
        return  # not in a file, such as in a zip archive
    if origin is None:
        problem = "the package semirings, which belongs to semipunct, is missing"
    else:
        problem = f"{origin} is not the package semirings that belongs to semipunct"
    raise ForeignSemiringsError(
        f"{problem}; remove the other one (pip uninstall semirings) and install semipunct again "
        "(pip install --force-reinstall --no-deps semipunct)"
    )
