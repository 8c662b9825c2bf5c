"""Look-up of installed semirings by name."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from semipunct.errors import SemipunctError, UsageError
from semirings import Semiring, plugins
from semirings.plugins import Plugin


def installed_semiring(name: str) -> tuple[Plugin, Semiring]:
    """Return the semiring of a name, and the plugin that provides it.

    Raises:
        UsageError: if there is no such semiring.
        SemipunctError: if it cannot be loaded.
    """
    plugin_of = plugins.available()
    if name not in plugin_of:
        raise UsageError(f"there is no semiring {name!r}; {_nearest(name, plugin_of)}")
    plugin = plugin_of[name]
    if plugin.semiring is None:
        raise SemipunctError(
            f"the semiring {name!r} of {plugin.distribution} {plugin.version} cannot be loaded "
            f"({plugin.fault}); repair or remove that package"
        )
    return plugin, plugin.semiring


def _nearest(name: str, registered: Iterable[str]) -> str:
    names = list(registered)
    close = get_close_matches(name, names, n=1)
    hint = f"did you mean {close[0]}? " if close else ""
    return f"{hint}known: {', '.join(names)}"
