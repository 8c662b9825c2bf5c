"""Check that ``semirings`` is our package, not the unrelated one on the package index.

Installing that one overwrites our files without a warning, and imports fail deep inside.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType

# Identifies our ``semirings/__init__.py`` without importing it.
_MARKER = b'__distribution__ = "semipunct"\n'


class ForeignSemiringsError(ImportError):
    """The package ``semirings`` does not belong to semipunct."""


def check_semirings() -> None:
    """Raise ``ForeignSemiringsError`` unless ``import semirings`` finds our package."""
    spec = find_spec("semirings")
    origin = spec.origin if spec else None
    try:
        if origin and _MARKER in Path(origin).read_bytes():
            return
    except OSError:
        return  # not in a file, such as in a zip archive
    _print_in_one_line()
    raise ForeignSemiringsError(_message(origin))


def _message(origin: str | None) -> str:
    package_folder = Path(__file__).parent.parent
    pip = f"{sys.executable} -m pip"
    reinstall = f"{pip} install --force-reinstall --no-deps {_requirement()}"
    if origin is None:
        return f"the package semirings, which belongs to semipunct, is missing; run: {reinstall}"
    statement = f"{origin} is not the package semirings that belongs to semipunct"
    folder = Path(origin).parent
    uninstall = f"{pip} uninstall -y semirings"
    if folder.parent == package_folder:
        return (
            f"{statement}: another distribution has overwritten it; run: {uninstall} && {reinstall}"
        )
    if folder.name == "semirings" and folder.parent.name in ("site-packages", "dist-packages"):
        return f"{statement}: another distribution hides it; run: {uninstall}"
    return f"{statement}, and hides it; rename or move it"


def _requirement() -> str:
    """Return the requirement for pip: the folder or file that semipunct came from, or its name."""
    from importlib.metadata import PackageNotFoundError, distribution
    from json import loads
    from urllib.parse import unquote, urlsplit

    try:
        installed = distribution("semipunct")
        url = str(loads(installed.read_text("direct_url.json") or "{}").get("url", ""))
        place = unquote(urlsplit(url).path) if url.startswith("file:") else url
        return place or f"semipunct=={installed.version}"
    except (PackageNotFoundError, ValueError):
        return "semipunct"


def _print_in_one_line() -> None:
    """Print the error, if it is not handled, without a traceback."""
    before = sys.excepthook

    def hook(
        kind: type[BaseException], error: BaseException, traceback: TracebackType | None
    ) -> None:
        if isinstance(error, ForeignSemiringsError):
            print(f"error: {error}", file=sys.stderr)  # noqa: T201
        else:
            before(kind, error, traceback)

    sys.excepthook = hook
