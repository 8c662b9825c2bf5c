"""Semirings by name, registered in the entry point group ``semirings``."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

from semirings.base import Semiring

__all__ = ["GROUP", "Plugin", "available"]

# The entry point group in which distributions register their semirings.
GROUP = "semirings"


@dataclass(frozen=True, slots=True)
class Plugin:
    """A registered semiring.

    Attributes:
        name: of the entry point.
        semiring: with default parameters, or None if it failed to load.
        fault: the reason for the failure.
    """

    name: str
    distribution: str
    version: str
    semiring: Semiring | None
    fault: str = ""


def available() -> dict[str, Plugin]:
    """Return all registered semirings by name; one that fails to load has a fault."""
    plugins = (_load(point) for point in entry_points(group=GROUP))
    return {plugin.name: plugin for plugin in sorted(plugins, key=lambda p: p.name)}


def _load(point: EntryPoint) -> Plugin:
    distribution = point.dist.name if point.dist else "?"
    version = point.dist.version if point.dist else "?"
    try:
        semiring = point.load()()
    except Exception as error:  # noqa: BLE001 - third-party modules raise anything
        fault = f"{type(error).__name__}: {error}"
        return Plugin(point.name, distribution, version, None, fault)
    if not isinstance(semiring, Semiring):
        fault = f"{point.value} is no subclass of semirings.Semiring"
        return Plugin(point.name, distribution, version, None, fault)
    return Plugin(point.name, distribution, version, semiring)
