"""Plugins: formats, metrics, templates, commands and kinds that distributions register.

A registry looks in its entry point group only for names that it does not have, so unused plugins
cost no time, and broken ones affect only their users (docs/decisions/architecture.md).
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import Literal, TypeVar

from semipunct.errors import ConfigError

Group = Literal["commands", "formats", "kinds", "metrics", "templates"]

T = TypeVar("T")


def plugin_names(group: Group) -> list[str]:
    """Return the names registered in a group, sorted."""
    return sorted({point.name for point in _points(group)})


def find_plugin(group: Group, name: str, base: type[T]) -> T | None:
    """Load the object registered under a name; None if there is none.

    Raises:
        ConfigError: if it cannot be loaded, is not a ``base``, or two distributions register the
            name.
    """
    points = [point for point in _points(group) if point.name == name]
    if not points:
        return None
    label = f"{name!r} of the group semipunct.{group}"
    if len({point.value for point in points}) > 1:
        registered = " and ".join(sorted(_distribution(point) for point in points))
        raise ConfigError(f"{label} is registered by {registered}; uninstall one of them")
    (point, *_) = points
    try:
        loaded = point.load()
    except Exception as error:  # third-party modules raise anything
        raise ConfigError(
            f"{label}, which {_distribution(point)} registers as {point.value}, cannot be loaded "
            f"({type(error).__name__}: {error}); repair or uninstall it"
        ) from error
    if not isinstance(loaded, base):
        raise ConfigError(
            f"{label}, which {_distribution(point)} registers as {point.value}, is a "
            f"{type(loaded).__name__}, not a {base.__name__}; repair or uninstall it"
        )
    return loaded


def _points(group: Group) -> list[EntryPoint]:
    return list(entry_points(group=".".join(("semipunct", group))))  # a group, not a module


def _distribution(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else "a distribution"
