"""The registry of model kinds, which are imported on demand.

Other distributions register kinds in the entry point group ``semipunct.kinds``. Tasks are
registered separately (docs/decisions/architecture.md).
"""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING

from semipunct.errors import ConfigError, suggest
from semipunct.plugins import find_plugin, plugin_names

if TYPE_CHECKING:
    from semipunct.models.kind import Kind

KINDS: dict[str, str] = {
    "punctuation": "semipunct.models.punctuation.options:KIND",
    "correction": "semipunct.models.punctuation.options:CORRECTION",
    "parser": "semipunct.models.parsing.options:KIND",
    "tokeniser": "semipunct.models.segmentation.options:KIND",
    "text": "semipunct.models.running_text.options:KIND",
}

DEFAULT = "punctuation"


def kind_names() -> list[str]:
    """Return the names of all kinds, installed ones last."""
    return list(dict.fromkeys([*KINDS, *plugin_names("kinds")]))


def find_kind(name: str, where: str = "--kind") -> Kind:
    """Return the kind with a name.

    Raises:
        ConfigError: if there is no such kind, or an installed one cannot be loaded.
    """
    if name not in KINDS:
        from semipunct.models.kind import Kind

        if (kind := find_plugin("kinds", name, Kind)) is not None:
            return kind
        names = kind_names()
        raise ConfigError(
            f"{where}: there is no kind of model {name!r}{suggest(name, names)}; "
            f"choose one of: {', '.join(names)}"
        )
    return resolve_name(KINDS[name])


def is_kind(name: str) -> bool:
    """Return whether a kind of this name exists."""
    return name in KINDS or name in plugin_names("kinds")
