"""Public names of a module, imported on first access and written once."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from typing import Any


class LazyNames:
    """The names that a file imports under ``if TYPE_CHECKING:``, with their modules.

    Type checkers and editors read these imports; at run time each is made on first access.
    """

    def __init__(self, path: str) -> None:
        self.modules = {
            alias.name: str(node.module)
            for block in ast.parse(Path(path).read_text("utf-8")).body
            if isinstance(block, ast.If)
            for node in block.body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }

    def load(self, module: str, name: str) -> Any:
        """Import the object of a name, without caching it."""
        if name == "__all__":
            return sorted(self.modules, key=lambda n: (not n.isupper(), n.islower(), n))
        if name not in self.modules:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return getattr(import_module(self.modules[name]), name)
