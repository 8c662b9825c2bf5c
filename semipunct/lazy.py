"""Public names of a module, imported on first access and written once."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def lazy_names(module: str, path: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for the names a file imports if ``TYPE_CHECKING``.

    Type checkers and editors read these imports; at run time each is made on first access. Objects
    are not cached, so a replacement in the module that defines one has effect.
    """
    modules = {
        alias.name: str(node.module)
        for block in ast.parse(Path(path).read_text("utf-8")).body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }

    def get(name: str) -> Any:
        if name == "__all__":
            return sorted(modules, key=lambda n: (not n.isupper(), n.islower(), n))
        if name not in modules:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return getattr(import_module(modules[name]), name)

    return get, lambda: sorted({*vars(sys.modules[module]), *modules})
