"""``semipunct --version --verbose``: what is installed where, for reports of problems."""

import platform
import re
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec

_NAME = re.compile(r"[\w.-]+")


def installation() -> Iterator[tuple[str, str]]:
    """Yield names and values: the interpreter, the two packages, and what they require.

    The import of semipunct has checked already that ``semirings`` is the package that belongs to
    it.
    """
    yield "Python", f"{platform.python_version()} ({sys.executable})"
    yield "platform", platform.platform()
    for package in ("semipunct", "semirings"):
        spec = find_spec(package)
        yield package, str(spec.origin) if spec else "missing"
    for name in [*_required(), "jaxlib"]:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            yield name, "missing"


def _required() -> Iterator[str]:
    try:
        requirements = requires("semipunct") or ()
    except PackageNotFoundError:  # run from its sources
        requirements = ()
    for requirement in requirements:
        name = _NAME.match(requirement)
        if name and "extra ==" not in requirement:
            yield name[0]
