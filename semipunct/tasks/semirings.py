"""Look-up of installed semirings by name."""

from __future__ import annotations

from semipunct.errors import SemipunctError, UsageError, suggest
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
        known = ", ".join(plugin_of)
        raise UsageError(f"there is no semiring {name!r}{suggest(name, plugin_of)}; known: {known}")
    plugin = plugin_of[name]
    if plugin.semiring is None:
        raise SemipunctError(
            f"the semiring {name!r} of {plugin.distribution} {plugin.version} cannot be loaded "
            f"({plugin.fault}); repair or remove that package"
        )
    return plugin, plugin.semiring
